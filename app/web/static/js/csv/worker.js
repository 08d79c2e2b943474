/** Web worker that parses and holds one table, so that the page stays responsive. */

import { Table } from "./table.js";

/** @type {Table | undefined} */
let table;

const READ_SHARE = 0.3;

/** The text of a file: UTF-8, or Windows-1252 (older spreadsheets) if it is not valid UTF-8. */
async function decode(blob, report) {
  try {
    return { text: await decodeAs(blob, "utf-8", report), encoding: "UTF-8" };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: await decodeAs(blob, "windows-1252", report), encoding: "Windows-1252" };
  }
}

async function decodeAs(blob, encoding, report) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const parts = [];
  const reader = blob.stream().getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    parts.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
    if (done) return parts.join("");
    size += value.length;
    report(size / blob.size);
  }
}

const actions = {
  async load({ blob, hasHeader }, report) {
    const { text, encoding } = await decode(blob, (share) => report(READ_SHARE * share));
    table = new Table(text, (share) => report(READ_SHARE + (1 - READ_SHARE) * share), hasHeader);
    return { ...table.describe(), encoding };
  },
  classes: (column) => table.classes(column),
  rowsWithout: (column) => table.rowsWithout(column),
  rows: (indices) => indices.map((index) => table.row(index)),
  lines: (indices) => table.lines(indices),
  rankFeatures: (target) => table.rankFeatures(target),
  points: (selection) => table.points(selection),
  values: ({ wanted, from, to }) => table.values(wanted, from, to),
  write: (selection) => table.write(selection),
};

self.addEventListener("message", async ({ data: { id, action, argument } }) => {
  const report = (share) => self.postMessage({ id, share });
  try {
    self.postMessage({ id, result: await actions[action](argument, report) });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
});
