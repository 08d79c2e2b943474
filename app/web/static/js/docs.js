/** The API reference at /docs, rendered from the OpenAPI document of this service. */

import { api } from "./api.js";
import { operationPanel } from "./docs/operation.js";
import { prose, schemaPanel } from "./docs/schema.js";
import { h, replace } from "./dom.js";
import { errorNotice } from "./parts/notice.js";

const main = document.getElementById("view");

/** Operations grouped by their first tag, in the order of the document. */
function byTag({ paths }) {
  const found = new Map();
  for (const [path, calls] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(calls)) {
      const tag = operation.tags?.[0] ?? "other";
      if (!found.has(tag)) found.set(tag, []);
      found.get(tag).push({ method: method.toUpperCase(), path, operation });
    }
  }
  return found;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const idOf = (tag) => `tag-${tag.replaceAll(" ", "-")}`;

function page(openapi) {
  const { info, components } = openapi;
  const tags = byTag(openapi);
  const schemas = Object.entries(components?.schemas ?? {});
  const link = (id, text) => h("li", {}, h("a", { href: `#${id}` }, text));
  return [
    h("h1", {}, `${info.title}: API reference`),
    prose(info.description),
    h("p", { class: "facts" }, `Version ${info.version}`),
    h(
      "nav",
      { "aria-label": "Sections of this page", class: "parts" },
      h("ul", {}, [...tags.keys()].map((tag) => link(idOf(tag), capital(tag))), link("schemas", "Schemas")),
    ),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", onclick: () => openAll(true) }, "Expand all"),
      h("button", { type: "button", onclick: () => openAll(false) }, "Collapse all"),
    ),
    [...tags].map(([tag, calls]) =>
      section(idOf(tag), capital(tag), calls.map((call) => operationPanel(call))),
    ),
    section("schemas", "Schemas", schemas.map(([name, schema]) => schemaPanel(name, schema))),
  ];
}

function section(id, title, children) {
  return h("section", { "aria-labelledby": id }, h("h2", { id, tabindex: "-1" }, title), children);
}

function openAll(open) {
  for (const details of main.querySelectorAll("details")) details.open = open;
}

/** Open the `details` element that the URL fragment points to. Browsers leave it closed. */
function openLinked() {
  const named = document.getElementById(decoded(location.hash.slice(1)));
  if (named?.localName !== "details") return;
  named.open = true;
  named.scrollIntoView();
  named.firstElementChild.focus();
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", openLinked);
try {
  replace(main, page(await api.document()));
  openLinked();
} catch (error) {
  replace(main, h("h1", {}, "API reference"), errorNotice(error));
}
