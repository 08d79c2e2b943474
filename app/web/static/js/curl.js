/** The same calls for a shell. */

import { BASE, key } from "./api.js";

/** One word for a POSIX shell, whatever is in it. */
export function quote(word) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A curl line. The key is named, never shown.
 * @param {string} path relative to the service
 * @param {{method?: string, json?: unknown, headers?: string[], file?: string}} [options]
 */
export function curl(path, { method, json, headers = [], file } = {}) {
  const words = ["curl"];
  const implied = json !== undefined || file !== undefined ? "POST" : "GET";
  if (method && method !== implied) words.push("-X", method);
  for (const header of headers) words.push("-H", quote(header));
  if (json !== undefined) {
    words.push("-H", quote("content-type: application/json"), "-d", quote(JSON.stringify(json)));
  }
  if (file !== undefined) words.push("--data-binary", quote(`@${file}`));
  if (key.get()) words.push("-H", '"Authorization: Bearer $FRTSVM_KEY"');
  words.push(quote(new URL(path, BASE).href));
  return words.join(" ");
}
