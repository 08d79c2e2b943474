/** Downloads of files that the page creates. */

import { h } from "../dom.js";

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * `data.csv` becomes `data-cleaned.csv`. Characters that file systems reject become underscores.
 */
export function nameWithSuffix(name, suffix) {
  const stem = name.replace(/\.(csv|tsv|txt)$/i, "").replace(/[<>:"/\\|?*~\u0000-\u001f]/g, "_");
  return `${stem.replace(/^\.+/, "_")}-${suffix}.csv`;
}
