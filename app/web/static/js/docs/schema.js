/** JSON schemas rendered for reading. */

import { h } from "../dom.js";
import { plainTable, scrollable } from "../parts/table.js";

const idOf = (name) => `schema-${name}`;

/** Paragraphs of text, with the parts between backticks as code. */
export function prose(text) {
  return (text ?? "").split(/\n\s*\n/).filter(Boolean).map((part) => h("p", {}, inline(part)));
}

export const inline = (text) =>
  (text ?? "").split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

/** Panel of a named schema. */
export function schemaPanel(name, schema) {
  return h(
    "details",
    { id: idOf(name), class: "schema" },
    h("summary", {}, h("h3", {}, name)),
    prose(schema.description),
    schema.properties ? fieldTable(name, schema) : h("p", {}, typeOf(schema)),
  );
}

function fieldTable(name, { properties, required = [] }) {
  const rows = Object.entries(properties).map(([field, schema]) => [
    field,
    [typeOf(schema), required.includes(field) ? null : defaultText(schema)],
    inline(schema.description),
  ]);
  return scrollable(
    `Fields of ${name}`,
    plainTable(`Fields of ${name}`, ["Field", "Type", "Description"], rows),
  );
}

/** The default value, or "optional". */
function defaultText({ default: value }) {
  const isSaid = value !== undefined && value !== null;
  const words = isSaid ? [", default ", h("code", {}, JSON.stringify(value))] : ", optional";
  return h("span", { class: "hint" }, words);
}

/** Description of the type, with links to named schemas. @returns {any[]} */
export function typeOf(schema) {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return ["anything"];
  if (schema.$ref) return [reference(schema.$ref)];
  if ("const" in schema) return [h("code", {}, JSON.stringify(schema.const))];
  if (schema.enum) return joinWithOr(schema.enum.map((value) => [h("code", {}, JSON.stringify(value))]));
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return joinWithOr(choices.map(typeOf));
  return [...kindOf(schema), ...limitsOf(schema).map((limit) => `, ${limit}`)];
}

function reference(target) {
  const name = target.split("/").at(-1);
  return h("a", { href: `#${idOf(name)}` }, name);
}

/** `a, b or c`. */
const joinWithOr = (parts) =>
  parts.flatMap((part, i) => [i === 0 ? "" : i === parts.length - 1 ? " or " : ", ", ...part]);

function kindOf({ type, items, format, additionalProperties: values, properties, prefixItems: places }) {
  if (type === "array" && places) return ["list: ", ...joinWithOr(places.map(typeOf))];
  if (type === "array") return ["list of ", ...typeOf(items)];
  if (type === "object" && properties) return ["object with the fields ", Object.keys(properties).join(", ")];
  if (type === "object" && values) return ["object with values of type ", ...typeOf(values)];
  if (type === "string" && format === "binary") return ["bytes"];
  return [[type ?? "anything"].flat().join(" or "), format ? ` (${format})` : ""];
}

/**
 * Limits of a value. Those of 64-bit integers are left out: a JavaScript number cannot represent
 * them.
 */
function limitsOf(schema) {
  const found = [];
  const bound = (name, words) => {
    const value = schema[name];
    if (value !== undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER) found.push(words(value));
  };
  bound("minimum", (value) => `≥ ${value}`);
  bound("exclusiveMinimum", (value) => `> ${value}`);
  bound("maximum", (value) => `≤ ${value}`);
  bound("exclusiveMaximum", (value) => `< ${value}`);
  bound("minLength", (value) => `length ≥ ${value}`);
  bound("maxLength", (value) => `length ≤ ${value}`);
  bound("minItems", (value) => `items ≥ ${value}`);
  bound("maxItems", (value) => `items ≤ ${value}`);
  if (schema.pattern) found.push(`pattern ${schema.pattern}`);
  return found;
}
