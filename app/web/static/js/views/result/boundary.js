/** Decision boundary and planes over two features that the user selects. */

import { api } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { count, formatterForRange, plural } from "../../format.js";
import { classMargins, pairwiseMargins } from "../../margins.js";
import { errorNotice } from "../../parts/notice.js";
import { planeValues } from "../../planes.js";
import { boundaryPlot } from "../../plots/boundary.js";
import { legend } from "../../plots/axes.js";
import { toSentRow, toTableRows, trainingDataOf } from "../../session.js";

const SIZE = 61;
const MAX_POINTS = 1500;
const MAX_LANDMARKS = 3000;
/** Planes of several pairs would hide each other. */
const NO_PAIR = "none";
const TOO_MANY_LANDMARKS =
  `The planes are not drawn: they depend on more than ${count(MAX_LANDMARKS)} landmark rows, too many for this page.`;
const TOO_OLD =
  "No plot: an older release trained this version and did not store the ranges of its columns. " +
  "Train it again to see the plot.";

/** @param {any} info @param {Set<number>} suspected row numbers of the service */
export async function boundaryPanel(info, suspected) {
  const names = info.columns.map((column, i) => column.name ?? `x${i}`);
  const numeric = names.map((name, i) => [i, name]).filter(([i]) => info.columns[i].kind === "number");
  const title = h("h2", { id: "boundary-title" }, "Decision boundary");
  const isKnown = numeric.every(([i]) => info.columns[i].range);
  if (numeric.length < 2 || !isKnown) {
    const none = h("p", {}, isKnown ? "No plot: it needs at least two number columns." : TOO_OLD);
    return h("section", { "aria-labelledby": "boundary-title" }, title, none);
  }
  const place = h("div", { class: "picture", "aria-busy": "true" }, h("p", { class: "hint" }, "Drawing …"));
  const redraw = () => draw().catch((error) => replace(place, errorNotice(error)));
  const [first, second] = await defaultFeatures(info, numeric.map(([i]) => i));
  const horizontal = select(numeric, first, { onchange: () => choose(horizontal, vertical) });
  const vertical = select(numeric, second, { onchange: () => choose(vertical, horizontal) });
  const pairs = planeChoices(info);
  const pair = select(pairs, pairs[0][0], { onchange: redraw });
  const loadBoundaryData = boundaryDataLoader(info, names, suspected);
  let latest = 0;
  let shown = [horizontal.value, vertical.value];

  /**
   * The axes must show different features: if the user selects the feature of the other axis, the
   * two axes swap their features.
   */
  function choose(changed, other) {
    if (changed.value === other.value) other.value = shown.find((feature) => feature !== changed.value);
    shown = [horizontal.value, vertical.value];
    redraw();
  }
  async function draw() {
    const drawing = (latest += 1);
    place.setAttribute("aria-busy", "true");
    const picture = await loadBoundaryData(Number(horizontal.value), Number(vertical.value), pair.value);
    if (drawing !== latest) return;
    const lines = [["boundary", "decision boundary"]];
    if (picture.planes.some(crossesView)) lines.push(["plane", "planes, in the color of their class"]);
    else if (picture.planes.length) lines.push(["plane", "planes (none crosses this area)"]);
    if (picture.points.some((point) => point.suspected)) lines.push(["ring", "suspected rows"]);
    const remarks = picture.remarks.map((text) => h("p", { class: "hint" }, text));
    replace(place, boundaryPlot(picture), legend(info.classes, lines), remarks);
    place.removeAttribute("aria-busy");
  }
  redraw();
  return h(
    "section",
    { "aria-labelledby": "boundary-title" },
    title,
    h(
      "div",
      { class: "row" },
      field("Horizontal axis", horizontal),
      field("Vertical axis", vertical),
      pairs.length > 1 ? field("Planes", pair) : null,
    ),
    place,
  );
}

/**
 * The two features that separate the classes best if the table is open, otherwise the first two.
 */
async function defaultFeatures({ model, version }, features) {
  const data = trainingDataOf(model, version);
  if (!data) return features.slice(0, 2);
  const ranked = (await data.dataset.rankFeatures(data.target)).map((column) => data.features.indexOf(column));
  const best = new Set([...ranked.filter((feature) => features.includes(feature)), ...features]);
  return [...best].slice(0, 2).sort((a, b) => a - b);
}

/** Whether the plane (f = 0) crosses the area shown. */
const crossesView = ({ values }) => values.some((value) => value > 0) && values.some((value) => value <= 0);

/** Groups of planes that can be shown together. The first one is the default. */
function planeChoices({ classes, certificate }) {
  if (classes.length === 2) return [["all", "both classes"]];
  const found = [[NO_PAIR, "none"]];
  if (certificate.planes.some((plane) => plane.other_class === null)) {
    return [...found, ["all", "all classes"]];
  }
  classes.forEach((one, a) =>
    classes.slice(a + 1).forEach((two, k) => found.push([`${a}-${a + 1 + k}`, `${one} and ${two}`])),
  );
  return found;
}

/**
 * Fetch the data that all plots of this version share, and return a function that loads one plot.
 */
function boundaryDataLoader(info, names, suspected) {
  const { model, version } = info;
  const data = trainingDataOf(model, version);
  const planes = api.planes(model, version, MAX_LANDMARKS);
  const code = (label) => info.classes.indexOf(label);
  const nClasses = info.classes.length;
  const pairsVote = nClasses > 2 && info.certificate.planes.every((plane) => plane.other_class !== null);
  const typical = info.columns.map((column) => column.typical ?? null);

  return async (horizontal, vertical, pair) => {
    const points = data ? await trainingPoints(info, data, horizontal, vertical, suspected) : [];
    const ranges = points.length
      ? [rangeOf(points, "x"), rangeOf(points, "y")].map(padded)
      : [info.columns[horizontal].range, info.columns[vertical].range].map(padded);
    const rows = gridRows(typical, horizontal, vertical, ranges);
    const { scores } = await api.predict({ model, version, X: rows });
    const isWanted = pair !== NO_PAIR || pairsVote;
    const found = isWanted ? await planes : null;
    const values = found && gridValues(info, found, names, rows);
    const known = (found?.planes ?? []).map(({ own_class: own, other_class: other, norm }, p) => ({
      own: code(own), other: code(other), norm, values: values[p],
    }));
    const isChosen = ({ own, other }) =>
      pair === "all" || pair === [own, other].sort((a, b) => a - b).join("-");
    return {
      names: [names[horizontal], names[vertical]],
      ranges,
      size: SIZE,
      margins: classMargins(scores, nClasses, values && pairsVote ? pairwiseMargins(known, values, nClasses) : null),
      planes: known.filter(isChosen),
      points,
      remarks: [
        sampledRowsText(info, points, suspected),
        isWanted && found === null ? TOO_MANY_LANDMARKS : "",
        fixedFeaturesText(info, names, horizontal, vertical, points.length > 0),
      ].filter(Boolean),
      description:
        `Decision areas of ${plural(info.classes.length, "class", "classes")} (${info.classes.join(", ")}) ` +
        `over ${names[horizontal]} and ${names[vertical]}. ${plural(points.length, "training row")} drawn.`,
    };
  };
}

/** Grid over the ranges of two features. The other features have constant values. */
function gridRows(values, horizontal, vertical, [[left, right], [low, high]]) {
  const rows = [];
  for (let j = 0; j < SIZE; j += 1) {
    for (let i = 0; i < SIZE; i += 1) {
      const row = [...values];
      row[horizontal] = left + ((right - left) * i) / (SIZE - 1);
      row[vertical] = low + ((high - low) * j) / (SIZE - 1);
      rows.push(row);
    }
  }
  return rows;
}

/** f of each plane at each grid point. */
function gridValues(info, found, names, rows) {
  const values = planeValues(found, info.params);
  const grids = found.planes.map(() => new Float64Array(rows.length));
  rows.forEach((row, i) => {
    const all = values(Object.fromEntries(names.map((name, j) => [name, row[j]])));
    grids.forEach((grid, p) => (grid[i] = all[p]));
  });
  return grids;
}

async function trainingPoints(info, data, horizontal, vertical, suspected) {
  const [x, y] = [data.features[horizontal], data.features[vertical]];
  const always = toTableRows(data, [...suspected].slice(0, MAX_POINTS));
  const found = await data.dataset.points({ x, y, label: data.target, maxRows: MAX_POINTS, always });
  const labels = new Map(info.classes.map((label, i) => [String(label), i]));
  return found
    .map(([px, py, label, place]) => [px, py, label, toSentRow(data, place)])
    .filter(([, , , row]) => row >= 0)
    .map(([px, py, label, row]) => ({
      x: px,
      y: py,
      label: labels.get(normalizeLabel(label)) ?? labels.get(label.toLowerCase()) ?? 0,
      suspected: suspected.has(row),
    }));
}

/** Note on which rows are drawn, if not all of them. */
function sampledRowsText({ n_rows: rows }, points, suspected) {
  if (points.length === 0 || rows <= MAX_POINTS) return "";
  const which =
    suspected.size > MAX_POINTS
      ? `the ${count(MAX_POINTS)} suspected rows with the smallest memberships`
      : "all suspected rows";
  const others = suspected.size ? ` and ${which}` : "";
  return `${count(points.length)} of ${count(rows)} rows are drawn: an even sample${others}.`;
}

/** Labels as the service returns them: integers without leading zeros and plus signs. */
const normalizeLabel = (label) => (/^[+-]?\d+$/.test(label) ? String(BigInt(label)) : label);

function rangeOf(points, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (const point of points) {
    low = Math.min(low, point[axis]);
    high = Math.max(high, point[axis]);
  }
  return [low, high];
}

function padded([low, high]) {
  const margin = 0.06 * (high - low) || 0.5;
  return [low - margin, high + margin];
}

function fixedFeaturesText({ columns }, names, horizontal, vertical, hasPoints) {
  const values = columns.map((column) => column.typical ?? null);
  const text = (value, j) => (typeof value === "number" ? formatterForRange(columns[j].range)(value) : String(value));
  const isOther = (_, j) => j !== horizontal && j !== vertical;
  const others = names.map((name, j) => `${name} = ${text(values[j], j)}`).filter(isOther);
  if (others.length === 0) return "";
  const some = others.slice(0, 4).join(", ");
  const hasWords = values.filter(isOther).some((value) => typeof value === "string");
  const how = hasWords ? "at their median or most frequent value" : "at their median";
  const rows = hasPoints
    ? " The rows have other values there, so some may appear on the wrong side."
    : "";
  return `The other features are fixed ${how}: ${some}${others.length > 4 ? " …" : ""}.${rows}`;
}
