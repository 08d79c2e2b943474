/** The decision boundary and the planes over two features of the reader's choice. */

import { api } from "../../api.js";
import { field, h, replace, select } from "../../dom.js";
import { number, plural } from "../../format.js";
import { failure } from "../../parts/notice.js";
import { planeValues } from "../../planes.js";
import { boundaryPlot } from "../../plots/boundary.js";
import { legend } from "../../plots/frame.js";
import { sentFor, tableRows } from "../../session.js";

const SIZE = 61;
const MOST_POINTS = 1500;
const MOST_LANDMARKS = 3000;
/** Planes of more pairs than one would cover each other. */
const NO_PAIR = "none";

/** @param {any} info @param {Set<number>} suspected rows */
export function boundaryPanel(info, suspected) {
  const names = info.columns.map((column, i) => column.name ?? `x${i}`);
  const numeric = names.map((name, i) => [i, name]).filter(([i]) => info.columns[i].kind === "number");
  const title = h("h2", { id: "boundary-title" }, "Where it draws the line");
  if (numeric.length < 2) {
    return h("section", { "aria-labelledby": "boundary-title" }, title, h("p", {}, "A picture needs two number columns."));
  }
  const place = h("div", { class: "picture", "aria-busy": "true" }, h("p", { class: "hint" }, "Drawing …"));
  const redraw = () => draw().catch((error) => replace(place, failure(error)));
  const across = select(numeric, numeric[0][0], { onchange: redraw });
  const up = select(numeric, numeric[1][0], { onchange: redraw });
  const pairs = pairsOf(info);
  const pair = select(pairs, pairs.length > 1 && info.classes.length > 2 ? NO_PAIR : pairs[0][0], { onchange: redraw });
  const source = pictureSource(info, names, suspected);
  let latest = 0;

  async function draw() {
    const mine = (latest += 1);
    place.setAttribute("aria-busy", "true");
    const picture = await source(Number(across.value), Number(up.value), pair.value);
    if (mine !== latest) return;
    const lines = [["boundary", "decision boundary"]];
    if (picture.planes.length) lines.push(["plane", info.classes.length === 2 ? "the two planes, dashed in the colour of their class" : "planes, dashed in the colour of their class"]);
    if (picture.points.some((point) => point.suspected)) lines.push(["ring", "suspected rows"]);
    replace(place, boundaryPlot(picture), legend(info.classes, lines), h("p", { class: "hint" }, picture.held));
    place.removeAttribute("aria-busy");
  }
  redraw();
  return h(
    "section",
    { "aria-labelledby": "boundary-title" },
    title,
    h("div", { class: "row" }, field("Across", across), field("Up", up), info.classes.length > 2 ? field("Planes of", pair) : null),
    place,
  );
}

/** Which planes can be shown together. */
function pairsOf({ classes, certificate }) {
  if (classes.length === 2) return [["all", "both classes"]];
  if (certificate.planes.some((plane) => plane.other_class === null)) return [[NO_PAIR, "none"], ["all", "all classes"]];
  const found = [[NO_PAIR, "none"]];
  for (let a = 0; a < classes.length; a += 1) {
    for (let b = a + 1; b < classes.length; b += 1) found.push([`${a}-${b}`, `${classes[a]} and ${classes[b]}`]);
  }
  return found;
}

/** Fetches what every picture of the version needs once, and makes pictures of it. */
function pictureSource(info, names, suspected) {
  const { model, version } = info;
  const sent = sentFor(model, version);
  const planes = api.planes(model, version, MOST_LANDMARKS);
  const typical = middle(info, names, sent, planes);
  const position = sent ? new Map(tableRows(sent).map((row, i) => [row, i])) : null;

  return async (across, up, pair) => {
    const held = await typical;
    const points = sent ? await pointsOf(info, names, sent, across, up, position, suspected) : [];
    const ranges = [across, up].map((j, axis) => padded(points.length ? extent(points, axis ? "y" : "x") : held.ranges[j]));
    const rows = [];
    for (let j = 0; j < SIZE; j += 1) {
      for (let i = 0; i < SIZE; i += 1) {
        const row = [...held.values];
        row[across] = ranges[0][0] + ((ranges[0][1] - ranges[0][0]) * i) / (SIZE - 1);
        row[up] = ranges[1][0] + ((ranges[1][1] - ranges[1][0]) * j) / (SIZE - 1);
        rows.push(row);
      }
    }
    const { scores } = await api.predict({ model, version, X: rows });
    const found = pair === NO_PAIR ? null : await planes;
    return {
      names: [names[across], names[up]],
      ranges,
      size: SIZE,
      leads: leadsOf(scores, info.classes.length),
      planes: found ? planesOf(info, found, names, rows, pair) : [],
      points,
      held: heldText(names, held, across, up),
      description: `The plane of ${names[across]} and ${names[up]} in areas of ${plural(info.classes.length, "class", "classes")}: ${info.classes.join(", ")}. ${plural(points.length, "training row")} drawn.`,
    };
  };
}

/** By how much each class leads, from the scores of /predict. */
function leadsOf(scores, nClasses) {
  if (nClasses === 2) {
    const second = Float64Array.from(scores);
    return [second.map((score) => -score), second];
  }
  return Array.from({ length: nClasses }, (_, k) =>
    Float64Array.from(scores, (row) => row[k] - Math.max(...row.filter((_score, other) => other !== k))));
}

function planesOf(info, found, names, rows, pair) {
  const values = planeValues(found, info.params);
  const chosen = found.planes
    .map((plane, number_) => ({ number: number_, own: info.classes.indexOf(plane.own_class), other: info.classes.indexOf(plane.other_class) }))
    .filter(({ own, other }) => pair === "all" || pair === `${Math.min(own, other)}-${Math.max(own, other)}`);
  const grids = chosen.map(() => new Float64Array(rows.length));
  rows.forEach((row, i) => {
    const all = values(Object.fromEntries(names.map((name, j) => [name, row[j]])));
    chosen.forEach((plane, k) => (grids[k][i] = all[plane.number]));
  });
  return chosen.map(({ own }, k) => ({ own, values: grids[k] }));
}

/** Medians of the table; without it, the middle of what the scaling saw. */
async function middle(info, names, sent, planes) {
  if (sent) {
    const all = await sent.dataset.typical();
    return { values: sent.features.map((column) => all[column]), how: "at their median", ranges: null };
  }
  const { scaling } = (await planes) ?? (await api.planes(info.model, info.version, Infinity));
  const ranges = names.map((name) => {
    const i = scaling.inputs.indexOf(name);
    if (i < 0) return null;
    const width = scaling.factor[i] ? 1 / scaling.factor[i] : 1;
    return info.scale === "minmax" ? [scaling.offset[i], scaling.offset[i] + width]
      : [scaling.offset[i] - 3 * width, scaling.offset[i] + 3 * width];
  });
  const values = info.columns.map((column, j) => (ranges[j] ? (ranges[j][0] + ranges[j][1]) / 2 : column.categories?.[0] ?? null));
  return { values, ranges, how: "in the middle of their range" };
}

async function pointsOf(info, names, sent, across, up, position, suspected) {
  const [x, y] = [sent.features[across], sent.features[up]];
  const found = await sent.dataset.points(x, y, sent.target, MOST_POINTS);
  const labels = new Map(info.classes.map((label, i) => [String(label).toLowerCase(), i]));
  return found
    .filter(([, , , row]) => position.has(row))
    .map(([px, py, label, row]) => ({
      x: px, y: py, label: labels.get(asWritten(label).toLowerCase()) ?? 0, suspected: suspected.has(position.get(row)),
    }));
}

/** Whole numbers come back without leading zeros and plus signs. */
const asWritten = (label) => (/^[+-]?\d+$/.test(label) ? String(BigInt(label)) : label);

function extent(points, axis) {
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

function heldText(names, { values, how }, across, up) {
  const others = names.map((name, j) => [name, values[j], j]).filter(([, , j]) => j !== across && j !== up);
  if (others.length === 0) return "";
  const shown = others.slice(0, 4).map(([name, value]) => `${name} = ${typeof value === "number" ? number(value, 3) : value}`);
  return `The other features are held ${how}: ${shown.join(", ")}${others.length > 4 ? " …" : ""}.`;
}
