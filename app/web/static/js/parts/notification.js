/**
 * Notification of an event in a view that is not shown. It stays until it is dismissed or followed.
 */

import { h } from "../dom.js";

/**
 * @param {string} text
 * @param {string} [address] fragment of the view with the details; visiting it removes the
 *   notification
 * @param {string} [name] text of the link
 */
export function notify(text, address, name = "Show") {
  const link = address ? h("a", { href: address }, name) : null;
  const close = h("button", { type: "button", class: "quiet", onclick: remove }, "Dismiss");
  const line = h("p", { class: "notification" }, h("span", {}, text), link, close);
  function remove() {
    line.remove();
    removeEventListener("hashchange", onNavigate);
  }
  function onNavigate() {
    if (location.hash === address) remove();
  }
  addEventListener("hashchange", onNavigate);
  document.getElementById("notifications").append(line);
}
