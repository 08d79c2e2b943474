/** A table in, the same table with labels and scores out. */

import { api } from "../../api.js";
import { field, h, replace } from "../../dom.js";
import { count, plural } from "../../format.js";
import { Dataset } from "../../csv/dataset.js";
import { download, renamed } from "../../parts/download.js";
import { failure } from "../../parts/notice.js";
import { say } from "../../parts/status.js";

/** Cells of one call. */
const CALL_CELLS = 100_000;
/** Columns that are named before the rest is counted. */
const MOST_NAMES = 8;

export function filePanel(info) {
  const report = h("div", { class: "answer" });
  const input = h("input", {
    type: "file", id: "predict-file", accept: ".csv,.tsv,.txt,text/csv",
    onchange: () => input.files.length && run(input.files[0]),
  });

  async function run(file) {
    const abort = new AbortController();
    const bar = h("progress", { max: "1", value: 0, "aria-label": "Predicting" });
    replace(report, bar, h("button", { type: "button", onclick: () => abort.abort() }, "Stop"));
    const dataset = new Dataset(file.name);
    try {
      await dataset.load(file);
      const extra = await predictAll(info, dataset, (share) => (bar.value = share), abort.signal);
      const blob = await dataset.write({ guard: true, extra });
      const name = renamed(file.name, "predicted");
      replace(
        report,
        h("p", {}, `${plural(dataset.about.nRows, "row")} predicted. `, tally(extra.rows)),
        h(
          "button",
          { type: "button", class: "primary", onclick: () => download(blob, name) },
          `Download ${name}`,
        ),
      );
      say("The predictions are ready.");
    } catch (error) {
      replace(report, error.name === "AbortError" ? h("p", {}, "Stopped.") : failure(error));
    } finally {
      dataset.close();
      input.value = "";
    }
  }

  return h(
    "section",
    { "aria-labelledby": "file-title" },
    h("h2", { id: "file-title" }, "A table"),
    field("CSV with the columns of the model", input, needed(info)),
    report,
  );
}

const namesOf = (info, dataset) =>
  info.feature_names ?? dataset.about.columns.slice(0, info.n_features).map((column) => column.name);

function needed(info) {
  if (!info.feature_names) return `The first ${info.n_features} columns are taken as its features.`;
  const some = info.feature_names.slice(0, MOST_NAMES).join(", ");
  const rest = info.feature_names.length - MOST_NAMES;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `It needs: ${some}${more}. Other columns are kept as they are.`;
}

/** Labels, scores and probabilities of every row, as further columns. */
async function predictAll(info, dataset, onProgress, signal) {
  const names = namesOf(info, dataset);
  const there = new Set(dataset.about.columns.map((column) => column.name));
  const missing = names.filter((name) => !there.has(name));
  if (missing.length || names.length < info.n_features) {
    const what = missing.length ? missing.slice(0, 5).join(", ") : `${info.n_features} columns`;
    throw new Error(`the table lacks ${what}`);
  }
  const step = Math.max(1, Math.floor(CALL_CELLS / names.length));
  const classes = info.classes.map(String);
  let columns = null;
  const rows = [];
  for (let from = 0; from < dataset.about.nRows; from += step) {
    const X = await dataset.values(names, from, from + step);
    const found = await api.predict({ model: info.model, version: info.version, X }, signal);
    columns ??= [
      "predicted",
      ...(Array.isArray(found.scores[0]) ? classes.map((label) => `score_${label}`) : ["score"]),
      ...(found.probabilities ? classes.map((label) => `probability_${label}`) : []),
    ];
    found.labels.forEach((label, i) => {
      rows.push([label, ...[found.scores[i]].flat(), ...(found.probabilities?.[i] ?? [])].map(String));
    });
    onProgress(Math.min(1, (from + step) / dataset.about.nRows));
  }
  return { names: columns, rows };
}

function tally(rows) {
  const counts = new Map();
  for (const [label] of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].slice(0, 8).map(([label, n]) => `${label}: ${count(n)}`).join(", ");
}
