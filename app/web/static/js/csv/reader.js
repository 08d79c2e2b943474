/** CSV parser: quoted cells, any line ends, blank lines. */

const SEPARATORS = [",", ";", "\t"];

/** Reads the records of a text one by one. */
export class RecordReader {
  /** @param {string} text @param {string} separator */
  constructor(text, separator) {
    this.text = text;
    this.separator = separator;
    this.position = 0;
    /** Number of records read, blank ones included: the row number that a spreadsheet shows. */
    this.recordNumber = 0;
    /** Position at which the latest record starts. */
    this.start = 0;
  }

  /** The cells of the next record that is not blank; null at the end. @returns {string[] | null} */
  next() {
    while (this.position < this.text.length) {
      this.start = this.position;
      this.recordNumber += 1;
      const cells = this.#nextRecord();
      if (cells.length > 1 || cells[0].trim() !== "") return cells;
    }
    return null;
  }

  /** The record that starts at a position. */
  recordAt(start) {
    this.position = start;
    return this.#nextRecord();
  }

  #nextRecord() {
    const { text } = this;
    let end = text.indexOf("\n", this.position);
    if (end < 0) end = text.length;
    const line = text.slice(this.position, end);
    if (line.includes('"') || line.slice(0, -1).includes("\r")) return this.#quotedRecord();
    this.position = end + 1;
    return (line.endsWith("\r") ? line.slice(0, -1) : line).split(this.separator);
  }

  /** Parse character by character: for records with quotes or old line ends (CR). */
  #quotedRecord() {
    const { text, separator } = this;
    const cells = [];
    let at = this.position;
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        at += 1;
        for (;;) {
          const quote = text.indexOf('"', at);
          if (quote < 0) {
            cell += text.slice(at); // The quote is never closed: the rest of the file belongs to this cell.
            at = text.length;
            break;
          }
          cell += text.slice(at, quote);
          at = quote + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at += 1;
        }
      }
      const from = at;
      while (at < text.length && !"\r\n".includes(text[at]) && text[at] !== separator) at += 1;
      cells.push(cell + text.slice(from, at));
      if (text[at] === separator) {
        at += 1;
        continue;
      }
      if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
      this.position = at + 1;
      return cells;
    }
  }
}

/**
 * Detect the separator: the one that gives most of the first records the same number of cells.
 * @param {string} text
 */
export function findSeparator(text) {
  let best = { separator: ",", even: 0, width: 1 };
  for (const separator of SEPARATORS) {
    const reader = new RecordReader(text.slice(0, 65536), separator);
    const widths = [];
    for (let cells = reader.next(); cells && widths.length < 50; cells = reader.next()) {
      widths.push(cells.length);
    }
    if (widths.length > 1 && reader.position >= 65536) widths.pop(); // truncated by the slice above
    const [width = 1] = widths;
    const even = width > 1 ? widths.filter((other) => other === width).length / widths.length : 0;
    if (even > best.even || (even === best.even && width > best.width)) {
      best = { separator, even, width };
    }
  }
  return best.separator;
}
