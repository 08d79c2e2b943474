/** One place from which a screen reader hears what happened. */

/** @param {string} text */
export function say(text) {
  const place = document.getElementById("status");
  if (place.textContent !== text) place.textContent = text;
}
