/** What a cell means. The words and numbers are those that the service knows. */

const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "?"]);
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const DECIMAL_COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?$/;
/** 1,234 may be a thousand and some, or one and some. */
const MAYBE_THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const INFINITE = /^[+-]?inf(inity)?$/i;
/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const GUARDED = /^'[=+\-@\t\r]/;

export const isMissing = (cell) => cell.length <= 4 && MISSING.has(cell.trim().toLowerCase());
export const isNumber = (cell) => NUMBER.test(cell.trim());
export const isDecimalComma = (cell) => DECIMAL_COMMA.test(cell.trim());
export const mayBeThousands = (cell) => MAYBE_THOUSANDS.test(cell.trim());
export const isInfinite = (cell) => INFINITE.test(cell.trim());

/** A cell whose apostrophe only guards it from spreadsheets is what it was before. */
export const unguarded = (cell) => (GUARDED.test(cell) ? cell.slice(1) : cell);

/**
 * A cell as it is written to a CSV.
 * @param {string} cell
 * @param {boolean} guard put an apostrophe before text that a spreadsheet would run
 */
export function written(cell, guard) {
  let text = cell;
  if (guard && FORMULA.test(text) && !isNumber(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
