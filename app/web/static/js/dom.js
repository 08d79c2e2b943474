/**
 * DOM elements built without HTML strings. Text from the user always becomes a text node.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Create an HTML element. `on...` properties must be functions and become listeners, booleans
 * become attributes without a value, everything else becomes an attribute.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/**
 * Create an SVG element, like `h`.
 * @returns {SVGElement}
 */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      if (typeof value !== "function") throw new TypeError(`${name} takes a function`);
      element.addEventListener(name.slice(2), value);
    } else if (name === "value" && "value" in element) {
      element.value = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter(isShown).map(asNode));
  return element;
}

const isShown = (child) => child !== null && child !== undefined && child !== false;
const asNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));

/** Replace all children of an element. */
export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isShown).map(asNode));
  return element;
}

let last = 0;

/** An id that no other element has. */
export function uniqueId(prefix = "id") {
  last += 1;
  return `${prefix}-${last}`;
}

/** A form control with a label and an optional hint. */
export function field(label, control, hint) {
  control.id ||= uniqueId("field");
  const note = hint ? h("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note);
}

/** A select element; each option is `[value, text]`. */
export function select(options, chosen, properties = {}) {
  const element = h(
    "select",
    properties,
    options.map(([value, text]) =>
      h("option", { value, selected: String(value) === String(chosen) }, text),
    ),
  );
  return element;
}

/** A checkbox or a radio button inside its label. */
export function choice(type, label, properties = {}) {
  return h("label", { class: "choice" }, h("input", { type, ...properties }), h("span", {}, label));
}
