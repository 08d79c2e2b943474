/** Numbers, times and counts formatted for reading. */

/** A share as a percentage with one decimal. */
export function percent(share) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`;
}

/** Whole numbers of this size and above are written in scientific notation, with all digits. */
const LONGEST_WHOLE = 1e9;

/**
 * A number with about `digits` significant digits and no trailing zeros. Whole numbers are not
 * rounded.
 */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return wholeNumber(value);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return scientific(value, 2);
  const before = Math.floor(Math.log10(size)) + 1;
  return String(Number(value.toPrecision(Math.max(digits, before))));
}

const wholeNumber = (value) =>
  Math.abs(value) < LONGEST_WHOLE ? String(value) : value.toExponential().replace("e+", "e");

/**
 * Formatter for the values of a range, precise to a ten-thousandth of it, so that they stay
 * distinguishable.
 * @param {[number, number]} range
 * @returns {(value: number) => string}
 */
export function formatterForRange([low, high]) {
  const digits = Math.ceil(-Math.log10((high - low) / 10_000));
  if (!Number.isFinite(digits)) return (value) => number(value, 12);
  const decimals = Math.min(Math.max(digits, 0), 100);
  return (value) => (Number.isInteger(value) ? wholeNumber(value) : String(Number(value.toFixed(decimals))));
}

/** Scientific notation: 1.2e-14. */
export function scientific(value, digits = 1) {
  return value === 0 ? "0" : value.toExponential(digits).replace("e+", "e");
}

/** A whole number with narrow spaces between the thousands. */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** `1 row`, `2 rows`. */
export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A duration with a suitable unit: ms, s or min. */
export function seconds(value) {
  if (value < 0.1) return `${Math.max(1, Math.round(1000 * value))} ms`;
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 120) return `${Math.round(value)} s`;
  return `${Math.round(value / 60)} min`;
}

/** A timestamp of the service, in the time zone of the reader. */
export function dateTime(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Mean and standard deviation, for example over folds. */
export function meanAndDeviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}
