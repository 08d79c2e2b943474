/** Confirmation dialog for actions that cannot be undone. */

import { h } from "../dom.js";

/**
 * @param {string} question
 * @param {string} consequence
 * @param {string} yes text of the confirming button
 * @returns {Promise<boolean>}
 */
export function confirmAction(question, consequence, yes) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "confirm", "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text" },
      h("h2", { id: "confirm-title" }, question),
      h("p", { id: "confirm-text" }, consequence),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", autofocus: true, onclick: () => dialog.close("no") }, "Cancel"),
        h("button", { type: "button", class: "danger", onclick: () => dialog.close("yes") }, yes),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
