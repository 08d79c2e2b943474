/** Comparison of two versions. */

import { api, versionPath } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { count, dateTime, number, percent } from "../../format.js";
import { curl } from "../../curl.js";
import { curlCommand } from "../../parts/curl-command.js";
import { errorNotice } from "../../parts/notice.js";
import { numeric, plainTable, scrollable } from "../../parts/table.js";
import { confusionTable } from "./measures.js";

export async function comparisonPanel(info) {
  const { versions } = await api.model(info.model);
  const others = versions.filter(({ version }) => version !== info.version);
  if (others.length === 0) return null;
  const before = others.find(({ version }) => version < info.version) ?? others[0];
  const place = h("div");
  const line = curlCommand("get the other version", "");
  const other = select(
    others.map(({ version, created_at: at }) => [version, `Version ${version}, ${dateTime(at)}`]),
    before.version,
    { onchange: () => draw() },
  );
  async function draw() {
    line.show(curl(versionPath(info.model, Number(other.value))));
    try {
      const found = await api.version(info.model, Number(other.value));
      replace(place, table(found, info), matrices(found, info));
    } catch (error) {
      replace(place, errorNotice(error));
    }
  }
  await draw();
  return h(
    "section",
    { "aria-labelledby": "compare-title" },
    h("h2", { id: "compare-title" }, "Comparison with another version"),
    field("Compare with", other),
    place,
    line,
  );
}

const suspectedCount = ({ params, memberships }) =>
  params.membership === "none" ? null : memberships.n_suspected;

const MEASURES = [
  ["Validation accuracy", (info) => info.validation?.accuracy, percent],
  ["Balanced accuracy", (info) => info.validation?.balanced_accuracy, percent],
  ["F1", (info) => info.validation?.f1, percent],
  ["Training accuracy", (info) => info.training_accuracy, percent],
  ["Rows", (info) => info.n_rows, count],
  ["Features", (info) => info.n_features, count],
  ["Suspected rows", suspectedCount, count],
  ["Median membership", (info) => info.memberships.median, (value) => number(value, 3)],
  ["Fit time (s)", (info) => info.timings.fit_seconds, (value) => number(value, 3)],
];

function table(a, b) {
  const rows = [...MEASURES, ...parametersThatDiffer(a, b)].map(([name, read, format]) => [
    name,
    formatOrDash(read(a), format),
    formatOrDash(read(b), format),
    difference(read(a), read(b), format),
  ]);
  const [first, ...others] = ["Measure", `Version ${a.version}`, `Version ${b.version}`, "Change"];
  const caption = `Versions ${a.version} and ${b.version} of ${b.model}`;
  return scrollable("Comparison", plainTable(caption, [first, ...others.map(numeric)], rows));
}

const toText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function parametersThatDiffer(a, b) {
  const text = (value) => (typeof value === "number" ? number(value) : toText(value));
  return Object.keys({ ...a.params, ...b.params })
    .filter((name) => JSON.stringify(a.params[name]) !== JSON.stringify(b.params[name]))
    .map((name) => [name, (info) => info.params[name], text]);
}

const formatOrDash = (value, format) => (value === undefined || value === null ? "–" : format(value));

function difference(was, is, format) {
  if (typeof was !== "number" || typeof is !== "number" || was === is) return "";
  const size = Math.abs(is - was);
  const text = format === percent ? `${number(100 * size, 2)} points` : format(size);
  return `${is > was ? "+" : "−"}${text}`;
}

function matrices(a, b) {
  if (!a.validation || !b.validation) return null;
  const side = ({ version, classes, validation }) =>
    h("div", {}, h("h3", {}, `Version ${version}`), confusionTable(classes, validation.confusion_matrix));
  return h("div", { class: "split" }, side(a), side(b));
}
