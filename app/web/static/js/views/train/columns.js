/** Contents of the open table, and the selection of target and features. */

import { choice, field, h, replace, select } from "../../dom.js";
import { count, formatterForRange, plural } from "../../format.js";
import { noteList, raggedRowsNote } from "../../parts/notice.js";
import { scrollable } from "../../parts/table.js";
import { colourClass } from "../../plots/marks.js";
import { canBeTarget, exclusionReason } from "./plan.js";

const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs" };
const MAX_COLUMNS = 60;
const MAX_LISTED = 500;
const MAX_CLASSES = 12;
/** A longer list scrolls within itself, so that the training options stay within reach. */
const MANY_COLUMNS = 12;

/**
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan changed in place
 * @param {() => Promise<void>} onChange
 * @param {(how: {hasHeader: boolean, focus: string}) => Promise<void>} reopen
 */
export async function columnsPanel(dataset, plan, onChange, reopen) {
  const { about } = dataset;
  const balance = h("div", { class: "balance" });
  const columns = h("div");
  const preview = h("div");

  async function draw() {
    replace(columns, columnTable(about, plan, onChange));
    replace(preview, scrollable(`First rows of ${dataset.name}`, previewTable(about, plan.target)));
    replace(balance, await classBalance(dataset, plan));
  }
  const target = select(
    about.columns.map((column, i) => [i, column.name]),
    plan.target,
    {
      id: "target",
      async onchange() {
        if (exclusionReason(about.columns[plan.target]) === null) plan.features.add(plan.target);
        plan.target = Number(target.value);
        plan.features.delete(plan.target);
        await draw();
        await onChange();
      },
    },
  );
  await draw();
  return h(
    "section",
    { "aria-labelledby": "table-title" },
    h("h2", { id: "table-title", tabindex: "-1" }, dataset.name),
    h(
      "p",
      { class: "facts" },
      [
        plural(about.nRows, "row"),
        plural(about.columns.length, "column"),
        `separated by ${SEPARATORS[about.separator]}`,
        about.encoding,
      ].join(" · "),
    ),
    noteList(remarks(about)),
    headerChoice(about, reopen),
    preview,
    h(
      "div",
      { class: "split target-and-features" },
      h("div", {}, h("h3", {}, "Target"), field("Column with the classes", target), balance),
      h("div", {}, h("h3", {}, "Features"), columns),
    ),
  );
}

/** The header is only guessed, so the user can correct it. */
function headerChoice(about, reopen) {
  const id = "has-header";
  return choice("checkbox", "First line contains column names", {
    id,
    checked: about.hasHeader,
    async onchange({ target }) {
      await reopen({ hasHeader: target.checked, focus: id });
      target.checked = about.hasHeader; // still shown if the file could not be read that way
    },
  });
}

function remarks(about) {
  const found = [];
  const named = (test) => about.columns.filter(test).map((column) => column.name).join(", ");
  if (!about.hasHeader) {
    found.push("The first line is read as data, not as column names. The columns are named automatically.");
  }
  if (about.renamed) {
    found.push("Columns with an empty or duplicate name have been renamed.");
  }
  if (about.encoding !== "UTF-8") found.push(`The file is not valid UTF-8. It is read as ${about.encoding}.`);
  if (about.ragged.count) found.push(raggedRowsNote(about.ragged));
  const commas = named((column) => column.decimalComma);
  if (commas) found.push(`Decimal commas in ${commas}: they are sent as decimal points.`);
  const unclear = named((column) => column.ambiguousComma);
  if (unclear) {
    found.push(`Commas in ${unclear} may be decimal commas or thousands separators: the values stay text.`);
  }
  const identifying = named((column) => column.identifier);
  if (identifying) {
    found.push(
      `Not used unless you select it: ${identifying}. A value that differs in every row identifies that row ` +
        "and does not help to classify others.",
    );
  }
  const missing = about.columns.reduce((sum, column) => sum + column.missing, 0);
  if (missing) {
    found.push(
      `${plural(missing, "cell is", "cells are")} missing. In the columns used, a missing number is replaced by ` +
        "the median of its column, and missing text is encoded as none of the categories.",
    );
  }
  return found;
}

/** The first rows, target first. */
function previewTable(about, target) {
  const others = about.columns.map((_, i) => i).filter((i) => i !== target);
  const shown = [target, ...others.slice(0, MAX_COLUMNS)];
  const cell = (tag, i, content) => {
    const isNumber = about.columns[i].kind === "number" && i !== target;
    return h(tag, { scope: tag === "th" ? "col" : null, class: isNumber ? "number" : null }, content);
  };
  return h(
    "table",
    { class: "preview" },
    h("caption", { class: "visually-hidden" }, "The first rows"),
    h("thead", {}, h("tr", {}, shown.map((i) => cell("th", i, about.columns[i].name)))),
    h("tbody", {}, about.preview.map((row) => h("tr", {}, shown.map((i) => cell("td", i, row[i]))))),
  );
}

function columnTable(about, plan, onChange) {
  const shown = about.columns.slice(0, MAX_LISTED);
  const more = about.columns.length - shown.length;
  const boxes = new Map();
  const rest = h("p", { class: "hint" });
  const showRest = (use) => replace(rest, `and ${plural(more, "more column")} (${use ? "" : "not "}used)`);
  showRest(true);
  async function useAll(use) {
    about.columns.forEach((column, i) => {
      const used = use && i !== plan.target && exclusionReason(column) === null;
      if (used) plan.features.add(i);
      else plan.features.delete(i);
      if (boxes.has(i)) boxes.get(i).checked = used;
    });
    showRest(use);
    await onChange();
  }
  const every = (text, use) =>
    h("button", { type: "button", class: "quiet", onclick: () => useAll(use) }, text);
  const row = (column, i) => {
    const isTarget = i === plan.target;
    const reason = exclusionReason(column);
    const warning = reason ? h("span", { class: "tag warn" }, reason) : null;
    const box = h("input", {
      type: "checkbox",
      checked: plan.features.has(i),
      disabled: isTarget || column.kind === "empty",
      "aria-label": `Use ${column.name}`,
      async onchange() {
        if (box.checked) plan.features.add(i);
        else plan.features.delete(i);
        await onChange();
      },
    });
    boxes.set(i, box);
    return h(
      "tr",
      {},
      h("td", {}, isTarget ? h("span", { class: "tag" }, "target") : box),
      h("th", { scope: "row" }, withLineBreaks(column.name), isTarget ? null : warning),
      h("td", {}, kindOf(column)),
      h("td", { class: "number" }, column.missing ? count(column.missing) : "–"),
      h("td", { class: "extent" }, valueRange(column)),
    );
  };
  return [
    scrollable(
      "Columns",
      h(
        "table",
        { class: "columns" },
        h("caption", { class: "visually-hidden" }, "Columns of the table"),
        h("thead", {}, h("tr", {}, ["Use", "Column", "Type", "Missing", "Values"].map((name) =>
          h("th", { scope: "col", class: name === "Missing" ? "number" : null }, name)))),
        h("tbody", {}, shown.map(row)),
      ),
      shown.length > MANY_COLUMNS,
    ),
    shown.length > 4 ? h("div", { class: "actions" }, every("Use all", true), every("Use none", false)) : null,
    more > 0 ? rest : null,
  ];
}

/** A name that may wrap only after punctuation. */
const withLineBreaks = (name) =>
  name.split(/(?<=[_.\-/])/).flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));

const kindOf = (column) =>
  column.kind === "number" ? (column.whole ? "whole number" : "number") : column.kind;

function valueRange(column) {
  if (column.kind === "number") {
    const write = formatterForRange([column.min, column.max]);
    return `${write(column.min)} to ${write(column.max)}`;
  }
  if (column.kind === "empty") return "–";
  return column.manyValues ? "over 1 000 values" : plural(column.distinct, "value");
}

/** Labels in the order of the service, so that each class has the same color everywhere. */
function sortLabels(labels) {
  const numbers = labels.every((label) => /^[+-]?\d+$/.test(label));
  return [...labels].sort(numbers ? (a, b) => Number(a) - Number(b) : (a, b) => (a < b ? -1 : 1));
}

async function classBalance(dataset, plan) {
  const column = dataset.about.columns[plan.target];
  if (!canBeTarget(column)) {
    const why = column.distinct < 2 ? "it has fewer than two different values" : "it has too many different values";
    return h("p", { class: "failure" }, `${column.name} cannot be the target: ${why}. Choose another column.`);
  }
  const classes = await dataset.classes(plan.target);
  const total = classes.reduce((sum, { count: n }) => sum + n, 0);
  const most = classes[0].count;
  const order = sortLabels(classes.map(({ label }) => label));
  return [
    h(
      "table",
      { class: "bars" },
      h("caption", {}, plural(classes.length, "class", "classes")),
      h("tbody", {}, classes.slice(0, MAX_CLASSES).map(({ label, count: n }) => {
        const bar = h("span", { class: `bar ${colourClass(order.indexOf(label))}` });
        bar.style.inlineSize = `${Math.max(1, (100 * n) / most)}%`;
        return h("tr", {},
          h("th", { scope: "row" }, label),
          h("td", { class: "track" }, bar),
          h("td", { class: "number" }, `${count(n)} · ${Math.round((100 * n) / total)} %`));
      })),
    ),
    classes.length > MAX_CLASSES
      ? h("p", { class: "hint" }, `and ${classes.length - MAX_CLASSES} more`)
      : null,
    column.missing
      ? h("p", { class: "hint" }, `${plural(column.missing, "row")} without a class will not be sent.`)
      : null,
  ];
}

