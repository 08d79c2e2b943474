/** Numbers and labels for people. */

/** A share as a percentage with one digit. */
export function percent(share) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`;
}

/** Whole numbers beyond this are written with a power of ten, with all their digits. */
const LONGEST_WHOLE = 1e9;

/** A number with about `digits` significant digits, without trailing zeros; whole numbers in full. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return wholeNumber(value);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) return tiny(value, 2);
  const before = Math.floor(Math.log10(size)) + 1;
  return String(Number(value.toPrecision(Math.max(digits, before))));
}

const wholeNumber = (value) =>
  Math.abs(value) < LONGEST_WHOLE ? String(value) : value.toExponential().replace("e+", "e");

/**
 * How to write values of a range: to a ten-thousandth of it, so that they are still told apart.
 * @param {[number, number]} range
 * @returns {(value: number) => string}
 */
export function within([low, high]) {
  const digits = Math.ceil(-Math.log10((high - low) / 10_000));
  if (!Number.isFinite(digits)) return (value) => number(value, 12);
  const decimals = Math.min(Math.max(digits, 0), 100);
  return (value) => (Number.isInteger(value) ? wholeNumber(value) : String(Number(value.toFixed(decimals))));
}

/** A number as 1.2e-14. */
export function tiny(value, digits = 1) {
  return value === 0 ? "0" : value.toExponential(digits).replace("e+", "e");
}

/** A whole number with thin spaces between the thousands. */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** `1 row`, `2 rows`. */
export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Seconds as a person says them. */
export function seconds(value) {
  if (value < 0.1) return `${Math.max(1, Math.round(1000 * value))} ms`;
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 120) return `${Math.round(value)} s`;
  return `${Math.round(value / 60)} min`;
}

/** A time of the service, in the reader's own zone. */
export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Mean and standard deviation over folds. */
export function spread(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}
