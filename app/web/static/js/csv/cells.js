/**
 * How a cell of a CSV is read and written. Missing values and numbers are recognized as in the
 * service.
 */

const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "?"]);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const DECIMAL_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/;
/** 1,234 is either 1234 (comma between thousands) or 1.234 (decimal comma). */
const MAYBE_THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const INFINITE = /^[+-]?inf(inity)?$/i;
/** Text that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'[=+\-@\t\r]/;

export const isMissing = (cell) => cell.length <= 4 && MISSING.has(cell.trim().toLowerCase());
export const isNumber = (cell) => NUMBER.test(cell.trim());
export const isDecimalComma = (cell) => DECIMAL_COMMA.test(cell.trim());
export const mayBeThousands = (cell) => MAYBE_THOUSANDS.test(cell.trim());
export const isInfinite = (cell) => INFINITE.test(cell.trim());

/** Remove the apostrophe that `toCsvCell` puts before formulas. */
export const unescapeFormula = (cell) => (ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell);

/**
 * A cell as CSV, quoted where necessary.
 * @param {string} cell
 * @param {boolean} escapeFormulas put an apostrophe before text that a spreadsheet would evaluate
 */
export function toCsvCell(cell, escapeFormulas) {
  let text = cell;
  if (escapeFormulas && FORMULA.test(text) && !isNumber(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
