/** Duality gap after each sweep of the solver, and after the final exact step. */

import { s } from "../dom.js";
import { number, scientific } from "../format.js";
import { axes, figure, scale, ticks } from "./axes.js";
import { colourClass, markPath, round } from "./marks.js";

const WIDTH = 720;
const HEIGHT = 300;
const BOX = { left: 104, top: 14, right: WIDTH - 18, bottom: HEIGHT - 58 };
/** A gap of 0, which a log scale cannot show, is drawn at the level of rounding errors. */
const FLOOR = 1e-16;

const logOf = (gap) => Math.log10(Math.max(gap, FLOOR));

/**
 * @param {{own: number, sweeps: number[], gaps: number[], finalGap: number}[]} planes relative gaps
 *   after some of the sweeps, and the one after the exact step
 */
export function convergencePlot(planes) {
  const logs = planes.map(({ gaps, finalGap }) => [...gaps, finalGap].map(logOf));
  const range = [Math.floor(Math.min(-1, ...logs.flat())), Math.ceil(Math.max(0, ...logs.flat()))];
  const longest = Math.max(2, ...planes.map((plane) => plane.sweeps.at(-1) ?? 1));
  const x = scale([1, longest], [BOX.left, BOX.right]);
  const y = scale(range, [BOX.bottom, BOX.top]);
  const line = ({ sweeps }, own) =>
    [...sweeps, sweeps.at(-1)].map((sweep, i) => `${round(x(sweep))},${round(y(own[i]))}`).join("L");
  const yTicks = ticks(...range, 4).filter(Number.isInteger);
  return figure(
    WIDTH,
    HEIGHT,
    "Duality gap by sweep",
    `The solver used at most ${number(longest)} sweeps. Final gap of each plane: ` +
      `${planes.map(({ finalGap }) => scientific(finalGap)).join(", ")}.`,
    axes(BOX, x, y, {
      xTicks: ticks(1, longest, 6).filter(Number.isInteger),
      yTicks,
      xLabel: "sweep",
      yLabel: "relative gap",
      yTexts: yTicks.map((value) => scientific(10 ** value, 0)),
    }),
    planes.map((plane, k) => [
      s("path", {
        class: `series ${colourClass(plane.own)}${k % 2 ? " odd" : ""}`,
        d: `M${line(plane, logs[k])}`,
      }),
      s("path", {
        class: `mark ${colourClass(plane.own)}`,
        d: markPath(plane.own, x(plane.sweeps.at(-1)), y(logs[k].at(-1)), 5.5),
      }),
    ]),
  );
}
