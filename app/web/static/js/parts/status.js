/** Announcements for screen readers, through the live region `#status`. */

/** @param {string} text */
export function announce(text) {
  const place = document.getElementById("status");
  if (place.textContent !== text) place.textContent = text;
}
