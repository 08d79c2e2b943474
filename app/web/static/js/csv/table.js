/** A parsed CSV and the statistics of its columns. Runs in a web worker. */

import {
  isDecimalComma, isInfinite, isMissing, isNumber, mayBeThousands, toCsvCell, unescapeFormula,
} from "./cells.js";
import { uniqueName } from "./names.js";
import { RecordReader, findSeparator } from "./reader.js";
import { fisherRatio } from "./feature-ranking.js";

const PREVIEW_ROWS = 8;
/** Distinct values that are counted per column; above it, `manyValues` is set. */
const MAX_DISTINCT = 1000;
const MAX_NAME = 256;
const MAX_RAGGED_LINES = 5;
/** Rows that are used to rank the features. */
const MAX_SCORED_ROWS = 5000;
/** Multiples of the golden ratio, modulo 1, are spread evenly over [0, 1). */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Rows after the first line that decide whether that line is a header. */
const HEADER_SAMPLE_ROWS = 100;
/** With fewer rows, values may all differ by chance. */
const MIN_ROWS_FOR_IDS = 20;
/** A text column is an identifier if at least this share of its cells are distinct. */
const MIN_DISTINCT_SHARE = 0.9;
/**
 * A number column is a row counter if at least this share of the steps between its sorted values
 * equal the smallest step. Less than 1, because some rows may have been removed.
 */
const MIN_STEP_SHARE = 0.5;

/** Numbers of one column, in an array that grows as needed. */
class GrowingArray {
  values = new Float64Array(1024);
  length = 0;

  push(value) {
    if (this.length === this.values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  view() {
    return this.values.subarray(0, this.length);
  }
}

/** Statistics of one column, updated cell by cell while the file is read. */
class Column {
  constructor(name) {
    this.name = name;
    this.numbers = new GrowingArray();
    this.counts = new Map();
    this.missing = 0;
    this.dots = 0;
    this.commas = 0;
    this.ambiguous = 0;
    this.text = 0;
    this.infinite = 0;
  }

  add(cell) {
    let value = NaN;
    if (isMissing(cell)) {
      this.missing += 1;
    } else if (isNumber(cell)) {
      this.dots += cell.includes(".") ? 1 : 0;
      value = Number(cell);
    } else if (isDecimalComma(cell)) {
      this.commas += 1;
      this.ambiguous += mayBeThousands(cell) ? 1 : 0;
      value = Number(cell.replace(",", "."));
    } else if (isInfinite(cell)) {
      this.infinite += 1;
    } else {
      this.text += 1;
    }
    this.numbers.push(value);
    const word = cell.trim();
    const seen = this.counts.get(word);
    if (seen !== undefined) this.counts.set(word, seen + 1);
    else if (this.counts.size <= MAX_DISTINCT) this.counts.set(word, 1);
  }

  /**
   * Commas are decimal commas if no cell has a point, and at least one cannot be a thousands
   * separator.
   */
  get hasDecimalCommas() {
    return this.commas > 0 && this.dots === 0 && this.commas > this.ambiguous && this.text === 0;
  }

  get kind() {
    if (this.missing === this.numbers.length) return "empty";
    const isText = this.text > 0 || (this.commas > 0 && !this.hasDecimalCommas);
    return isText ? "text" : "number";
  }

  /** "name" or "counter" if the column only identifies its row; null if it may be a feature. */
  get identifier() {
    const n = this.numbers.length - this.missing;
    if (n < MIN_ROWS_FOR_IDS) return null;
    if (this.kind === "text") return this.distinct >= MIN_DISTINCT_SHARE * n ? "name" : null;
    return this.kind === "number" && this.missing === 0 && isSequence(this.numbers.view()) ? "counter" : null;
  }

  get distinct() {
    return [...this.counts.keys()].filter((word) => !isMissing(word)).length;
  }

  summary() {
    const { kind } = this;
    const range = { min: Infinity, max: -Infinity };
    let whole = kind === "number";
    if (kind === "number") {
      for (const value of this.numbers.view()) {
        if (value < range.min) range.min = value;
        if (value > range.max) range.max = value;
        if (whole && value === value && !Number.isInteger(value)) whole = false;
      }
    }
    return {
      name: this.name,
      kind,
      whole,
      missing: this.missing,
      infinite: this.infinite,
      distinct: Math.min(this.distinct, MAX_DISTINCT),
      manyValues: this.counts.size > MAX_DISTINCT,
      identifier: this.identifier,
      decimalComma: this.hasDecimalCommas,
      ambiguousComma: this.commas > 0 && !this.hasDecimalCommas,
      min: range.min,
      max: range.max,
    };
  }
}

/**
 * Rows spread over the whole table. With a constant step, classes that alternate could be missed;
 * the offset prevents that.
 */
function sampleRows(nRows, maxRows) {
  if (nRows <= maxRows) return Array.from({ length: nRows }, (_, i) => i);
  return Array.from({ length: maxRows }, (_, k) => Math.floor(((k + ((k * GOLDEN_RATIO) % 1)) * nRows) / maxRows));
}

/**
 * Whether the values are distinct whole numbers that, when sorted, mostly have the same distance
 * to the next one: 1, 2, 3 or 10, 20, 30.
 */
function isSequence(values) {
  if (!values.every(Number.isInteger)) return false;
  const sorted = Float64Array.from(values).sort();
  const steps = sorted.subarray(1).map((value, i) => value - sorted[i]);
  const least = steps.reduce((a, b) => Math.min(a, b));
  return least > 0 && steps.filter((step) => step === least).length >= MIN_STEP_SHARE * steps.length;
}

export class Table {
  /**
   * @param {string} text without a byte order mark
   * @param {(share: number) => void} [onProgress]
   * @param {boolean} [hasHeader] whether the first line holds column names; guessed by default
   */
  constructor(text, onProgress = () => {}, hasHeader = undefined) {
    if (!text.includes("\n")) text = text.replaceAll("\r", "\n"); // line ends of old Macintosh files
    this.separator = findSeparator(text);
    const reader = new RecordReader(text, this.separator);
    const first = reader.next();
    if (first === null) throw new Error("The file has no rows. Choose a CSV file with a header and at least one row.");
    this.hasHeader = hasHeader ?? looksLikeHeader(first, new RecordReader(text, this.separator));
    this.names = distinctNames(this.hasHeader ? first : first.map(() => ""));
    this.renamed = this.hasHeader && this.names.some((name, i) => name !== unescapeFormula(first[i]).trim());
    this.columns = this.names.map((name) => new Column(name));
    this.starts = [];
    this.numbers = [];
    this.ragged = { count: 0, lines: [] };
    if (!this.hasHeader) this.#add(first, reader);
    for (let cells = reader.next(); cells !== null; cells = reader.next()) {
      this.#add(cells, reader);
      if (this.starts.length % 20000 === 0) onProgress(reader.position / text.length);
    }
    if (this.starts.length === 0) throw new Error("The file has a header but no rows. Add at least one row.");
    this.reader = reader;
  }

  #add(cells, reader) {
    if (cells.length !== this.columns.length) {
      this.ragged.count += 1;
      if (this.ragged.lines.length < MAX_RAGGED_LINES) this.ragged.lines.push(reader.recordNumber);
      return;
    }
    this.starts.push(reader.start);
    this.numbers.push(reader.recordNumber);
    for (let i = 0; i < cells.length; i += 1) this.columns[i].add(cells[i]);
  }

  get nRows() {
    return this.starts.length;
  }

  /** The cells of a row as text, without the apostrophes that escape formulas. */
  row(index) {
    return this.reader.recordAt(this.starts[index]).map(unescapeFormula);
  }

  /** Everything that the page shows before anything is sent. */
  describe() {
    const preview = [];
    for (let i = 0; i < Math.min(PREVIEW_ROWS, this.nRows); i += 1) preview.push(this.row(i));
    return {
      separator: this.separator,
      hasHeader: this.hasHeader,
      renamed: this.renamed,
      ragged: this.ragged,
      nRows: this.nRows,
      columns: this.columns.map((column) => column.summary()),
      preview,
    };
  }

  /**
   * Labels of a column with their counts, most frequent first. Only the first `MAX_DISTINCT` labels
   * are counted.
   */
  classes(column) {
    const counts = [...this.columns[column].counts].filter(([word]) => !isMissing(word));
    counts.sort((a, b) => b[1] - a[1]);
    return counts.map(([label, n]) => ({ label: unescapeFormula(label), count: n }));
  }

  /** Rows in which the cell of this column is missing. */
  rowsWithout(column) {
    const rows = [];
    if (this.columns[column].missing === 0) return rows;
    for (let i = 0; i < this.nRows; i += 1) if (isMissing(this.row(i)[column])) rows.push(i);
    return rows;
  }

  /** Line numbers of rows, as a spreadsheet shows them. */
  lines(rows) {
    return rows.map((row) => this.numbers[row]);
  }

  /** Number columns, ordered by how well they separate the classes of the target, best first. */
  rankFeatures(target) {
    const rows = sampleRows(this.nRows, MAX_SCORED_ROWS);
    const labels = rows.map((row) => this.row(row)[target].trim());
    const score = ({ numbers }) => fisherRatio(rows.map((row) => numbers.values[row]), labels);
    return this.columns
      .map((column, i) => ({ i, score: column.kind === "number" && i !== target ? score(column) : -1 }))
      .filter((found) => found.score >= 0)
      .sort((a, b) => b.score - a.score)
      .map(({ i }) => i);
  }

  /** A sample of the rows, and all rows of `always`, as points: two number columns, label, row. */
  points({ x, y, label, maxRows, always }) {
    const rows = new Set([...always, ...sampleRows(this.nRows, maxRows)]);
    const found = [];
    for (const i of [...rows].sort((a, b) => a - b)) {
      const point = [this.columns[x].numbers.values[i], this.columns[y].numbers.values[i]];
      if (point.every(Number.isFinite)) found.push([...point, this.row(i)[label].trim(), i]);
    }
    return found;
  }

  /**
   * Rows as POST /predict takes them: numbers, text and nulls, in the column order of the model.
   * @param {{name: string, kind: "number" | "text"}[]} wanted
   */
  values(wanted, from, to) {
    const places = wanted.map(({ name }) => this.names.indexOf(name));
    const rows = [];
    for (let i = from; i < Math.min(to, this.nRows); i += 1) {
      const cells = this.row(i);
      rows.push(places.map((place, k) => this.#cellValue(place, i, cells[place], wanted[k].kind)));
    }
    return rows;
  }

  /**
   * Text in a column that must be numeric is sent as it is: the service reports the faulty cell.
   */
  #cellValue(place, row, cell, kind) {
    if (isMissing(cell)) return null;
    const column = this.columns[place];
    const value = column.numbers.values[row];
    const isClear = Number.isFinite(value) && (column.hasDecimalCommas || !cell.includes(","));
    return kind === "number" && isClear ? value : cell.trim();
  }

  /**
   * The table as CSV with commas as separators and decimal points.
   * @param {object} selection
   * @param {number[]} [selection.columns] all by default
   * @param {number[]} [selection.excludedRows] none by default
   * @param {boolean} [selection.escapeFormulas] see `toCsvCell`
   * @param {{names: string[], rows: string[][]}} [selection.extra] additional columns, row by row
   * @returns {Blob}
   */
  write({ columns = this.columns.map((_, i) => i), excludedRows = [], escapeFormulas = false, extra }) {
    const excluded = new Set(excludedRows);
    const parts = [];
    const names = [...columns.map((i) => this.names[i]), ...(extra?.names || [])];
    let lines = [names.map((name) => toCsvCell(name, escapeFormulas)).join(",")];
    const commas = this.columns.map((column) => column.hasDecimalCommas);
    for (let i = 0; i < this.nRows; i += 1) {
      if (excluded.has(i)) continue;
      const cells = this.row(i);
      const row = columns.map((j) => (commas[j] ? cells[j].replace(",", ".") : cells[j]));
      if (extra) row.push(...extra.rows[i]);
      lines.push(row.map((cell) => toCsvCell(cell, escapeFormulas)).join(","));
      if (lines.length >= 50000) {
        parts.push(`${lines.join("\n")}\n`);
        lines = [];
      }
    }
    if (lines.length) parts.push(`${lines.join("\n")}\n`);
    return new Blob(parts, { type: "text/csv" });
  }
}

const isNumeric = (cell) => isNumber(cell) || isDecimalComma(cell);

/**
 * Whether the first line is a header. A line of numbers never is. Any other line is compared with
 * the columns that have only numbers below it: it is a header if it has text above one of them, or
 * if there are no such columns.
 */
function looksLikeHeader(first, reader) {
  if (first.every((cell) => isNumber(cell) || isMissing(cell))) return false;
  const rows = [];
  reader.next(); // skip the first line itself
  for (let cells = reader.next(); cells && rows.length < HEADER_SAMPLE_ROWS; cells = reader.next()) {
    if (cells.length === first.length) rows.push(cells);
  }
  const isAboveNumbers = (_, i) => {
    const below = rows.map((cells) => cells[i]).filter((cell) => !isMissing(cell));
    return below.length > 0 && below.every(isNumeric);
  };
  const above = first.filter(isAboveNumbers).filter((cell) => !isMissing(cell));
  return above.length === 0 || !above.every(isNumeric);
}

/** Names for all columns: not empty, distinct, and short enough for the service. */
function distinctNames(given) {
  const taken = new Set();
  return given.map((cell, i) =>
    uniqueName(unescapeFormula(cell).trim().slice(0, MAX_NAME - 8) || `column ${i + 1}`, taken),
  );
}
