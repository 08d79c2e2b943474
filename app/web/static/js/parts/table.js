/** Tables: scrollable by keyboard, sortable by their headings. */

import { h, replace } from "../dom.js";

/** A table that scrolls sideways within itself, reachable by keyboard. */
export function scrolling(label, table, tall = false) {
  const className = tall ? "scroll tall" : "scroll";
  return h("div", { class: className, tabindex: "0", role: "group", "aria-label": label }, table);
}

/** A heading over numbers. */
export const numeric = (name) => ({ name, number: true });

/**
 * A table whose rows begin with their heading.
 * @param {string} caption
 * @param {(string | {name: string, number: boolean})[]} headings
 * @param {any[][]} rows cells, the first of which is the heading
 * @param {{foot?: any[][], className?: string, captionShown?: boolean, chosen?: any[]}} [options]
 *   `chosen`: the row that is marked
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
    h("caption", { class: captionShown ? null : "unseen" }, caption),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, rows.map(line)),
    foot.length ? h("tfoot", {}, foot.map(line)) : null,
  );
}

/**
 * @typedef {{name: string, number?: boolean, cell: (row: any) => any, value?: (row: any) => any}} Heading
 */

/**
 * A table whose headings sort it.
 * @param {string} caption
 * @param {Heading[]} headings those with a `value` can be sorted by
 * @param {any[]} rows
 * @param {(rows: any[]) => any[]} [shown] which of the sorted rows to show
 */
export function sortable(caption, headings, rows, shown = (all) => all) {
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
  const element = h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, head), body);
  element.redraw = draw;
  return element;
}

/** Numbers by size, words as people sort them; what is no number comes last, up and down. */
function compare(a, b, direction) {
  if (typeof a === "number" && typeof b === "number") {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return (a - b) * direction;
  }
  return String(a).localeCompare(String(b), undefined, { numeric: true }) * direction;
}

/** Pairs of a name and a value. */
export function pairs(rows) {
  return h("dl", { class: "pairs" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
