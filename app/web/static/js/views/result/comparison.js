/** Two versions side by side. */

import { api } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { count, moment, number, percent } from "../../format.js";
import { failure } from "../../parts/notice.js";
import { scrolling } from "../../parts/table.js";
import { confusionTable } from "./measures.js";

export async function comparisonPanel(info) {
  const { versions } = await api.model(info.model);
  const others = versions.filter(({ version }) => version !== info.version);
  if (others.length === 0) return null;
  const before = others.find(({ version }) => version < info.version) ?? others[0];
  const place = h("div");
  const other = select(
    others.map(({ version, created_at: at }) => [version, `version ${version}, ${moment(at)}`]),
    before.version,
    { onchange: () => draw() },
  );
  async function draw() {
    try {
      const found = await api.version(info.model, Number(other.value));
      replace(place, table(found, info), matrices(found, info));
    } catch (error) {
      replace(place, failure(error));
    }
  }
  await draw();
  return h("section", { "aria-labelledby": "compare-title" }, h("h2", { id: "compare-title" }, "Beside another version"),
    field("Compare with", other), place);
}

const MEASURES = [
  ["Accuracy on unseen rows", (info) => info.validation?.accuracy, percent],
  ["Balanced accuracy", (info) => info.validation?.balanced_accuracy, percent],
  ["F1", (info) => info.validation?.f1, percent],
  ["Accuracy on its own rows", (info) => info.training_accuracy, percent],
  ["Rows", (info) => info.n_rows, count],
  ["Features", (info) => info.n_features, count],
  ["Suspected rows", (info) => info.memberships.n_suspected, count],
  ["Median membership", (info) => info.memberships.median, (value) => number(value, 3)],
  ["Seconds to fit", (info) => info.timings.fit_seconds, (value) => number(value, 3)],
];

function table(a, b) {
  const params = [...new Set([...Object.keys(a.params), ...Object.keys(b.params)])]
    .filter((name) => JSON.stringify(a.params[name]) !== JSON.stringify(b.params[name]))
    .map((name) => [name, (info) => info.params[name], (value) => (typeof value === "number" ? number(value) : JSON.stringify(value))]);
  const shown = (read, format, info) => {
    const value = read(info);
    return value === undefined || value === null ? "–" : format(value);
  };
  const difference = (read, format) => {
    const [was, is] = [read(a), read(b)];
    if (typeof was !== "number" || typeof is !== "number" || was === is) return "";
    const change = is - was;
    return `${change > 0 ? "+" : "−"}${format === percent ? `${number(100 * Math.abs(change), 2)} points` : format(Math.abs(change))}`;
  };
  const row = ([name, read, format]) =>
    h("tr", {}, h("th", { scope: "row" }, name),
      h("td", { class: "number" }, shown(read, format, a)),
      h("td", { class: "number" }, shown(read, format, b)),
      h("td", { class: "number" }, difference(read, format)));
  return scrolling("Comparison", h("table", { class: "comparison" },
    h("caption", { class: "unseen" }, `Versions ${a.version} and ${b.version} of ${b.model}`),
    h("thead", {}, h("tr", {}, h("td", {}), [`version ${a.version}`, `version ${b.version}`, "change"].map((name) => h("th", { scope: "col", class: "number" }, name)))),
    h("tbody", {}, MEASURES.map(row), params.map(row))));
}

function matrices(a, b) {
  if (!a.validation || !b.validation) return null;
  return h("div", { class: "split" }, [a, b].map((info) =>
    h("div", {}, h("h3", {}, `version ${info.version}`), confusionTable(info.classes, info.validation.confusion_matrix))));
}
