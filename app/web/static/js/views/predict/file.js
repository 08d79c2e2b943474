/** A table in, the same table with labels and scores out. */

import { api, withQuery } from "../../api.js";
import { field, h, replace } from "../../dom.js";
import { count, plural } from "../../format.js";
import { curl } from "../../curl.js";
import { Dataset } from "../../csv/dataset.js";
import { freshName } from "../../csv/names.js";
import { command } from "../../parts/command.js";
import { download, renamed } from "../../parts/download.js";
import { failure, raggedRows } from "../../parts/notice.js";
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
      await load(dataset, file, info.feature_names ?? []);
      const extra = await predictAll(info, dataset, (share) => (bar.value = share), abort.signal);
      const blob = await dataset.write({ guard: true, extra });
      const name = renamed(file.name, "predicted");
      replace(
        report,
        h("p", {}, `${plural(dataset.about.nRows, "row")} predicted. `, tally(extra.rows)),
        dataset.about.ragged.count ? h("p", { class: "hint" }, raggedRows(dataset.about.ragged)) : null,
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
    command("predict a table", curlOf(info)),
    h("p", { class: "hint" }, "The line sends a file, here rows.csv, with the columns of the model and no others."),
  );
}

/** Where the first line has a name of the model in it, it holds names, whatever the guess. */
async function load(dataset, file, names) {
  await dataset.load(file);
  const { hasHeader, preview } = dataset.about;
  const isNamed = preview[0].some((cell) => names.includes(cell.trim()));
  if (!hasHeader && isNamed) await dataset.load(file, { hasHeader: true });
}

function curlOf({ model, version }) {
  const headers = ["content-type: text/csv", "accept: text/csv"];
  return curl(withQuery("predict", { model, version }), { file: "rows.csv", headers });
}

/** The columns of the model by the names that they have in the table. */
const wantedOf = (info, dataset) =>
  info.columns.map(({ name, kind }, i) => ({ name: name ?? dataset.about.columns[i]?.name, kind }));

function needed(info) {
  if (!info.feature_names) return `The first ${info.n_features} columns are taken as its features.`;
  const some = info.feature_names.slice(0, MOST_NAMES).join(", ");
  const rest = info.feature_names.length - MOST_NAMES;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `It needs: ${some}${more}. Other columns are kept as they are.`;
}

/** Labels, scores and probabilities of every row, as further columns. */
async function predictAll(info, dataset, onProgress, signal) {
  const wanted = wantedOf(info, dataset);
  const there = new Set(dataset.about.columns.map((column) => column.name));
  const missing = wanted.filter(({ name }) => !there.has(name)).map(({ name }) => name);
  if (missing.length) {
    const what = info.feature_names ? missing.slice(0, 5).join(", ") : `${info.n_features} columns`;
    throw new Error(`the table lacks ${what}`);
  }
  const step = Math.max(1, Math.floor(CALL_CELLS / wanted.length));
  const classes = info.classes.map(String);
  let columns = null;
  const rows = [];
  for (let from = 0; from < dataset.about.nRows; from += step) {
    const X = await dataset.values(wanted, from, from + step);
    const asked = { model: info.model, version: info.version, X };
    const found = await api.predict(asked, signal).catch((error) => inFile(error, from, dataset, wanted));
    columns ??= [
      "predicted",
      ...(Array.isArray(found.scores[0]) ? classes.map((label) => `score_${label}`) : ["score"]),
      ...(found.probabilities ? classes.map((label) => `probability_${label}`) : []),
    ].map((name) => freshName(name, there)); // a table may have been predicted before
    found.labels.forEach((label, i) => {
      rows.push([label, ...[found.scores[i]].flat(), ...(found.probabilities?.[i] ?? [])].map(String));
    });
    onProgress(Math.min(1, (from + step) / dataset.about.nRows));
  }
  return { names: columns, rows };
}

/** The same problem, with lines and columns of the file in place of those of the call. */
async function inFile(error, from, dataset, wanted) {
  const flaws = (error.errors ?? []).filter((flaw) => flaw.row !== undefined);
  if (flaws.length === 0) throw error;
  const lines = await dataset.lines(flaws.map((flaw) => from + flaw.row));
  const [first, ...others] = flaws.map(({ column, detail }, i) =>
    [`line ${lines[i]}`, wanted[column]?.name, detail].filter((part) => part !== undefined).join(": "),
  );
  const found = new Error(first);
  found.title = error.title;
  // The first one is said above the list.
  found.errors = [{ detail: first }, ...others.map((detail) => ({ detail }))];
  throw found;
}

function tally(rows) {
  const counts = new Map();
  for (const [label] of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].slice(0, 8).map(([label, n]) => `${label}: ${count(n)}`).join(", ");
}
