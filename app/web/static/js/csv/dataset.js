/** A table that a web worker holds. The methods of `Dataset` send requests to the worker. */

const WORKER = new URL("./worker.js", import.meta.url).href;
/** In bytes: above the default limit of the service, and below the longest possible string. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Where the page policy requires trusted types, a worker can only be started from an approved URL.
 */
const policy = globalThis.trustedTypes?.createPolicy("studio", {
  createScriptURL(address) {
    if (address !== WORKER) throw new TypeError("Not a script of the studio.");
    return address;
  },
});

export class Dataset {
  #worker = new Worker(policy ? policy.createScriptURL(WORKER) : WORKER, { type: "module" });
  #pending = new Map();
  #lastId = 0;

  /** @param {string} name the name of the file */
  constructor(name) {
    this.name = name;
    this.#worker.addEventListener("message", ({ data }) => this.#onMessage(data));
    this.#worker.addEventListener("error", () =>
      this.#rejectAll("The file could not be read. Reload the page and try again."),
    );
  }

  #onMessage({ id, share, result, error }) {
    const request = this.#pending.get(id);
    if (!request) return;
    if (share !== undefined) {
      request.onProgress?.(share);
      return;
    }
    this.#pending.delete(id);
    if (error === undefined) request.resolve(result);
    else request.reject(new Error(error));
  }

  #rejectAll(message) {
    for (const { reject } of this.#pending.values()) reject(new Error(message));
    this.#pending.clear();
  }

  #request(action, argument, onProgress) {
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage({ id, action, argument });
    });
  }

  /**
   * Read a file. Afterwards `about` describes its columns, first rows and encoding.
   * @param {Blob} blob
   * @param {{onProgress?: (share: number) => void, hasHeader?: boolean}} [options]
   */
  async load(blob, { onProgress, hasHeader } = {}) {
    if (blob.size > MAX_BYTES) {
      throw new Error("The file is larger than 256 MiB. Use a file with fewer rows or columns.");
    }
    this.about = await this.#request("load", { blob, hasHeader }, onProgress);
    this.file = blob;
    return this;
  }

  classes = (column) => this.#request("classes", column);
  rowsWithout = (column) => this.#request("rowsWithout", column);
  rows = (indices) => this.#request("rows", indices);
  lines = (indices) => this.#request("lines", indices);
  rankFeatures = (target) => this.#request("rankFeatures", target);
  points = (selection) => this.#request("points", selection);
  values = (wanted, from, to) => this.#request("values", { wanted, from, to });
  write = (selection) => this.#request("write", selection);

  close() {
    this.#worker.terminate();
    this.#rejectAll("The table has been closed. Open the file again.");
  }
}
