/** How the solver came to its end: the largest violation after each sweep. */

import { s } from "../dom.js";
import { number, tiny } from "../format.js";
import { axes, figure, scale, ticks } from "./frame.js";
import { colourClass, markPath, round } from "./marks.js";

const WIDTH = 720;
const HEIGHT = 260;
const BOX = { left: 78, top: 14, right: WIDTH - 14, bottom: HEIGHT - 58 };
/** What is drawn for a violation of zero, which a log scale does not have. */
const FLOOR = 1e-16;

/** @param {{own: number, sweeps: number[], violations: number[]}[]} planes @param {number} tolerance */
export function convergencePlot(planes, tolerance) {
  const logs = planes.map((plane) => plane.violations.map((v) => Math.log10(Math.max(v, FLOOR))));
  const all = [...logs.flat(), Math.log10(tolerance)];
  const range = [Math.floor(Math.min(...all)), Math.ceil(Math.max(...all) + 0.01)];
  const longest = Math.max(2, ...planes.map((plane) => plane.sweeps.at(-1) ?? 1));
  const x = scale([1, longest], [BOX.left, BOX.right]);
  const y = scale(range, [BOX.bottom, BOX.top]);
  return figure(
    WIDTH,
    HEIGHT,
    "Violation of the optimality conditions by sweep",
    `The solver took at most ${number(longest)} sweeps; the tolerance is ${number(tolerance)}.`,
    axes(BOX, x, y, {
      xTicks: ticks(1, longest, 6).filter(Number.isInteger),
      yTicks: ticks(...range, 4).filter(Number.isInteger),
      xLabel: "sweep",
      yLabel: "violation",
      format: (value) => tiny(10 ** value, 0),
    }),
    s("path", { class: "tolerance", d: `M${BOX.left},${round(y(Math.log10(tolerance)))}H${BOX.right}` }),
    planes.map((plane, k) => [
      s("path", {
        class: `series ${colourClass(plane.own)}${k % 2 ? " odd" : ""}`,
        d: `M${plane.sweeps.map((sweep, i) => `${round(x(sweep))},${round(y(logs[k][i]))}`).join("L")}`,
      }),
      s("path", {
        class: `mark ${colourClass(plane.own)}`,
        d: markPath(plane.own, x(plane.sweeps.at(-1)), y(logs[k].at(-1)), 4.5),
      }),
    ]),
  );
}
