/** The field for an API key, shown when the service asks for one. */

import { h, field, replace } from "../dom.js";
import { key } from "../api.js";
import { say } from "../parts/status.js";

/**
 * A button in the footer that forgets the key, as long as there is one.
 * @param {() => void} onDone
 */
export function showForgetting(onDone) {
  const place = document.getElementById("key-state");
  const forget = () => {
    key.set("");
    replace(place);
    say("The key is forgotten.");
    onDone();
  };
  const button = h("button", { type: "button", class: "quiet", onclick: forget }, "Forget the key");
  replace(place, key.get() ? button : null);
}

/** @param {Error} problem why it is wanted @param {() => void} onDone */
export function showKeyForm(problem, onDone) {
  const place = document.getElementById("key");
  const had = key.get() !== "";
  if (!place.hidden && place.dataset.reason === problem.message) return;
  place.dataset.reason = problem.message;
  const input = h("input", {
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  const form = h(
    "form",
    {
      onsubmit(event) {
        event.preventDefault();
        key.set(input.value.trim());
        place.hidden = true;
        delete place.dataset.reason;
        say("The key is set.");
        onDone();
      },
    },
    field("API key", input, "Kept in this tab only, until it is closed."),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Use this key")),
  );
  const title = had ? "This key does not do" : "This service wants a key";
  replace(
    place,
    h("h2", { id: "key-title" }, title),
    had
      ? h("p", {}, `${problem.message}.`)
      : h("p", {}, "Whoever runs it makes one with ", h("code", {}, "frtsvm keys new"), "."),
    form,
  );
  place.hidden = false;
  say(title);
  input.focus();
}
