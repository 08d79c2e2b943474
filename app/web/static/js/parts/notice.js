/** Something to know, and something that went wrong. */

import { h } from "../dom.js";

/** @param {string[]} lines */
export function notes(lines) {
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, line))) : null;
}

/** An error in the words of the service, with the places it names. */
export function failure(error) {
  const places = (error.errors || []).slice(1).map((flaw) =>
    [flaw.field, flaw.row === undefined ? "" : `row ${flaw.row}`, flaw.column ?? "", flaw.detail]
      .filter((part) => part !== "" && part !== undefined)
      .join(": "),
  );
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", {}, h("strong", {}, `${error.title || "It did not work"}: `), error.message || String(error)),
    places.length ? h("ul", {}, places.map((place) => h("li", {}, place))) : null,
  );
}
