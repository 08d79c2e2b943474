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
  const skipped = plural(n, "row was", "rows were");
  return `${skipped} skipped: the number of cells differs from that of the first line (${where}).`;
}

/** An error message, with one item per faulty field if the service lists them. */
export function errorNotice(error) {
  const faults = (error.errors || []).slice(1).map((fault) =>
    [fault.field, fault.row === undefined ? "" : `row ${fault.row}`, fault.column ?? "", fault.detail]
      .filter((part) => part !== "" && part !== undefined)
      .join(": "),
  );
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", {}, h("strong", {}, `${error.title || "Error"}: `), error.message || String(error)),
    faults.length ? h("ul", {}, faults.map((text) => h("li", {}, text))) : null,
  );
}
