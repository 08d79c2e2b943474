/** State of the page. It is not stored: a reload starts with an empty session. */

/**
 * @typedef {object} TrainingData the data of one training
 * @property {import("./csv/dataset.js").Dataset} dataset
 * @property {number} target column
 * @property {number[]} features columns
 * @property {number[]} excludedRows rows of the table that were not sent, in ascending order
 * @property {number[]} removedByUser those that the user removed; the others have no class
 */

export const session = {
  /** @type {import("./csv/dataset.js").Dataset | null} the open table */
  dataset: null,
  /** @type {{target: number, features: Set<number>, excludedRows: Set<number>, name: string} | null} */
  plan: null,
  /** @type {Map<string, TrainingData>} the data of each version trained in this page */
  trained: new Map(),
  /** @type {{model: string, version: number} | null} the version shown last */
  current: null,
  /**
   * @type {{panel: HTMLElement, job: string | null} | null} the training started in this page, and
   * its panel
   */
  running: null,
  /** @type {Map<string, HTMLElement>} panels of other running trainings, by job */
  otherJobs: new Map(),
};

export const versionKey = (model, version) => `${model}/${version}`;

/** The table that a version was trained on, if it is still open. @returns {TrainingData | null} */
export function trainingDataOf(model, version) {
  return session.trained.get(versionKey(model, version)) ?? null;
}

/**
 * Convert row numbers of the service, which count the rows sent, to row numbers of the table.
 * @param {TrainingData} data
 * @param {number[]} rows
 */
export function toTableRows({ excludedRows }, rows) {
  // The k-th excluded row follows `excludedRows[k] - k` rows that were sent.
  const before = excludedRows.map((row, k) => row - k);
  return rows.map((row) => row + partitionPoint(before, (sentBefore) => sentBefore <= row));
}

/**
 * Convert a row number of the table to the row number of the service, or -1 if it was not sent.
 * @param {TrainingData} data
 */
export function toSentRow({ excludedRows }, place) {
  const left = partitionPoint(excludedRows, (row) => row < place);
  return excludedRows[left] === place ? -1 : place - left;
}

/** Number of leading items of a sorted list that pass a test (binary search). */
function partitionPoint(sorted, passes) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(sorted[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Open another table. The previous one is closed unless a result or a training still uses it. */
export function openTable(dataset, plan) {
  const needed = [...session.trained.values()].some((data) => data.dataset === session.dataset);
  const same = session.dataset === dataset;
  if (session.dataset && !same && !needed && !session.running) session.dataset.close();
  session.dataset = dataset;
  session.plan = plan;
}
