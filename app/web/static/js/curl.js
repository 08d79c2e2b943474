/** curl commands equivalent to the requests of the studio. */

import { BASE, key } from "./api.js";

/** Quote a word for a POSIX shell. */
export function quote(word) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * A curl command. The key appears as `$FRTSVM_KEY`, never as its value.
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
