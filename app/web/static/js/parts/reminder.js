/** What happened while another view was looked at; it stays until it is seen. */

import { h } from "../dom.js";

/**
 * @param {string} text
 * @param {string} [address] where there is more to see: who goes there has seen it
 * @param {string} [name] of the link
 */
export function remind(text, address, name = "Show it") {
  const link = address ? h("a", { href: address }, name) : null;
  const close = h("button", { type: "button", class: "quiet", onclick: remove }, "Dismiss");
  const line = h("p", { class: "reminder" }, h("span", {}, text), link, close);
  function remove() {
    line.remove();
    removeEventListener("hashchange", whenSeen);
  }
  function whenSeen() {
    if (location.hash === address) remove();
  }
  addEventListener("hashchange", whenSeen);
  document.getElementById("reminders").append(line);
}
