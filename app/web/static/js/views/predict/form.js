/** Prediction for one row entered in a form. */

import { api } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { formatterForRange, number, percent } from "../../format.js";
import { curl } from "../../curl.js";
import { isDecimalComma, isNumber } from "../../csv/cells.js";
import { curlCommand } from "../../parts/curl-command.js";
import { errorNotice } from "../../parts/notice.js";
import { announce } from "../../parts/status.js";
import { numeric, plainTable, scrollable } from "../../parts/table.js";
import { colourClass } from "../../plots/marks.js";

const MAX_FIELDS = 200;
/** Below this score (two classes) a row is called close to the boundary. */
const CLOSE_SCORE = 0.1;

/**
 * @param {any} info a version; the typical values of its columns are the initial values of the form
 */
export function formPanel(info) {
  const title = h("h2", { id: "form-title" }, "Predict one row");
  if (info.columns.length > MAX_FIELDS) {
    const none = h("p", {}, "The model has too many features for a form. Predict a CSV file instead.");
    return h("section", { "aria-labelledby": "form-title" }, title, none);
  }
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const line = curlCommand("predict this row", "");
  const controls = info.columns.map((column) => control(column, info.impute));

  function valueAt(i) {
    const text = controls[i].value.trim();
    if (text === "") return null;
    if (info.columns[i].kind === "text") return text;
    const plain = isDecimalComma(text) ? text.replace(",", ".") : text;
    return isNumber(plain) ? Number(plain) : NaN;
  }
  function request() {
    const values = controls.map((_, i) => valueAt(i));
    const named = info.feature_names !== null;
    const row = named ? Object.fromEntries(info.feature_names.map((name, i) => [name, values[i]])) : values;
    return { model: info.model, version: info.version, X: [row] };
  }
  /** Mark the fields that do not hold a number. Returns true if there are none. */
  function validate() {
    let first = null;
    controls.forEach((input, i) => {
      const wrong = Number.isNaN(valueAt(i));
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      if (wrong) first ??= input;
    });
    if (first === null) return true;
    first.focus();
    const message = `“${first.value}” is not a number. Enter a number such as 2.5.`;
    replace(answer, errorNotice({ title: "Not a number", message }));
    return false;
  }
  const refresh = () => line.show(curl("predict", { method: "POST", json: request() }));
  refresh();
  const form = h(
    "form",
    {
      oninput: refresh,
      async onsubmit(event) {
        event.preventDefault();
        if (!validate()) return;
        try {
          const found = await api.predict(request());
          replace(answer, predictionPanel(info, found));
          announce(`Predicted class: ${found.labels[0]}.`);
        } catch (error) {
          replace(answer, errorNotice(error));
        }
      },
    },
    h(
      "div",
      { class: "fields" },
      info.columns.map((column, i) => field(column.name ?? `Feature ${i + 1}`, controls[i])),
    ),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Predict")),
    answer,
    line,
  );
  return h("section", { "aria-labelledby": "form-title" }, title, form);
}

function control({ kind, categories, typical, range }, impute) {
  const optional = impute === "median";
  if (kind === "text") {
    const words = (categories ?? []).map((word) => [word, word]);
    return select(optional ? [["", "unknown"], ...words] : words, typical ?? words[0]?.[0]);
  }
  const value = typeof typical === "number" ? formatterForRange(range ?? [0, 0])(typical) : "";
  return h("input", { type: "text", inputmode: "decimal", autocomplete: "off", value, required: !optional });
}

/** The predicted label, and the scores, distances and probabilities by class. */
function predictionPanel(info, { labels: [label], scores: [score], distances, probabilities }) {
  const columns = [];
  if (probabilities) columns.push(["Probability", probabilities[0].map(percent)]);
  if (distances) columns.push(["Distance to its plane", distances[0].map((value) => number(value))]);
  if (Array.isArray(score)) columns.push(["Score", score.map((value) => number(value))]);
  const where = Math.abs(score) < CLOSE_SCORE ? "close to the decision boundary" : "not close to the decision boundary";
  const own = colourClass(info.classes.indexOf(label));
  return [
    h("p", { class: "verdict" }, "Predicted class: ", h("strong", { class: `word ${own}` }, String(label))),
    Array.isArray(score) ? null : h("p", { class: "hint" }, `Score ${number(score)}: ${where}.`),
    scrollable(
      "By class",
      plainTable(
        "By class",
        ["Class", ...columns.map(([name]) => numeric(name))],
        info.classes.map((name, k) => [String(name), ...columns.map(([, values]) => values[k])]),
      ),
    ),
  ];
}
