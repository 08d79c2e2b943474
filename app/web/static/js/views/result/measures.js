/** Scores on held-out rows, and the confusion matrix. */

import { h } from "../../dom.js";
import { count, meanAndDeviation, percent } from "../../format.js";
import { numeric, plainTable, scrollable } from "../../parts/table.js";
import { foldPlot } from "../../plots/folds.js";

const SCORES = { accuracy: "Accuracy", balanced_accuracy: "Balanced", f1: "F1" };
/** Shades of the confusion matrix. */
const STEPS = 5;

export function measuresPanel({ validation, classes, training_accuracy: own }) {
  return h(
    "section",
    { "aria-labelledby": "measures-title" },
    h("h2", { id: "measures-title" }, "Accuracy"),
    validation
      ? h("div", { class: "split" }, folds(validation), confusion(classes, validation))
      : h(
          "p",
          {},
          `The model classifies ${percent(own)} of its training rows correctly, which says little about new rows. ` +
            "Train with validation to measure the accuracy on held-out rows.",
        ),
  );
}

function folds({ folds: all }) {
  const names = Object.keys(SCORES);
  const spreads = names.map((name) => meanAndDeviation(all.map((fold) => fold[name])));
  const table = plainTable(
    "Scores of every fold",
    ["Fold", ...Object.values(SCORES).map(numeric)],
    all.map((fold, i) => [i + 1, ...names.map((name) => percent(fold[name]))]),
    {
      foot: [
        ["Mean", ...spreads.map(({ mean }) => percent(mean))],
        ["Std. dev.", ...spreads.map(({ deviation }) => percent(deviation))],
      ],
    },
  );
  return h(
    "div",
    {},
    h("h3", {}, "By fold"),
    foldPlot("Accuracy", all.map((fold) => fold.accuracy)),
    scrollable("Scores by fold", table),
  );
}

function confusion(classes, validation) {
  return h(
    "div",
    {},
    h("h3", {}, "Confusion matrix"),
    confusionTable(classes, validation.confusion_matrix),
  );
}

/** Rows are true classes, columns predicted ones. The shade is the share of the row. */
export function confusionTable(classes, matrix) {
  const line = (row, i) => {
    const total = row.reduce((sum, n) => sum + n, 0) || 1;
    const shade = (n, j) => `${i === j ? "right" : "wrong"} heat-${Math.ceil((STEPS * n) / total)}`;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, String(classes[i])),
      row.map((n, j) => h("td", { class: shade(n, j) }, count(n))),
    );
  };
  const head = classes.map((label) => h("th", { scope: "col" }, String(label)));
  return scrollable(
    "Confusion matrix",
    h(
      "table",
      { class: "confusion" },
      h("caption", {}, "Rows: true class. Columns: predicted class."),
      h("thead", {}, h("tr", {}, h("td", {}), head)),
      h("tbody", {}, matrix.map(line)),
    ),
  );
}
