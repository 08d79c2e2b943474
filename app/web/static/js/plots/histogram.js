/** Histogram of the memberships of one class. */

import { s } from "../dom.js";
import { count } from "../format.js";
import { axes, figure, scale, ticks } from "./axes.js";
import { colourClass, round } from "./marks.js";

const WIDTH = 340;
const HEIGHT = 210;
const BOX = { left: 70, top: 12, right: WIDTH - 20, bottom: HEIGHT - 56 };

/**
 * @param {string} label the class
 * @param {number} index of the class
 * @param {number[]} counts rows per bin; the bins divide [0, 1] equally
 */
export function membershipPlot(label, index, counts) {
  const most = Math.max(1, ...counts);
  const x = scale([0, 1], [BOX.left, BOX.right]);
  const y = scale([0, most], [BOX.bottom, BOX.top]);
  const width = (BOX.right - BOX.left) / counts.length;
  const total = counts.reduce((sum, n) => sum + n, 0);
  const low = counts.slice(0, counts.length / 10).reduce((sum, n) => sum + n, 0);
  return figure(
    WIDTH,
    HEIGHT,
    `Memberships of class ${label}`,
    `${count(total)} rows; ${count(low)} of them have a membership below 0.1.`,
    axes(BOX, x, y, {
      xTicks: [0, 0.25, 0.5, 0.75, 1],
      yTicks: ticks(0, most, 3).filter(Number.isInteger),
      xLabel: "membership",
      yLabel: "rows",
    }),
    counts.map((n, bin) =>
      n === 0
        ? null
        : s("rect", {
            class: `bar ${colourClass(index)}`,
            x: round(BOX.left + bin * width + 1),
            width: round(width - 2),
            y: round(Math.min(y(n), BOX.bottom - 2)),
            height: round(Math.max(BOX.bottom - y(n), 2)),
          }),
    ),
  );
}
