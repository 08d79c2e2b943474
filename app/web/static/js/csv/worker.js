/** Holds one table and answers questions about it, so that the page stays free. */

import { Table } from "./table.js";

/** @type {Table | undefined} */
let table;

const READ_SHARE = 0.3;

/** The text of a file in UTF-8, or else in the encoding that old spreadsheets write. */
async function textOf(blob, report) {
  try {
    return { text: await decoded(blob, "utf-8", report), encoding: "UTF-8" };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: await decoded(blob, "windows-1252", report), encoding: "Windows-1252" };
  }
}

async function decoded(blob, encoding, report) {
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
    const { text, encoding } = await textOf(blob, (share) => report(READ_SHARE * share));
    table = new Table(text, (share) => report(READ_SHARE + (1 - READ_SHARE) * share), hasHeader);
    return { ...table.describe(), encoding };
  },
  classes: (column) => table.classes(column),
  rowsWithout: (column) => table.rowsWithout(column),
  rows: (indices) => indices.map((index) => table.row(index)),
  lines: (indices) => table.lines(indices),
  telling: (target) => table.telling(target),
  points: (wish) => table.points(wish),
  values: ({ wanted, from, to }) => table.values(wanted, from, to),
  write: (wish) => table.write(wish),
};

self.addEventListener("message", async ({ data: { id, action, argument } }) => {
  const report = (share) => self.postMessage({ id, share });
  try {
    self.postMessage({ id, result: await actions[action](argument, report) });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
});
