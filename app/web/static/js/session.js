/** What the page knows as long as it is open. Nothing of it is stored. */

/**
 * @typedef {object} Sent what was trained on
 * @property {import("./csv/dataset.js").Dataset} dataset
 * @property {number} target column
 * @property {number[]} features columns
 * @property {number[]} without rows of the table that were left out
 */

export const session = {
  /** @type {import("./csv/dataset.js").Dataset | null} the table that is open */
  dataset: null,
  /** @type {{target: number, features: Set<number>, without: Set<number>, name: string} | null} */
  plan: null,
  /** @type {Map<string, Sent>} by version */
  trained: new Map(),
  /** @type {{model: string, version: number} | null} the version looked at last */
  current: null,
  /** @type {{job: any, sent: Sent, abort: AbortController, keepable: boolean} | null} */
  running: null,
};

export const versionKey = (model, version) => `${model}/${version}`;

/** The table a version was trained on in this page, if it still is here. @returns {Sent | null} */
export function sentFor(model, version) {
  return session.trained.get(versionKey(model, version)) ?? null;
}

/** Position of each row that was sent, in the table it came from. */
export function tableRows(sent) {
  const left = new Set(sent.without);
  const rows = [];
  for (let i = 0; i < sent.dataset.about.nRows; i += 1) if (!left.has(i)) rows.push(i);
  return rows;
}
