/** Scores on rows the model has not seen, and which classes it takes for which. */

import { h } from "../../dom.js";
import { count, percent, spread } from "../../format.js";
import { scrolling } from "../../parts/table.js";
import { foldPlot } from "../../plots/folds.js";

const STEPS = 5;

export function measuresPanel(info) {
  const title = h("h2", { id: "measures-title" }, "How good it is");
  if (!info.validation) {
    return h("section", { "aria-labelledby": "measures-title" }, title,
      h("p", {}, `It gets ${percent(info.training_accuracy)} of its own training rows right, which says little. Train with folds to see how it does on others.`));
  }
  const { validation } = info;
  return h(
    "section",
    { "aria-labelledby": "measures-title" },
    title,
    h(
      "div",
      { class: "split" },
      h("div", {}, h("h3", {}, "By fold"), foldPlot("Accuracy", validation.folds.map((fold) => fold.accuracy)), foldTable(validation)),
      h("div", {}, h("h3", {}, "What it takes for what"), confusionTable(info.classes, validation.confusion_matrix)),
    ),
  );
}

function foldTable({ folds }) {
  const names = [["accuracy", "Accuracy"], ["balanced_accuracy", "Balanced"], ["f1", "F1"]];
  const row = (heading, values) =>
    h("tr", {}, h("th", { scope: "row" }, heading), values.map((value) => h("td", { class: "number" }, percent(value))));
  const means = names.map(([key]) => spread(folds.map((fold) => fold[key])));
  return scrolling(
    "Scores by fold",
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, "Scores of every fold"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Fold"), names.map(([, name]) => h("th", { scope: "col", class: "number" }, name)))),
      h("tbody", {}, folds.map((fold, i) => row(String(i + 1), names.map(([key]) => fold[key])))),
      h("tfoot", {}, row("Mean", means.map(({ mean }) => mean)), row("Deviation", means.map(({ deviation }) => deviation))),
    ),
  );
}

/** Rows are what is true, columns what was said; the darker, the larger its share of the row. */
export function confusionTable(classes, matrix) {
  return scrolling(
    "Confusion matrix",
    h(
      "table",
      { class: "confusion" },
      h("caption", {}, "Rows: the class in the table. Columns: the class predicted."),
      h("thead", {}, h("tr", {}, h("td", {}), classes.map((label) => h("th", { scope: "col" }, String(label))))),
      h("tbody", {}, matrix.map((row, i) => {
        const total = row.reduce((sum, n) => sum + n, 0) || 1;
        return h("tr", {}, h("th", { scope: "row" }, String(classes[i])), row.map((n, j) =>
          h("td", { class: `${i === j ? "right" : "wrong"} heat-${Math.ceil((STEPS * n) / total)}` }, count(n))));
      })),
    ),
  );
}
