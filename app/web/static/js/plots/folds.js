/** The score of each fold on a common axis. */

import { s } from "../dom.js";
import { percent } from "../format.js";
import { figure, scale, ticks } from "./axes.js";
import { round } from "./marks.js";

const WIDTH = 460;
const HEIGHT = 74;

/** Keep labels near an edge inside the image. */
const anchor = (at) => (at > WIDTH - 60 ? "end" : at < 60 ? "start" : "middle");

/** @param {string} name of the score @param {number[]} values one per fold */
export function foldPlot(name, values) {
  const low = Math.max(0, Math.floor(20 * Math.min(...values) - 0.5) / 20);
  const x = scale([low, 1], [16, WIDTH - 24]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return figure(
    WIDTH,
    HEIGHT,
    `${name} by fold`,
    values.map(percent).join(", "),
    ticks(low, 1, 4).map((value) => [
      s("line", { class: "grid", x1: round(x(value)), x2: round(x(value)), y1: 18, y2: 46 }),
      s("text", { x: round(x(value)), y: 64, "text-anchor": "middle" }, `${Math.round(100 * value)} %`),
    ]),
    s("path", { class: "mean", d: `M${round(x(mean))},16V46` }),
    s("text", { x: round(x(mean)), y: 12, "text-anchor": anchor(x(mean)) }, `mean ${percent(mean)}`),
    values.map((value) => s("circle", { class: "fold", cx: round(x(value)), cy: 32, r: 5.5 })),
  );
}
