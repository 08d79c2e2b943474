/** Optional features of this service, read from its OpenAPI document. */

import { api } from "./api.js";

let found = null;

/** @returns {Promise<{search: boolean, keep: boolean}>} */
export function capabilities() {
  found ??= read().catch(() => {
    found = null; // retry at the next call
    return { search: false, keep: false };
  });
  return found;
}

async function read() {
  const document = await api.document();
  const training = document.components?.schemas?.TrainingRequest?.properties ?? {};
  const cancel = document.paths?.["/jobs/{job}"]?.delete?.parameters ?? [];
  return {
    search: "search" in training,
    keep: cancel.some((parameter) => parameter.name === "keep"),
  };
}
