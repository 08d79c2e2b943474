/** Predictions for a CSV file, returned as the same file with additional columns. */

import { api, withQuery } from "../../api.js";
import { field, h, replace } from "../../dom.js";
import { count, plural } from "../../format.js";
import { curl } from "../../curl.js";
import { Dataset } from "../../csv/dataset.js";
import { uniqueName } from "../../csv/names.js";
import { curlCommand } from "../../parts/curl-command.js";
import { download, nameWithSuffix } from "../../parts/download.js";
import { errorNotice, raggedRowsNote } from "../../parts/notice.js";
import { announce } from "../../parts/status.js";

/** Cells sent per request. */
const CELLS_PER_REQUEST = 100_000;
/** Column names listed in the hint. */
const MAX_LISTED_NAMES = 8;

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
      await load(dataset, file, info.feature_names ?? []);
      const extra = await predictAll(info, dataset, (share) => (bar.value = share), abort.signal);
      const blob = await dataset.write({ escapeFormulas: true, extra });
      const name = nameWithSuffix(file.name, "predicted");
      replace(
        report,
        h("p", {}, `${plural(dataset.about.nRows, "row")} predicted. `, classCounts(extra.rows)),
        dataset.about.ragged.count ? h("p", { class: "hint" }, raggedRowsNote(dataset.about.ragged)) : null,
        h(
          "button",
          { type: "button", class: "primary", onclick: () => download(blob, name) },
          `Download ${name}`,
        ),
      );
      announce("The predictions are ready to download.");
    } catch (error) {
      replace(report, error.name === "AbortError" ? h("p", {}, "Stopped. No file was created.") : errorNotice(error));
    } finally {
      dataset.close();
      input.value = "";
    }
  }

  return h(
    "section",
    { "aria-labelledby": "file-title" },
    h("h2", { id: "file-title" }, "Predict a CSV file"),
    field("CSV file with the columns of the model", input, requiredColumnsHint(info)),
    report,
    curlCommand("predict a CSV file", predictCommand(info)),
    h("p", { class: "hint" }, "The command sends rows.csv, a file with the columns of the model and no others."),
  );
}

/** A first line that contains a feature name of the model is a header, whatever was guessed. */
async function load(dataset, file, names) {
  await dataset.load(file);
  const { hasHeader, preview } = dataset.about;
  const isNamed = preview[0].some((cell) => names.includes(cell.trim()));
  if (!hasHeader && isNamed) await dataset.load(file, { hasHeader: true });
}

function predictCommand({ model, version }) {
  const headers = ["content-type: text/csv", "accept: text/csv"];
  return curl(withQuery("predict", { model, version }), { file: "rows.csv", headers });
}

/** The columns of the model, by their names in the table. */
const modelColumns = (info, dataset) =>
  info.columns.map(({ name, kind }, i) => ({ name: name ?? dataset.about.columns[i]?.name, kind }));

function requiredColumnsHint(info) {
  if (!info.feature_names) return `The first ${info.n_features} columns are used as features.`;
  const some = info.feature_names.slice(0, MAX_LISTED_NAMES).join(", ");
  const rest = info.feature_names.length - MAX_LISTED_NAMES;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `Required columns: ${some}${more}. Other columns are copied unchanged.`;
}

/** Labels, scores and probabilities of all rows, as additional columns. */
async function predictAll(info, dataset, onProgress, signal) {
  const wanted = modelColumns(info, dataset);
  const present = new Set(dataset.about.columns.map((column) => column.name));
  const missing = wanted.filter(({ name }) => !present.has(name)).map(({ name }) => name);
  if (missing.length) {
    const needed = `the model needs ${plural(info.n_features, "column")}`;
    const what = info.feature_names ? missing.slice(0, 5).join(", ") : needed;
    throw new Error(`Missing columns: ${what}. Add them to the file and choose it again.`);
  }
  const step = Math.max(1, Math.floor(CELLS_PER_REQUEST / wanted.length));
  const classes = info.classes.map(String);
  let columns = null;
  const rows = [];
  for (let from = 0; from < dataset.about.nRows; from += step) {
    const X = await dataset.values(wanted, from, from + step);
    const body = { model: info.model, version: info.version, X };
    const found = await api.predict(body, signal).catch((error) => rethrowWithFileLines(error, from, dataset, wanted));
    columns ??= [
      "predicted",
      ...(Array.isArray(found.scores[0]) ? classes.map((label) => `score_${label}`) : ["score"]),
      ...(found.probabilities ? classes.map((label) => `probability_${label}`) : []),
    ].map((name) => uniqueName(name, present)); // the table may already contain columns with predictions
    found.labels.forEach((label, i) => {
      rows.push([label, ...[found.scores[i]].flat(), ...(found.probabilities?.[i] ?? [])].map(String));
    });
    onProgress(Math.min(1, (from + step) / dataset.about.nRows));
  }
  return { names: columns, rows };
}

/**
 * Rethrow a problem with line numbers and column names of the file instead of indices of the
 * request.
 */
async function rethrowWithFileLines(error, from, dataset, wanted) {
  const faults = (error.errors ?? []).filter((fault) => fault.row !== undefined);
  if (faults.length === 0) throw error;
  const lines = await dataset.lines(faults.map((fault) => from + fault.row));
  const [first, ...others] = faults.map(({ column, detail }, i) =>
    [`line ${lines[i]}`, wanted[column]?.name, detail].filter((part) => part !== undefined).join(": "),
  );
  const found = new Error(first);
  found.title = error.title;
  // The first is also the message, which is shown above the list.
  found.errors = [{ detail: first }, ...others.map((detail) => ({ detail }))];
  throw found;
}

function classCounts(rows) {
  const counts = new Map();
  for (const [label] of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].slice(0, 8).map(([label, n]) => `${label}: ${count(n)}`).join(", ");
}
