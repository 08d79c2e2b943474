/** Calls to the service this page came from, whatever the prefix it is served under. */

/** The address of the service: this module is at `<base>studio/js/api.js`. */
export const BASE = new URL("../../", import.meta.url);

/** Items of one page of a list: as many as the service gives. */
export const PAGE = 1000;

const STORED_KEY = "frtsvm-key";

/** An answer that is not a success, in the words of the service. */
class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    super(body.detail || body.title || `the service answered ${status}`);
    this.status = status;
    this.title = body.title || "Problem";
    this.errors = body.errors || [];
  }
}

/** The key lives as long as the tab; it is never written anywhere else. */
export const key = {
  get: () => sessionStorage.getItem(STORED_KEY) || "",
  set(value) {
    if (value) sessionStorage.setItem(STORED_KEY, value);
    else sessionStorage.removeItem(STORED_KEY);
  },
};

/** Called when the service wants a key, or another one. */
let onRefused = () => {};
export function whenRefused(listener) {
  onRefused = listener;
}

/**
 * @typedef {object} Options
 * @property {string} [method]
 * @property {unknown} [json] the body as JSON
 * @property {BodyInit} [body]
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [quiet] a refusal is only thrown
 */

/**
 * One call; answers other than 2xx are thrown as `Problem`.
 * @param {string} path relative, without a leading slash
 * @param {Options} [options]
 * @returns {Promise<Response>}
 */
export async function call(path, options = {}) {
  const headers = { ...options.headers };
  if (key.get()) headers.authorization = `Bearer ${key.get()}`;
  let { body } = options;
  if (options.json !== undefined) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(options.json);
  }
  let response;
  try {
    const { method = "GET", signal } = options;
    response = await fetch(new URL(path, BASE), { method, headers, body, signal, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "No answer", detail: "the service does not answer" });
  }
  if (response.ok) return response;
  const found = await problemOf(response);
  const isRefused = response.status === 401 || response.status === 403;
  if (isRefused && !options.quiet) onRefused(found);
  throw found;
}

async function problemOf(response) {
  try {
    return new Problem(response.status, await response.json());
  } catch {
    return new Problem(response.status, {});
  }
}

/** A call whose answer is JSON. @returns {Promise<any>} */
async function fetchJson(path, options) {
  return (await call(path, options)).json();
}

/** `path?name=value`, without the values that are not there. */
export function withQuery(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  return query.size ? `${path}?${query}` : path;
}

export const modelPath = (model) => `models/${encodeURIComponent(model)}`;
export const versionPath = (model, version) => `${modelPath(model)}/versions/${version}`;

/** The calls that the page makes. */
export const api = {
  models: () => fetchJson(withQuery("models", { limit: PAGE })),
  model: (name) => fetchJson(withQuery(modelPath(name), { limit: PAGE })),
  version: (model, version) => fetchJson(versionPath(model, version)),
  document: () => fetchJson("openapi.json"),

  /** All pages of a list, at most `most` items of it. */
  async pages(path, query, most) {
    const items = [];
    let total = 0;
    do {
      const page = await fetchJson(withQuery(path, { ...query, limit: PAGE, offset: items.length }));
      total = page.total;
      items.push(...page.items);
      if (page.items.length === 0) break;
    } while (items.length < Math.min(total, most));
    return { items, total };
  },

  /** The planes with all landmarks, which come in pages. */
  async planes(model, version, most) {
    const path = `${versionPath(model, version)}/planes`;
    const found = await fetchJson(withQuery(path, { limit: PAGE }));
    if (found.n_landmarks > most) return null;
    while (found.landmarks && found.landmarks.length < found.n_landmarks) {
      const offset = found.landmarks.length;
      const more = await fetchJson(withQuery(path, { limit: PAGE, offset }));
      found.landmarks.push(...more.landmarks);
      found.planes.forEach((plane, i) => plane.dual_coef.push(...more.planes[i].dual_coef));
    }
    return found;
  },

  predict: (body, signal) => fetchJson("predict", { method: "POST", json: body, signal }),
  train: (query, body, signal) =>
    fetchJson(withQuery("train", query), {
      method: "POST",
      body,
      signal,
      headers: { "content-type": "text/csv", prefer: "respond-async" },
    }),
  /** Whoever may not see them is not asked for a key because of that. */
  jobs: (state) => fetchJson(withQuery("jobs", { state, limit: 20 }), { quiet: true }),
  cancel: (job, keep) => call(withQuery(`jobs/${job}`, { keep }), { method: "DELETE" }),
  promote: (model, version) =>
    call(`${modelPath(model)}/aliases/production`, { method: "PUT", json: { version } }),
  rollBack: (model) => call(`${modelPath(model)}/aliases/production/rollback`, { method: "POST" }),
  removeVersion: (model, version) => call(versionPath(model, version), { method: "DELETE" }),
  removeModel: (model) => call(modelPath(model), { method: "DELETE" }),
};
