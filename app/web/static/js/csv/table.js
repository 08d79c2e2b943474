/** A CSV as columns, with what there is to say about them. Runs in a worker. */

import {
  isDecimalComma, isInfinite, isMissing, isNumber, mayBeThousands, unguarded, written,
} from "./cells.js";
import { freshName } from "./names.js";
import { RecordReader, findSeparator } from "./reader.js";
import { separation } from "./telling.js";

const PREVIEW_ROWS = 8;
/** Distinct words that are counted; beyond them a column is called "many". */
const MAX_WORDS = 1000;
const MAX_NAME = 256;
const MAX_FLAWED = 5;
/** Rows that are enough to see which columns tell the classes apart. */
const MOST_LOOKED_AT = 5000;
/** Multiples of it leave remainders that are spread most evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Rows after the first line that tell whether it holds names. */
const ROWS_TO_GUESS_BY = 100;
/** Fewer rows than this may well differ by chance. */
const FEW_ROWS = 20;
/** Words are names of rows where this share of them, or more, occurs once only. */
const SHARE_OF_NAMES = 0.9;
/** Numbers that are all different and follow upon each other this often count rows; some may be gone. */
const SHARE_OF_STEPS = 0.5;

/** Numbers of one column, in an array that grows. */
class Numbers {
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

  all() {
    return this.values.subarray(0, this.length);
  }
}

/** What is counted about one column while it is read. */
class Column {
  constructor(name) {
    this.name = name;
    this.numbers = new Numbers();
    this.words = new Map();
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
    const seen = this.words.get(word);
    if (seen !== undefined) this.words.set(word, seen + 1);
    else if (this.words.size <= MAX_WORDS) this.words.set(word, 1);
  }

  /** A comma is a decimal point if nothing speaks against it: no points, and not just thousands. */
  get hasDecimalCommas() {
    return this.commas > 0 && this.dots === 0 && this.commas > this.ambiguous && this.text === 0;
  }

  get kind() {
    if (this.missing === this.numbers.length) return "empty";
    const isText = this.text > 0 || (this.commas > 0 && !this.hasDecimalCommas);
    return isText ? "text" : "number";
  }

  /** "names" or "counts" where a column says which row it is, and not what the row is like. */
  get identifies() {
    const n = this.numbers.length - this.missing;
    if (n < FEW_ROWS) return null;
    if (this.kind === "text") return this.distinct >= SHARE_OF_NAMES * n ? "names" : null;
    return this.kind === "number" && this.missing === 0 && runsInSteps(this.numbers.all()) ? "counts" : null;
  }

  get distinct() {
    return [...this.words.keys()].filter((word) => !isMissing(word)).length;
  }

  summary() {
    const { kind } = this;
    const range = { min: Infinity, max: -Infinity };
    let whole = kind === "number";
    if (kind === "number") {
      for (const value of this.numbers.all()) {
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
      distinct: Math.min(this.distinct, MAX_WORDS),
      many: this.words.size > MAX_WORDS,
      identifies: this.identifies,
      decimalComma: this.hasDecimalCommas,
      ambiguousComma: this.commas > 0 && !this.hasDecimalCommas,
      min: range.min,
      max: range.max,
    };
  }
}

/** Rows from all of a table. Equal steps would miss classes that take turns, so each is a little off. */
function spread(nRows, most) {
  if (nRows <= most) return Array.from({ length: nRows }, (_, i) => i);
  return Array.from({ length: most }, (_, k) => Math.floor(((k + ((k * GOLDEN) % 1)) * nRows) / most));
}

/** Whole numbers, all different, of which most follow upon the one before. */
function runsInSteps(values) {
  if (!values.every(Number.isInteger)) return false;
  const sorted = Float64Array.from(values).sort();
  const steps = sorted.subarray(1).map((value, i) => value - sorted[i]);
  const least = steps.reduce((a, b) => Math.min(a, b));
  return least > 0 && steps.filter((step) => step === least).length >= SHARE_OF_STEPS * steps.length;
}

export class Table {
  /**
   * @param {string} text without a byte order mark
   * @param {(share: number) => void} [onProgress]
   * @param {boolean} [hasHeader] whether the first line holds names; guessed if it is not said
   */
  constructor(text, onProgress = () => {}, hasHeader = undefined) {
    if (!text.includes("\n")) text = text.replaceAll("\r", "\n"); // the oldest of line ends
    this.separator = findSeparator(text);
    const reader = new RecordReader(text, this.separator);
    const first = reader.next();
    if (first === null) throw new Error("the file has no rows");
    this.hasHeader = hasHeader ?? holdsNames(first, new RecordReader(text, this.separator));
    this.names = distinctNames(this.hasHeader ? first : first.map(() => ""));
    this.renamed = this.hasHeader && this.names.some((name, i) => name !== unguarded(first[i]).trim());
    this.columns = this.names.map((name) => new Column(name));
    this.starts = [];
    this.numbers = [];
    this.ragged = { count: 0, lines: [] };
    if (!this.hasHeader) this.#add(first, reader);
    for (let cells = reader.next(); cells !== null; cells = reader.next()) {
      this.#add(cells, reader);
      if (this.starts.length % 20000 === 0) onProgress(reader.position / text.length);
    }
    if (this.starts.length === 0) throw new Error("the file has a header but no rows");
    this.reader = reader;
  }

  #add(cells, reader) {
    if (cells.length !== this.columns.length) {
      this.ragged.count += 1;
      if (this.ragged.lines.length < MAX_FLAWED) this.ragged.lines.push(reader.number);
      return;
    }
    this.starts.push(reader.start);
    this.numbers.push(reader.number);
    for (let i = 0; i < cells.length; i += 1) this.columns[i].add(cells[i]);
  }

  get nRows() {
    return this.starts.length;
  }

  /** The cells of a row as text, guards taken off. */
  row(index) {
    return this.reader.at(this.starts[index]).map(unguarded);
  }

  /** All that is shown before anything is sent. */
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

  /** Labels of a column with their counts, commonest first; what is beyond the limit is only counted. */
  classes(column) {
    const words = [...this.columns[column].words].filter(([word]) => !isMissing(word));
    words.sort((a, b) => b[1] - a[1]);
    return words.map(([label, n]) => ({ label: unguarded(label), count: n }));
  }

  /** Rows whose cell in a column is missing. */
  rowsWithout(column) {
    const rows = [];
    if (this.columns[column].missing === 0) return rows;
    for (let i = 0; i < this.nRows; i += 1) if (isMissing(this.row(i)[column])) rows.push(i);
    return rows;
  }

  /** Row numbers as a spreadsheet shows them. */
  lines(rows) {
    return rows.map((row) => this.numbers[row]);
  }

  /** Number columns, those that tell the classes of a column apart best first. */
  telling(target) {
    const rows = spread(this.nRows, MOST_LOOKED_AT);
    const labels = rows.map((row) => this.row(row)[target].trim());
    const score = ({ numbers }) => separation(rows.map((row) => numbers.values[row]), labels);
    return this.columns
      .map((column, i) => ({ i, score: column.kind === "number" && i !== target ? score(column) : -1 }))
      .filter((found) => found.score >= 0)
      .sort((a, b) => b.score - a.score)
      .map(({ i }) => i);
  }

  /** Some rows, spread evenly, and those that may not be missed, as points: two number columns and a label. */
  points({ x, y, label, most, always }) {
    const rows = new Set([...always, ...spread(this.nRows, most)]);
    const found = [];
    for (const i of [...rows].sort((a, b) => a - b)) {
      const point = [this.columns[x].numbers.values[i], this.columns[y].numbers.values[i]];
      if (point.every(Number.isFinite)) found.push([...point, this.row(i)[label].trim(), i]);
    }
    return found;
  }

  /**
   * Rows as the service takes them: numbers, words and nulls, in the order of the columns of a model.
   * @param {{name: string, kind: "number" | "text"}[]} wanted
   */
  values(wanted, from, to) {
    const places = wanted.map(({ name }) => this.names.indexOf(name));
    const rows = [];
    for (let i = from; i < Math.min(to, this.nRows); i += 1) {
      const cells = this.row(i);
      rows.push(places.map((place, k) => this.#value(place, i, cells[place], wanted[k].kind)));
    }
    return rows;
  }

  /** A word where the model has numbers is left as it is: the service says which cell is wrong. */
  #value(place, row, cell, kind) {
    if (isMissing(cell)) return null;
    const column = this.columns[place];
    const value = column.numbers.values[row];
    const isClear = Number.isFinite(value) && (column.hasDecimalCommas || !cell.includes(","));
    return kind === "number" && isClear ? value : cell.trim();
  }

  /**
   * The table as a CSV with commas and decimal points.
   * @param {object} wish
   * @param {number[]} [wish.columns] all, if it is not said
   * @param {number[]} [wish.without] rows to leave out
   * @param {boolean} [wish.guard] keep spreadsheets from running text
   * @param {{names: string[], rows: string[][]}} [wish.extra] further columns, row by row
   * @returns {Blob}
   */
  write({ columns = this.columns.map((_, i) => i), without = [], guard = false, extra }) {
    const left = new Set(without);
    const parts = [];
    const names = [...columns.map((i) => this.names[i]), ...(extra?.names || [])];
    let lines = [names.map((name) => written(name, guard)).join(",")];
    const commas = this.columns.map((column) => column.hasDecimalCommas);
    for (let i = 0; i < this.nRows; i += 1) {
      if (left.has(i)) continue;
      const cells = this.row(i);
      const row = columns.map((j) => (commas[j] ? cells[j].replace(",", ".") : cells[j]));
      if (extra) row.push(...extra.rows[i]);
      lines.push(row.map((cell) => written(cell, guard)).join(","));
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

/** Whether the first line holds names: a word above numbers says so, a number above them says no. */
function holdsNames(first, reader) {
  if (first.every((cell) => isNumber(cell) || isMissing(cell))) return false;
  const rows = [];
  reader.next(); // the first line itself
  for (let cells = reader.next(); cells && rows.length < ROWS_TO_GUESS_BY; cells = reader.next()) {
    if (cells.length === first.length) rows.push(cells);
  }
  const isAboveNumbers = (_, i) => {
    const below = rows.map((cells) => cells[i]).filter((cell) => !isMissing(cell));
    return below.length > 0 && below.every(isNumeric);
  };
  const above = first.filter(isAboveNumbers).filter((cell) => !isMissing(cell));
  return above.length === 0 || !above.every(isNumeric);
}

/** Names that are there, short enough, and differ. */
function distinctNames(given) {
  const taken = new Set();
  return given.map((cell, i) =>
    freshName(unguarded(cell).trim().slice(0, MAX_NAME - 8) || `column ${i + 1}`, taken),
  );
}
