/** A curl command in a box, with a button that copies it. */

import { h, replace } from "../dom.js";
import { announce } from "./status.js";

/**
 * @param {string} what the action that the command performs
 * @param {string} line
 */
export function curlCommand(what, line) {
  const code = h("code", {}, line);
  const box = h("pre", { tabindex: "0", role: "group", "aria-label": `curl command: ${what}` }, code);
  const button = h(
    "button",
    { type: "button", class: "quiet", "aria-label": `Copy the curl command: ${what}`, onclick: copy },
    "Copy",
  );
  async function copy() {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code); // no permission for the clipboard: select the text instead
      announce("The command is selected. Copy it with the keyboard.");
      return;
    }
    replace(button, "Copied");
    announce("Copied.");
    setTimeout(() => replace(button, "Copy"), 1500);
  }
  const element = h("div", { class: "command" }, box, button);
  element.show = (next) => replace(code, next);
  return element;
}
