/** One row by hand. */

import { api } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { number, percent, within } from "../../format.js";
import { curl } from "../../curl.js";
import { isDecimalComma, isNumber } from "../../csv/cells.js";
import { command } from "../../parts/command.js";
import { failure } from "../../parts/notice.js";
import { say } from "../../parts/status.js";
import { numeric, plainTable, scrolling } from "../../parts/table.js";
import { colourClass } from "../../plots/marks.js";

const MOST_FIELDS = 200;
/** Scores of two classes below this are called close to the boundary. */
const CLOSE = 0.1;

/** @param {any} info a version; what is typical of its columns is there to begin with */
export function formPanel(info) {
  const title = h("h2", { id: "form-title" }, "One row");
  if (info.columns.length > MOST_FIELDS) {
    const none = h("p", {}, "The model has too many features for a form; use a file.");
    return h("section", { "aria-labelledby": "form-title" }, title, none);
  }
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const line = command("predict this row", "");
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
  /** Marks the fields that hold no number; true if there is none. */
  function valid() {
    let first = null;
    controls.forEach((input, i) => {
      const wrong = Number.isNaN(valueAt(i));
      if (wrong) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      if (wrong) first ??= input;
    });
    if (first === null) return true;
    first.focus();
    replace(answer, failure({ title: "Not a number", message: `“${first.value}” is not a number` }));
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
        if (!valid()) return;
        try {
          const found = await api.predict(request());
          replace(answer, shown(info, found));
          say(`It is ${found.labels[0]}.`);
        } catch (error) {
          replace(answer, failure(error));
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
  const value = typeof typical === "number" ? within(range ?? [0, 0])(typical) : "";
  return h("input", { type: "text", inputmode: "decimal", autocomplete: "off", value, required: !optional });
}

/** The answer: the label, and how near the row is to each class. */
function shown(info, { labels: [label], scores: [score], distances, probabilities }) {
  const columns = [];
  if (probabilities) columns.push(["Probability", probabilities[0].map(percent)]);
  if (distances) columns.push(["Distance to its plane", distances[0].map((value) => number(value))]);
  if (Array.isArray(score)) columns.push(["Score", score.map((value) => number(value))]);
  const where = Math.abs(score) < CLOSE ? "close to the boundary" : "well on this side of the boundary";
  const own = colourClass(info.classes.indexOf(label));
  return [
    h("p", { class: "verdict" }, "It is ", h("strong", { class: `word ${own}` }, String(label))),
    Array.isArray(score) ? null : h("p", { class: "hint" }, `Score ${number(score)}: ${where}.`),
    scrolling(
      "By class",
      plainTable(
        "By class",
        ["Class", ...columns.map(([name]) => numeric(name))],
        info.classes.map((name, k) => [String(name), ...columns.map(([, values]) => values[k])]),
      ),
    ),
  ];
}
