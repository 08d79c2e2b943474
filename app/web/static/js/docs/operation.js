/** One operation of the API: parameters, body, responses, problems and an example command. */

import { curl } from "../curl.js";
import { h } from "../dom.js";
import { curlCommand } from "../parts/curl-command.js";
import { plainTable, scrollable } from "../parts/table.js";
import { inline, prose, typeOf } from "./schema.js";

const FIRST_PROBLEM = 400;

/** @param {{method: string, path: string, operation: any}} call */
export function operationPanel({ method, path, operation }) {
  const responses = Object.entries(operation.responses);
  const isProblem = ([status]) => Number(status) >= FIRST_PROBLEM;
  return h(
    "details",
    { class: "operation", id: operation.operationId },
    h(
      "summary",
      {},
      h("h3", {}, h("span", { class: `method ${method.toLowerCase()}` }, method), " ", h("code", {}, path)),
      h("span", { class: "about" }, operation.summary ?? ""),
    ),
    prose(operation.description),
    operation.security ? h("p", { class: "hint" }, "Requires an API key if the service uses keys.") : null,
    parameters(operation.parameters ?? []),
    body(operation.requestBody),
    h("h4", {}, "Responses"),
    responseTable(responses.filter((response) => !isProblem(response))),
    problems(responses.filter(isProblem)),
    h("h4", {}, "curl command"),
    curlCommand(`${method} ${path}`, exampleCommand(method, path, operation)),
  );
}

function table(caption, headings, rows) {
  return scrollable(caption, plainTable(caption, headings, rows));
}

function parameters(all) {
  if (all.length === 0) return null;
  const rows = all.map(({ name, in: place, required, schema, description }) => [
    h("code", {}, name),
    required ? `${place}, required` : place,
    typeOf(schema),
    inline(description),
  ]);
  return [h("h4", {}, "Parameters"), table("Parameters", ["Name", "In", "Type", "Description"], rows)];
}

function body(requestBody) {
  if (!requestBody) return null;
  const rows = Object.entries(requestBody.content).map(([media, { schema }]) => [media, typeOf(schema)]);
  return [h("h4", {}, "Body"), table("Body", ["Content type", "Schema"], rows)];
}

function responseTable(responses) {
  const rows = responses.flatMap(([status, { description, content }]) => {
    const kinds = Object.entries(content ?? {});
    if (kinds.length === 0) return [[status, "–", "empty", description]];
    return kinds.map(([media, { schema }]) => [status, media, typeOf(schema), description]);
  });
  return table("Responses", ["Status", "Content type", "Schema", "Description"], rows);
}

function problems(responses) {
  if (responses.length === 0) return null;
  const rows = responses.flatMap(([status, { description, content, "x-problem-types": types }]) => {
    if (types) return types.map(({ type, about }) => [status, h("code", {}, type), about]);
    return [[status, typeOf(Object.values(content ?? {})[0]?.schema), description]];
  });
  return [h("h4", {}, "Problems"), table("Problems", ["Status", "Type", "When"], rows)];
}

/** A curl command with placeholders in capitals. */
function exampleCommand(method, path, { parameters: all = [], requestBody }) {
  const place = (name) => name.replaceAll("-", "_").toUpperCase();
  const query = all
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=${place(name)}`);
  const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name) => place(name));
  const address = query.length ? `${filled}?${query.join("&")}` : filled;
  const [media, { example } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (media === undefined) return curl(address, { method });
  if (media === "application/json") return curl(address, { method, json: example ?? {} });
  return curl(address, { method, headers: [`content-type: ${media}`], file: "body" });
}
