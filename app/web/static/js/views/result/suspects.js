/** Rows whose label looks wrong: inspect them, remove them, train again. */

import { PAGE_SIZE, api, versionPath, withQuery } from "../../api.js";
import { h, replace } from "../../dom.js";
import { count, number, plural, scientific } from "../../format.js";
import { curl } from "../../curl.js";
import { isMissing, toCsvCell } from "../../csv/cells.js";
import { curlCommand } from "../../parts/curl-command.js";
import { download, nameWithSuffix } from "../../parts/download.js";
import { announce } from "../../parts/status.js";
import { scrollable, sortableTable } from "../../parts/table.js";
import { openTable, toTableRows, trainingDataOf } from "../../session.js";

/** Limits on the rows fetched and on the rows shown. Downloads contain all rows fetched. */
const MAX_FETCHED = 20_000;
const MAX_SHOWN = 200;
const MAX_COLUMNS = 12;

const NOTHING_FOUND = {
  center: "None. Every row is closer to the center of its own class than to the center of any other class.",
  neighbors: "None. At least half of the nearest neighbors of every row have the same label.",
  none:
    "Not checked: this version was trained without memberships. To find wrong labels, train again with " +
    "“Detect wrong labels” or, if you set the parameters manually, with a membership.",
};

const NO_TABLE =
  "Rows are counted from 0, in the order in which they were sent. Their cells are not available, " +
  "because the service does not store training rows. To inspect and remove rows here, open the table and " +
  "train again.";

const QUERY = { suspected: true, sort: "membership" };
const membershipsPath = ({ model, version }) => `${versionPath(model, version)}/memberships`;

/** Suspected rows of a version, smallest membership first. */
export const fetchSuspects = (info) => api.fetchAll(membershipsPath(info), QUERY, MAX_FETCHED);

/** @param {any} info @param {{items: any[], total: number}} found */
export async function suspectsPanel(info, found) {
  const { model, version } = info;
  const title = h("h2", { id: "suspects-title" }, "Suspected wrong labels");
  const data = trainingDataOf(model, version);
  if (found.total === 0) {
    const none = h("p", {}, NOTHING_FOUND[info.params.membership] ?? "None.");
    return h("section", { "aria-labelledby": "suspects-title" }, title, none, data && cleanDownload(data));
  }
  const rows = await withTableCells(found.items, data);
  const selected = new Set();
  const summary = h("p", { class: "selected", "aria-live": "polite" });
  const cleanDownloadButton = cleanButton(data, () => removedRows());
  const again = h("button", { type: "button", onclick: trainAgain }, "Train again without these rows");

  /** Rows of the table that were selected here or removed before. */
  const removedRows = () => [...data.removedByUser, ...[...selected].map((row) => row.place)];
  function update() {
    all.checked = selected.size === rows.length;
    all.indeterminate = selected.size > 0 && !all.checked;
    if (!data) return;
    replace(summary, `${plural(selected.size, "row")} selected of ${count(rows.length)}. `, removedEarlierText(data));
    cleanDownloadButton.disabled = removedRows().length === 0;
    again.disabled = selected.size === 0;
  }
  function saveList() {
    download(suspectsCsv(rows, data), `${model}-${version}-suspected.csv`);
  }
  function trainAgain() {
    const features = new Set(data.features);
    openTable(data.dataset, { target: data.target, features, name: model, excludedRows: new Set(removedRows()) });
    location.hash = "#train";
  }
  function selectAll(checked) {
    selected.clear();
    if (checked) rows.forEach((row) => selected.add(row));
    table.redraw();
    update();
  }
  const all = h("input", { type: "checkbox", onchange: () => selectAll(all.checked) });
  const table = sortableTable(
    "Suspected rows",
    headings(data, selected, update),
    rows,
    (sorted) => sorted.slice(0, MAX_SHOWN),
  );
  update();
  return h(
    "section",
    { "aria-labelledby": "suspects-title" },
    title,
    h("p", {}, explanation(info, found.total)),
    data ? h("label", { class: "choice" }, all, h("span", {}, "Select all")) : null,
    scrollable("Suspected rows", table, rows.length > 12),
    rows.length > MAX_SHOWN ? h("p", { class: "hint" }, truncationText(rows.length, found.total)) : null,
    summary,
    h(
      "div",
      { class: "actions" },
      data ? cleanDownloadButton : null,
      data ? again : null,
      h("button", { type: "button", class: "quiet", onclick: saveList }, "Download this list"),
    ),
    data
      ? null
      : h("p", { class: "hint" }, NO_TABLE),
    curlCommand("list the suspected rows", curl(withQuery(membershipsPath(info), { ...QUERY, limit: PAGE_SIZE }))),
  );
}

/**
 * Button that downloads the user's table without the removed rows. Rows without a class are kept:
 * they are not wrong.
 */
function cleanButton(data, removedRows) {
  async function save() {
    const excludedRows = removedRows();
    const blob = await data.dataset.write({ excludedRows, escapeFormulas: true });
    download(blob, nameWithSuffix(data.dataset.name, "cleaned"));
    announce(`Downloaded the table without ${plural(excludedRows.length, "row")}.`);
  }
  return h("button", { type: "button", class: "primary", onclick: save }, "Download the cleaned CSV");
}

/** Note on the rows removed before this version. */
function removedEarlierText({ removedByUser: { length } }) {
  return length
    ? `${plural(length, "row")} that you removed earlier ${length === 1 ? "remains" : "remain"} excluded.`
    : "";
}

function cleanDownload(data) {
  if (data.removedByUser.length === 0) return null;
  const cleanDownloadButton = cleanButton(data, () => data.removedByUser);
  return [h("p", {}, removedEarlierText(data)), h("div", { class: "actions" }, cleanDownloadButton)];
}

/** Note on rows that are not shown or not fetched. */
function truncationText(fetched, total) {
  const which = fetched < total ? `the ${count(fetched)} rows with the smallest memberships` : "all rows";
  return `The first ${MAX_SHOWN} rows in this order are shown. The downloads contain ${which}.`;
}

function explanation(info, total) {
  const share = total / info.n_rows;
  const much =
    share > 0.3 ? " This is a large share: the features may not separate the classes." : "";
  const why = {
    center: "the row is closer to the center of another class than to the center of its own",
    neighbors: "most neighbors have a different label",
  }[info.params.membership] ?? "the membership is small";
  return (
    `Suspected: ${plural(total, "row")} of ${count(info.n_rows)}. Reason: ${why}. ` +
    `Check each one: either the label is wrong, or the row is unusual.${much}`
  );
}

/** Add the row of the table, the line of the file and the cells to each suspected row. */
async function withTableCells(items, data) {
  if (!data) return items; // the table is closed, so line numbers are unknown
  const chosen = toTableRows(data, items.map((item) => item.row));
  const [lines, cells] = await Promise.all([data.dataset.lines(chosen), data.dataset.rows(chosen)]);
  return items.map((item, i) => ({ ...item, place: chosen[i], line: lines[i], cells: cells[i] }));
}

/** NaN for a missing cell, because `Number` would return 0. */
const numberIn = (cell) => (isMissing(cell) ? NaN : Number(cell.replace(",", ".")));

/**
 * The label predicted out of fold, where available: a model trained on a wrong label may reproduce
 * it.
 */
const suggestedLabel = ({ unseen, predicted }) => unseen ?? predicted;
const looksLike = (row) => (suggestedLabel(row) === row.label ? "–" : String(suggestedLabel(row)));
const membershipText = ({ membership }) => (membership < 1e-3 ? scientific(membership) : number(membership, 3));

const countHeading = (name, value) => ({ name, number: true, cell: (row) => count(value(row)), value });

function headings(data, selected, update) {
  const found = [
    data ? countHeading("Line", (row) => row.line) : countHeading("Row", (row) => row.row),
    { name: "Label", cell: (row) => String(row.label), value: (row) => String(row.label) },
    { name: "Looks like", cell: looksLike, value: (row) => String(suggestedLabel(row)) },
    { name: "Membership", number: true, cell: membershipText, value: (row) => row.membership },
  ];
  if (!data) return found;
  const checkbox = {
    name: "Remove",
    cell(row) {
      const box = h("input", {
        type: "checkbox", checked: selected.has(row), "aria-label": `Remove line ${row.line}`,
        onchange() {
          if (box.checked) selected.add(row);
          else selected.delete(row);
          update();
        },
      });
      return box;
    },
  };
  const cells = (column) => {
    const { name, kind } = data.dataset.about.columns[column];
    const isNumber = kind === "number";
    const value = (row) => (isNumber ? numberIn(row.cells[column]) : row.cells[column]);
    return { name, number: isNumber, cell: (row) => row.cells[column], value };
  };
  return [
    checkbox,
    ...found,
    ...data.features.slice(0, MAX_COLUMNS).map(cells),
    ...unusedColumns(data)
      .slice(0, MAX_COLUMNS)
      .map(cells)
      .map((heading) => ({ ...heading, name: `${heading.name} (not used)` })),
  ];
}

/**
 * Columns that are neither feature nor target. A name or id among them helps to recognize a row.
 */
function unusedColumns({ dataset, features, target }) {
  const used = new Set([...features, target]);
  return dataset.about.columns.map((_, i) => i).filter((i) => !used.has(i));
}

/** The list as CSV, with the cells if the table is open. `row` counts from 0, as in the service. */
function suspectsCsv(rows, data) {
  const columns = data ? [...data.features, ...unusedColumns(data)] : [];
  const names = columns.map((i) => data.dataset.about.columns[i].name);
  const lines = [
    ["row", ...(data ? ["line"] : []), "label", "looks_like", "membership", ...names],
    ...rows.map((row) => [
      row.row,
      ...(data ? [row.line] : []),
      row.label,
      suggestedLabel(row),
      row.membership,
      ...columns.map((i) => row.cells[i]),
    ]),
  ];
  const text = lines.map((line) => `${line.map((cell) => toCsvCell(String(cell), true)).join(",")}\n`);
  return new Blob(text, { type: "text/csv" });
}
