/** A table in a worker, as the page sees it. */

const WORKER = new URL("./worker.js", import.meta.url).href;
/** More than the service takes by default, and less than a string can hold. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Browsers that know trusted types want a policy to say that this one address is a script. */
const policy = globalThis.trustedTypes?.createPolicy("studio", {
  createScriptURL(address) {
    if (address !== WORKER) throw new TypeError("not a script of this page");
    return address;
  },
});

export class Dataset {
  #worker = new Worker(policy ? policy.createScriptURL(WORKER) : WORKER, { type: "module" });
  #waiting = new Map();
  #last = 0;

  /** @param {string} name the name of the file */
  constructor(name) {
    this.name = name;
    this.#worker.addEventListener("message", ({ data }) => this.#answer(data));
    this.#worker.addEventListener("error", () => this.#fail("the file could not be read"));
  }

  #answer({ id, share, result, error }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (share !== undefined) {
      waiting.onProgress?.(share);
      return;
    }
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error));
  }

  #fail(message) {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  #ask(action, argument, onProgress) {
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage({ id, action, argument });
    });
  }

  /**
   * Read a file; afterwards `about` says what is in it.
   * @param {Blob} blob
   * @param {{onProgress?: (share: number) => void, hasHeader?: boolean}} [options]
   */
  async load(blob, { onProgress, hasHeader } = {}) {
    if (blob.size > MAX_BYTES) throw new Error("the file is larger than 256 MB");
    this.about = await this.#ask("load", { blob, hasHeader }, onProgress);
    this.file = blob;
    return this;
  }

  classes = (column) => this.#ask("classes", column);
  rowsWithout = (column) => this.#ask("rowsWithout", column);
  rows = (indices) => this.#ask("rows", indices);
  lines = (indices) => this.#ask("lines", indices);
  telling = (target) => this.#ask("telling", target);
  points = (wish) => this.#ask("points", wish);
  values = (wanted, from, to) => this.#ask("values", { wanted, from, to });
  write = (wish) => this.#ask("write", wish);

  close() {
    this.#worker.terminate();
    this.#fail("the table was closed");
  }
}
