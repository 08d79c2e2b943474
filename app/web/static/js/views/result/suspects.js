/** The rows whose label the model does not believe, to look at, take out, and train again. */

import { PAGE, api, versionPath, withQuery } from "../../api.js";
import { h, replace } from "../../dom.js";
import { count, number, plural, tiny } from "../../format.js";
import { curl } from "../../curl.js";
import { isMissing, written } from "../../csv/cells.js";
import { command } from "../../parts/command.js";
import { download, renamed } from "../../parts/download.js";
import { say } from "../../parts/status.js";
import { scrolling, sortable } from "../../parts/table.js";
import { openTable, placesOf, sentFor } from "../../session.js";

/** Rows that are fetched, and rows that are drawn; the downloads have all that were fetched. */
const MOST_FETCHED = 20_000;
const MOST_SHOWN = 200;
const MOST_COLUMNS = 12;

const NOTHING_FOUND = {
  center: "None. Every row is nearer to the centre of its own class than to that of another.",
  neighbors: "None. Every label agrees with those around it.",
  none:
    "Nobody looked: this version trusts every label. Train again with “Look for wrong labels” " +
    "(or with a membership, where you choose the parameters) to see them.",
};

const NO_CELLS =
  "Rows are counted from 0, in the order in which they were sent. " +
  "To clean the table here, train it in this page: the service keeps no rows.";

const WISH = { suspected: true, sort: "membership" };
const pathOf = ({ model, version }) => `${versionPath(model, version)}/memberships`;

/** The suspected rows of a version, least trusted first. */
export const fetchSuspects = (info) => api.pages(pathOf(info), WISH, MOST_FETCHED);

/** @param {any} info @param {{items: any[], total: number}} found */
export async function suspectsPanel(info, found) {
  const { model, version } = info;
  const title = h("h2", { id: "suspects-title" }, "Rows that look mislabelled");
  const sent = sentFor(model, version);
  if (found.total === 0) {
    const none = h("p", {}, NOTHING_FOUND[info.params.membership] ?? "None.");
    return h("section", { "aria-labelledby": "suspects-title" }, title, none, sent && alreadyClean(sent));
  }
  const rows = await withCells(found.items, sent);
  const ticked = new Set();
  const summary = h("p", { class: "ticked", "aria-live": "polite" });
  const clean = cleanButton(sent, () => takenOut());
  const again = h("button", { type: "button", onclick: trainAgain }, "Train again without them");

  /** Rows of the table: those ticked here, and those that were taken out before. */
  const takenOut = () => [...sent.removed, ...[...ticked].map((row) => row.place)];
  function update() {
    all.checked = ticked.size === rows.length;
    all.indeterminate = ticked.size > 0 && !all.checked;
    if (!sent) return;
    replace(summary, `${plural(ticked.size, "row")} ticked of ${count(rows.length)}. `, before(sent));
    clean.disabled = takenOut().length === 0;
    again.disabled = ticked.size === 0;
  }
  function saveList() {
    download(suspectsCsv(rows, sent), `${model}-${version}-suspected.csv`);
  }
  function trainAgain() {
    const features = new Set(sent.features);
    openTable(sent.dataset, { target: sent.target, features, name: model, without: new Set(takenOut()) });
    location.hash = "#train";
  }
  function tickAll(checked) {
    ticked.clear();
    if (checked) rows.forEach((row) => ticked.add(row));
    table.redraw();
    update();
  }
  const all = h("input", { type: "checkbox", onchange: () => tickAll(all.checked) });
  const table = sortable(
    "Suspected rows",
    headings(sent, ticked, update),
    rows,
    (sorted) => sorted.slice(0, MOST_SHOWN),
  );
  update();
  return h(
    "section",
    { "aria-labelledby": "suspects-title" },
    title,
    h("p", {}, explanation(info, found.total)),
    sent ? h("label", { class: "choice" }, all, h("span", {}, "Tick all of them")) : null,
    scrolling("Suspected rows", table, rows.length > 12),
    rows.length > MOST_SHOWN ? h("p", { class: "hint" }, shortage(rows.length, found.total)) : null,
    summary,
    h(
      "div",
      { class: "actions" },
      sent ? clean : null,
      sent ? again : null,
      h("button", { type: "button", class: "quiet", onclick: saveList }, "Download this list"),
    ),
    sent
      ? null
      : h("p", { class: "hint" }, NO_CELLS),
    command("suspected rows", curl(withQuery(pathOf(info), { ...WISH, limit: PAGE }))),
  );
}

/** The table of the user without some rows. Rows without a class are not wrong: they stay. */
function cleanButton(sent, takenOut) {
  async function save() {
    const without = takenOut();
    const blob = await sent.dataset.write({ without, guard: true });
    download(blob, renamed(sent.dataset.name, "cleaned"));
    say(`Downloaded without ${plural(without.length, "row")}.`);
  }
  return h("button", { type: "button", class: "primary", onclick: save }, "Download the cleaned CSV");
}

/** What was taken out on the way to this version. */
function before({ removed: { length } }) {
  return length ? `${plural(length, "row")} that you took out before ${length === 1 ? "stays" : "stay"} out.` : "";
}

function alreadyClean(sent) {
  if (sent.removed.length === 0) return null;
  const clean = cleanButton(sent, () => sent.removed);
  return [h("p", {}, before(sent)), h("div", { class: "actions" }, clean)];
}

/** What of the rows is here, and what of that is in sight. */
function shortage(fetched, total) {
  const which = fetched < total ? `the ${count(fetched)} least trusted` : "all";
  return `The first ${MOST_SHOWN} in this order are shown; the downloads have ${which}.`;
}

function explanation(info, total) {
  const share = total / info.n_rows;
  const much =
    share > 0.3 ? " That is a large part: perhaps the features do not tell the classes apart." : "";
  const why = {
    center: "are nearer to the centre of another class than to that of their own",
    neighbors: "have neighbours that mostly carry another label",
  }[info.params.membership] ?? "are not trusted";
  return (
    `${plural(total, "row")} of ${count(info.n_rows)} ${why}. ` +
    `Look at them: the label may be wrong, or the row is rare.${much}`
  );
}

/** The rows with their place in the table, their line in the file, and their cells. */
async function withCells(items, sent) {
  if (!sent) return items; // which line a row was is not known any more
  const chosen = placesOf(sent, items.map((item) => item.row));
  const [lines, cells] = await Promise.all([sent.dataset.lines(chosen), sent.dataset.rows(chosen)]);
  return items.map((item, i) => ({ ...item, place: chosen[i], line: lines[i], cells: cells[i] }));
}

/** NaN for a cell that is missing, which `Number` would take for 0. */
const numberIn = (cell) => (isMissing(cell) ? NaN : Number(cell.replace(",", ".")));

/** By a model that has not seen the row, if there is one: the model itself may have learned the wrong label. */
const answerOf = ({ unseen, predicted }) => unseen ?? predicted;
const looksLike = (row) => (answerOf(row) === row.label ? "–" : String(answerOf(row)));
const trust = ({ membership }) => (membership < 1e-3 ? tiny(membership) : number(membership, 3));

const counted = (name, value) => ({ name, number: true, cell: (row) => count(value(row)), value });

function headings(sent, ticked, update) {
  const found = [
    sent ? counted("Line", (row) => row.line) : counted("Row", (row) => row.row),
    { name: "Label", cell: (row) => String(row.label), value: (row) => String(row.label) },
    { name: "Looks like", cell: looksLike, value: (row) => String(answerOf(row)) },
    { name: "Membership", number: true, cell: trust, value: (row) => row.membership },
  ];
  if (!sent) return found;
  const tick = {
    name: "Take out",
    cell(row) {
      const box = h("input", {
        type: "checkbox", checked: ticked.has(row), "aria-label": `Take out line ${row.line}`,
        onchange() {
          if (box.checked) ticked.add(row);
          else ticked.delete(row);
          update();
        },
      });
      return box;
    },
  };
  const cells = (column) => {
    const { name, kind } = sent.dataset.about.columns[column];
    const isNumber = kind === "number";
    const value = (row) => (isNumber ? numberIn(row.cells[column]) : row.cells[column]);
    return { name, number: isNumber, cell: (row) => row.cells[column], value };
  };
  return [
    tick,
    ...found,
    ...sent.features.slice(0, MOST_COLUMNS).map(cells),
    ...unusedOf(sent)
      .slice(0, MOST_COLUMNS)
      .map(cells)
      .map((heading) => ({ ...heading, name: `${heading.name} (not used)` })),
  ];
}

/** Columns that are neither feature nor target: a name among them tells a person which row it is. */
function unusedOf({ dataset, features, target }) {
  const used = new Set([...features, target]);
  return dataset.about.columns.map((_, i) => i).filter((i) => !used.has(i));
}

/** The list as a CSV, with the cells if the table is here. `row` counts from 0, as the service does. */
function suspectsCsv(rows, sent) {
  const columns = sent ? [...sent.features, ...unusedOf(sent)] : [];
  const names = columns.map((i) => sent.dataset.about.columns[i].name);
  const lines = [
    ["row", ...(sent ? ["line"] : []), "label", "looks_like", "membership", ...names],
    ...rows.map((row) => [
      row.row,
      ...(sent ? [row.line] : []),
      row.label,
      answerOf(row),
      row.membership,
      ...columns.map((i) => row.cells[i]),
    ]),
  ];
  const text = lines.map((line) => `${line.map((cell) => written(String(cell), true)).join(",")}\n`);
  return new Blob(text, { type: "text/csv" });
}
