/** HTTP client for the service that served this page. Works under any URL prefix. */

/** Base URL of the service: this module is served as `<base>studio/js/api.js`. */
export const BASE = new URL("../../", import.meta.url);

/** Items per page of a list. The service accepts at most this many. */
export const PAGE_SIZE = 1000;

const STORED_KEY = "frtsvm-key";
const NO_RESPONSE =
  "The service does not respond. Check that it is running and reachable, then try again.";

/** A response other than 2xx, with the fields of the service's problem document. */
class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    super(body.detail || body.title || `The service responded with status ${status}.`);
    this.status = status;
    this.title = body.title || "Error";
    this.errors = body.errors || [];
  }
}

/** API key, kept in the session storage of the tab and nowhere else. */
export const key = {
  get: () => sessionStorage.getItem(STORED_KEY) || "",
  set(value) {
    if (value) sessionStorage.setItem(STORED_KEY, value);
    else sessionStorage.removeItem(STORED_KEY);
  },
};

/** Called when the service responds with 401 or 403. */
let accessDeniedListener = () => {};
export function onAccessDenied(listener) {
  accessDeniedListener = listener;
}

/**
 * @typedef {object} Options
 * @property {string} [method]
 * @property {unknown} [json] the body, sent as JSON
 * @property {BodyInit} [body]
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [quiet] on 401 and 403, only throw: do not ask the user for a key
 */

/**
 * Send one request. A response other than 2xx is thrown as a `Problem`.
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
    throw new Problem(0, { title: "No connection", detail: NO_RESPONSE });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  const isDenied = response.status === 401 || response.status === 403;
  if (isDenied && !options.quiet) accessDeniedListener(problem);
  throw problem;
}

async function problemOf(response) {
  try {
    return new Problem(response.status, await response.json());
  } catch {
    return new Problem(response.status, {});
  }
}

/** Send a request whose response is JSON. @returns {Promise<any>} */
async function fetchJson(path, options) {
  return (await call(path, options)).json();
}

/** `path?name=value`, without empty, null and undefined values. */
export function withQuery(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  return query.size ? `${path}?${query}` : path;
}

export const modelPath = (model) => `models/${encodeURIComponent(model)}`;
export const versionPath = (model, version) => `${modelPath(model)}/versions/${version}`;

/** All requests that the studio sends. */
export const api = {
  models: () => fetchJson(withQuery("models", { limit: PAGE_SIZE })),
  model: (name) => fetchJson(withQuery(modelPath(name), { limit: PAGE_SIZE })),
  version: (model, version) => fetchJson(versionPath(model, version)),
  document: () => fetchJson("openapi.json"),

  /** Fetch a list page by page, at most `maxItems` items. */
  async fetchAll(path, query, maxItems) {
    const items = [];
    let total = 0;
    do {
      const page = await fetchJson(withQuery(path, { ...query, limit: PAGE_SIZE, offset: items.length }));
      total = page.total;
      items.push(...page.items);
      if (page.items.length === 0) break;
    } while (items.length < Math.min(total, maxItems));
    return { items, total };
  },

  /**
   * Fetch the planes with all landmarks, page by page; null if there are more than `maxLandmarks`.
   */
  async planes(model, version, maxLandmarks) {
    const path = `${versionPath(model, version)}/planes`;
    const found = await fetchJson(withQuery(path, { limit: PAGE_SIZE }));
    if (found.n_landmarks > maxLandmarks) return null;
    while (found.landmarks && found.landmarks.length < found.n_landmarks) {
      const offset = found.landmarks.length;
      const more = await fetchJson(withQuery(path, { limit: PAGE_SIZE, offset }));
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
  /** Quiet: a key without access to jobs is no reason to ask the user for another key. */
  jobs: (state) => fetchJson(withQuery("jobs", { state, limit: 20 }), { quiet: true }),
  cancel: (job, keep) => call(withQuery(`jobs/${job}`, { keep }), { method: "DELETE" }),
  promote: (model, version) =>
    call(`${modelPath(model)}/aliases/production`, { method: "PUT", json: { version } }),
  rollBack: (model) => call(`${modelPath(model)}/aliases/production/rollback`, { method: "POST" }),
  removeVersion: (model, version) => call(versionPath(model, version), { method: "DELETE" }),
  removeModel: (model) => call(modelPath(model), { method: "DELETE" }),
};
