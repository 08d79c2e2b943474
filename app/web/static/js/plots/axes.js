/** Shared parts of the plots: scales, ticks, axes, legend. */

import { s, h, uniqueId } from "../dom.js";
import { scientific } from "../format.js";
import { colourClass, markPath, round } from "./marks.js";

/** A linear scale from data to pixels. */
export function scale([from, to], [start, end]) {
  const factor = (end - start) / (to - from || 1);
  return (value) => start + (value - from) * factor;
}

/** About `wanted` round numbers within a range. */
export function ticks(from, to, wanted = 5) {
  const rough = (to - from) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((candidate) => candidate >= rough);
  const found = [];
  for (let i = Math.ceil(from / step); i * step <= to + step * 1e-9; i += 1) found.push(i * step);
  return found.map((value) => Number(value.toPrecision(12)));
}

/**
 * Axis labels use scientific notation for steps below `SMALL_STEP` and values from `LARGE_NUMBER`
 * on.
 */
const SMALL_STEP = 1e-4;
const LARGE_NUMBER = 1e6;

/** The power of ten of the last digit of a step: -2 for 0.25. */
function lastDecimalPlace(step) {
  const [digits, power] = step.toExponential(6).split("e");
  return Number(power) - Math.max(0, digits.replace(/0+$/, "").length - 2);
}

/** Axis labels with as many decimals as the step has. */
export function tickLabels(values) {
  const step = values.length > 1 ? values[1] - values[0] : Math.abs(values[0]) || 1;
  const place = lastDecimalPlace(step);
  const largest = Math.max(...values.map(Math.abs));
  if (step >= SMALL_STEP && largest < LARGE_NUMBER) {
    return values.map((value) => value.toFixed(Math.max(0, -place)));
  }
  return values.map((value) => {
    const digits = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)) + 1e-9) - place;
    return scientific(value, Math.min(Math.max(digits, 0), 15));
  });
}

/**
 * An SVG image with a title and a description for screen readers.
 * @returns {SVGElement}
 */
export function figure(width, height, title, description, ...children) {
  const ids = [uniqueId("title"), uniqueId("description")];
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-labelledby": ids[0],
      "aria-describedby": ids[1],
      class: width > 600 ? "plot wide" : "plot",
    },
    s("title", { id: ids[0] }, title),
    s("desc", { id: ids[1] }, description),
    ...children,
  );
}

/**
 * Grid lines and labels of a box.
 * @param {{left: number, top: number, right: number, bottom: number}} box
 */
export function axes(box, x, y, { xTicks, yTicks, xLabel, yLabel, yTexts = tickLabels(yTicks) }) {
  const xTexts = tickLabels(xTicks);
  return s(
    "g",
    { class: "axes" },
    xTicks.map((value, i) => [
      s("line", { class: "grid", x1: round(x(value)), x2: round(x(value)), y1: box.top, y2: box.bottom }),
      s("text", { x: round(x(value)), y: box.bottom + 22, "text-anchor": "middle" }, xTexts[i]),
    ]),
    yTicks.map((value, i) => [
      s("line", { class: "grid", x1: box.left, x2: box.right, y1: round(y(value)), y2: round(y(value)) }),
      s("text", { x: box.left - 8, y: round(y(value)) + 4, "text-anchor": "end" }, yTexts[i]),
    ]),
    axisLabel(xLabel, `translate(${(box.left + box.right) / 2} ${box.bottom + 48})`),
    axisLabel(yLabel, `translate(18 ${(box.top + box.bottom) / 2}) rotate(-90)`),
  );
}

const axisLabel = (text, transform) =>
  s("text", { class: "axis-label", transform, "text-anchor": "middle" }, truncate(text));

const truncate = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

/** Markers and names of the classes. */
export function legend(labels, extra = []) {
  return h(
    "ul",
    { class: "legend" },
    labels.map((label, i) =>
      h(
        "li",
        {},
        s("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
          s("path", { class: `mark ${colourClass(i)}`, d: markPath(i, 8, 8, 5.5) })),
        String(label),
      ),
    ),
    extra.map(([className, text]) =>
      h(
        "li",
        {},
        s("svg", { viewBox: "0 0 24 16", width: 24, height: 16, "aria-hidden": "true" },
          s("path", { class: className, d: className === "ring" ? markPath(0, 12, 8, 6) : "M1,8H23" })),
        text,
      ),
    ),
  );
}
