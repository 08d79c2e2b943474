/** Something to know, and something that went wrong. */

import { h } from "../dom.js";
import { plural } from "../format.js";

/** @param {string[]} lines */
export function notes(lines) {
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, line))) : null;
}

/** Rows that could not be read. @param {{count: number, lines: number[]}} ragged the first lines of them */
export function raggedRows({ count: n, lines }) {
  const where = `line ${lines.join(", ")}${n > lines.length ? " …" : ""}`;
  return `${plural(n, "row")} with more or fewer cells than the first line left out (${where}).`;
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
