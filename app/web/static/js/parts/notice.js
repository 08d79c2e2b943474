/** Remarks and error messages. */

import { h } from "../dom.js";
import { plural } from "../format.js";

/** @param {string[]} lines */
export function noteList(lines) {
  return lines.length ? h("ul", { class: "notes" }, lines.map((line) => h("li", {}, line))) : null;
}

/** Note on skipped rows. @param {{count: number, lines: number[]}} ragged `lines`: the first few */
export function raggedRowsNote({ count: n, lines }) {
  const where = `line ${lines.join(", ")}${n > lines.length ? " …" : ""}`;
  return `${plural(n, "row")} with more or fewer cells than the first line left out (${where}).`;
}

/** An error message, with one item per faulty field if the service lists them. */
export function errorNotice(error) {
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
