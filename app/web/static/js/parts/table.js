/** Tables that scroll within the page, and tables sortable by column. */

import { h, replace } from "../dom.js";

/** A container that scrolls sideways and can be focused with the keyboard. */
export function scrollable(label, table, tall = false) {
  const className = tall ? "scroll tall" : "scroll";
  return h("div", { class: className, tabindex: "0", role: "group", "aria-label": label }, table);
}

/** A heading of a column of numbers. */
export const numeric = (name) => ({ name, number: true });

/**
 * A table whose first cell in each row is the row heading.
 * @param {string} caption
 * @param {(string | {name: string, number: boolean})[]} headings
 * @param {any[][]} rows cells; the first is the row heading
 * @param {{foot?: any[][], className?: string, captionShown?: boolean, chosen?: any[]}} [options]
 *   `chosen`: the row to highlight
 */
export function plainTable(caption, headings, rows, options = {}) {
  const { foot = [], className = null, captionShown = false, chosen = null } = options;
  const alignment = headings.map((heading) => (heading.number ? "number" : null));
  const line = (cells) =>
    h(
      "tr",
      { class: cells === chosen ? "chosen" : null },
      cells.map((cell, i) =>
        i === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: alignment[i] }, cell),
      ),
    );
  const head = headings.map((heading, i) =>
    h("th", { scope: "col", class: alignment[i] }, heading.name ?? heading),
  );
  return h(
    "table",
    { class: className },
    h("caption", { class: captionShown ? null : "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, rows.map(line)),
    foot.length ? h("tfoot", {}, foot.map(line)) : null,
  );
}

/**
 * @typedef {{name: string, number?: boolean, cell: (row: any) => any, value?: (row: any) => any}} Heading
 */

/**
 * A table that is sorted by clicking a column heading.
 * @param {string} caption
 * @param {Heading[]} headings those with a `value` are sortable
 * @param {any[]} rows
 * @param {(rows: any[]) => any[]} [shown] selects the rows to show from the sorted ones
 */
export function sortableTable(caption, headings, rows, shown = (all) => all) {
  let order = { heading: null, down: false };
  const body = h("tbody");
  const head = h("tr");

  function draw() {
    const sorted = [...rows];
    if (order.heading) {
      const { value } = order.heading;
      sorted.sort((a, b) => compare(value(a), value(b), order.down ? -1 : 1));
    }
    replace(
      body,
      shown(sorted).map((row) =>
        h("tr", {}, headings.map((heading) =>
          h("td", { class: heading.number ? "number" : null }, heading.cell(row)))),
      ),
    );
    for (const [i, heading] of headings.entries()) {
      const mine = order.heading === heading;
      const state = mine ? (order.down ? "descending" : "ascending") : heading.value ? "none" : null;
      if (state) head.children[i].setAttribute("aria-sort", state);
    }
  }

  head.append(
    ...headings.map((heading) =>
      h(
        "th",
        { scope: "col", class: heading.number ? "number" : null },
        heading.value
          ? h(
              "button",
              {
                type: "button",
                class: "sort",
                onclick() {
                  order = { heading, down: order.heading === heading && !order.down };
                  draw();
                },
              },
              heading.name,
            )
          : heading.name,
      ),
    ),
  );
  draw();
  const element = h("table", {}, h("caption", { class: "visually-hidden" }, caption), h("thead", {}, head), body);
  element.redraw = draw;
  return element;
}

/** Compare numbers by size and text by locale. NaN is last in either direction. */
function compare(a, b, direction) {
  if (typeof a === "number" && typeof b === "number") {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return (a - b) * direction;
  }
  return String(a).localeCompare(String(b), undefined, { numeric: true }) * direction;
}

/** A list of name-value pairs. */
export function definitionList(rows) {
  return h("dl", { class: "pairs" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
