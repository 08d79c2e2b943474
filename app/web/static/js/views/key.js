/** Form for the API key, shown when the service requires one. */

import { h, field, replace } from "../dom.js";
import { key } from "../api.js";
import { announce } from "../parts/status.js";

/**
 * Show a button in the footer that removes the key, if a key is set.
 * @param {() => void} onDone
 */
export function showForgetButton(onDone) {
  const place = document.getElementById("key-state");
  const forget = () => {
    key.set("");
    replace(place);
    announce("The API key has been removed.");
    onDone();
  };
  const button = h("button", { type: "button", class: "quiet", onclick: forget }, "Forget the API key");
  replace(place, key.get() ? button : null);
}

/** @param {Error} problem the 401 or 403 response @param {() => void} onDone */
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
        announce("The API key is set.");
        onDone();
      },
    },
    field("API key", input, "Stored in this tab only. Closing the tab removes it."),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Use this key")),
  );
  const title = had ? "This API key was not accepted" : "This service requires an API key";
  replace(
    place,
    h("h2", { id: "key-title" }, title),
    had
      ? h("p", {}, problem.message)
      : h(
          "p",
          {},
          "Ask the operator of the service for a key. Operators create one with ",
          h("code", {}, "frtsvm keys new"),
          ".",
        ),
    form,
  );
  place.hidden = false;
  announce(title);
  input.focus();
}
