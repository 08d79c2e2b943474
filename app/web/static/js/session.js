/** What the page knows as long as it is open. Nothing of it is stored. */

/**
 * @typedef {object} Sent what was trained on
 * @property {import("./csv/dataset.js").Dataset} dataset
 * @property {number} target column
 * @property {number[]} features columns
 * @property {number[]} without rows of the table that were left out, in order
 * @property {number[]} removed those of them that the user took out; the others have no class
 */

export const session = {
  /** @type {import("./csv/dataset.js").Dataset | null} the table that is open */
  dataset: null,
  /** @type {{target: number, features: Set<number>, without: Set<number>, name: string} | null} */
  plan: null,
  /** @type {Map<string, Sent>} what was trained on, by version */
  trained: new Map(),
  /** @type {{model: string, version: number} | null} the version looked at last */
  current: null,
  /** @type {{panel: HTMLElement, job: string | null} | null} a training under way, and where it is shown */
  running: null,
  /** @type {Map<string, HTMLElement>} jobs begun elsewhere or before a reload, and where they are shown */
  others: new Map(),
};

export const versionKey = (model, version) => `${model}/${version}`;

/** The table a version was trained on in this page, if it still is here. @returns {Sent | null} */
export function sentFor(model, version) {
  return session.trained.get(versionKey(model, version)) ?? null;
}

/**
 * Rows that were sent, as rows of the table they came from.
 * @param {Sent} sent
 * @param {number[]} rows as the service counts them
 */
export function placesOf({ without }, rows) {
  // The k-th row left out was preceded by `without[k] - k` rows that were sent.
  const before = without.map((row, k) => row - k);
  return rows.map((row) => row + countOf(before, (sentBefore) => sentBefore <= row));
}

/**
 * A row of the table as the service counts it, or -1 if it was not sent.
 * @param {Sent} sent
 */
export function positionOf({ without }, place) {
  const left = countOf(without, (row) => row < place);
  return without[left] === place ? -1 : place - left;
}

/** How many items at the beginning of a sorted list pass a test. */
function countOf(sorted, passes) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(sorted[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Open another table. The one before is let go, unless a result still needs it. */
export function openTable(dataset, plan) {
  const needed = [...session.trained.values()].some((sent) => sent.dataset === session.dataset);
  const same = session.dataset === dataset;
  if (session.dataset && !same && !needed && !session.running) session.dataset.close();
  session.dataset = dataset;
  session.plan = plan;
}
