/** Decision areas and planes over two features. */

import { s } from "../dom.js";
import { positiveArea, zeroLines } from "./contour.js";
import { axes, figure, scale, ticks } from "./axes.js";
import { colourClass, markPath, round } from "./marks.js";

const WIDTH = 720;
const HEIGHT = 520;
const BOX = { left: 78, top: 14, right: WIDTH - 14, bottom: HEIGHT - 58 };

/**
 * @param {object} picture
 * @param {[string, string]} picture.names of the features
 * @param {[[number, number], [number, number]]} picture.ranges
 * @param {number} picture.size grid points per side
 * @param {Float64Array[]} picture.margins one per class: its margin at each grid point
 * @param {{own: number, values: Float64Array}[]} picture.planes
 * @param {{x: number, y: number, label: number, suspected: boolean}[]} picture.points
 * @param {string} picture.description
 */
export function boundaryPlot({ names, ranges, size, margins, planes, points, description }) {
  const x = scale(ranges[0], [BOX.left, BOX.right]);
  const y = scale(ranges[1], [BOX.bottom, BOX.top]);
  const column = scale([0, size - 1], [BOX.left, BOX.right]);
  const row = scale([0, size - 1], [BOX.bottom, BOX.top]);
  const at = ([i, j]) => `${round(column(i))},${round(row(j))}`;
  const path = (lines, end) => lines.map((line) => `M${line.map(at).join("L")}${end}`).join("");
  const grid = (values) => ({ columns: size, rows: size, values });
  // With two classes one line is the boundary of both areas; otherwise each area has its own.
  const edges = margins.length === 2 ? margins.slice(1) : margins;
  return figure(
    WIDTH,
    HEIGHT,
    `Decision areas over ${names[0]} and ${names[1]}`,
    description,
    margins.map((margin, k) =>
      s("path", { class: `area ${colourClass(k)}`, d: path(positiveArea(grid(margin)), "z") }),
    ),
    axes(BOX, x, y, {
      xTicks: ticks(...ranges[0], 6),
      yTicks: ticks(...ranges[1], 5),
      xLabel: names[0],
      yLabel: names[1],
    }),
    marks(points, x, y),
    planes.map(({ own, values }) =>
      s("path", { class: `plane ${colourClass(own)}`, d: path(zeroLines(grid(values)), "") }),
    ),
    edges.map((margin) => s("path", { class: "boundary", d: path(zeroLines(grid(margin)), "") })),
  );
}

function marks(points, x, y) {
  const byClass = new Map();
  const rings = [];
  for (const point of points) {
    if (!byClass.has(point.label)) byClass.set(point.label, []);
    byClass.get(point.label).push(markPath(point.label, x(point.x), y(point.y), 3.2));
    if (point.suspected) rings.push(markPath(0, x(point.x), y(point.y), 7));
  }
  return [
    [...byClass].map(([label, paths]) =>
      s("path", { class: `mark ${colourClass(label)}`, d: paths.join("") }),
    ),
    s("path", { class: "ring", d: rings.join("") }),
  ];
}
