/** The list of models, the versions of one model, and the actions on them. */

import { PAGE_SIZE, api, modelPath, versionPath, withQuery } from "../api.js";
import { h, replace } from "../dom.js";
import { count, dateTime, percent, plural } from "../format.js";
import { curl } from "../curl.js";
import { confirmAction } from "../parts/confirm.js";
import { curlCommand } from "../parts/curl-command.js";
import { errorNotice } from "../parts/notice.js";
import { announce } from "../parts/status.js";
import { plainTable, scrollable } from "../parts/table.js";
import { session } from "../session.js";

const LIST_PATH = withQuery("models", { limit: PAGE_SIZE });
const address = (model) => `#models/${encodeURIComponent(model)}`;

export async function modelsView(model, version) {
  const { items, total } = await api.models();
  if (items.length === 0) return emptyState();
  const limited = total > items.length ? `; the first ${items.length} by name are shown` : "";
  return [
    h("h1", {}, "Models"),
    h("p", { class: "facts" }, `${plural(total, "model")}${limited}`),
    scrollable("Models", modelTable(items, model)),
    curlCommand("list the models", curl(LIST_PATH)),
    model === undefined ? null : await modelPanel(model, Number(version)),
  ];
}

function emptyState() {
  return [
    h("h1", {}, "Models"),
    h("p", { class: "lead" }, "There are no models yet."),
    h("p", { class: "actions" }, h("a", { class: "button primary", href: "#train" }, "Train a model")),
    curlCommand("list the models", curl(LIST_PATH)),
  ];
}

/** A link of the list, marked if its target is selected. */
const listLink = (href, text, isChosen) =>
  h("a", { href, "aria-current": isChosen ? "true" : null }, text);

function modelTable(items, model) {
  const rows = items.map((item) => [
    listLink(address(item.model), item.model, item.model === model),
    count(item.n_versions),
    count(item.latest),
    Object.entries(item.aliases).map(([alias, at]) => `${alias} → ${at}`).join(", ") || "–",
  ]);
  const chosen = rows[items.findIndex((item) => item.model === model)];
  return plainTable("Models", ["Model", "Versions", "Latest version", "Aliases"], rows, { chosen });
}

async function modelPanel(model, version) {
  const info = await api.model(model);
  const chosen = info.versions.find((item) => item.version === version) ?? info.versions[0];
  return h(
    "section",
    { "aria-labelledby": "model-title" },
    h("h2", { id: "model-title" }, model),
    h("p", { class: "facts" }, `Requests that name no version use version ${info.serving}.`),
    scrollable(`Versions of ${model}`, versionTable(info, chosen)),
    curlCommand("get this model", curl(withQuery(modelPath(model), { limit: PAGE_SIZE }))),
    versionActions(info, chosen),
    modelActions(info),
  );
}

function versionTable(info, chosen) {
  const rows = info.versions.map((item) => [
    listLink(`${address(info.model)}/${item.version}`, `Version ${item.version}`, item === chosen),
    h("time", { datetime: item.created_at }, dateTime(item.created_at)),
    item.kernel,
    count(item.n_rows),
    percent(item.validation_accuracy),
    item.aliases.join(", ") || "–",
  ]);
  return plainTable(
    `Versions of ${info.model}`,
    ["Version", "Created", "Kernel", "Rows", "Validation accuracy", "Aliases"],
    rows,
    { chosen: rows[info.versions.indexOf(chosen)] },
  );
}

/** A button with a description and its curl command. */
function action({ name, about, line, className, onclick, disabled }) {
  const button = h("button", { type: "button", class: className, onclick, disabled }, name);
  return h(
    "div",
    { class: "action" },
    h("div", {}, button, h("p", { class: "hint" }, about)),
    curlCommand(name, line),
  );
}

const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));

/** Run an action, announce its result and refresh the view. An error is shown in `place`. */
async function perform(place, action, message, next = refresh) {
  try {
    await action();
    announce(message);
    next();
  } catch (error) {
    replace(place, errorNotice(error));
  }
}

function versionActions({ model, aliases }, { version }) {
  const place = h("div");
  const name = encodeURIComponent(model);
  return h(
    "div",
    { class: "actions-list" },
    h("h3", {}, `Version ${version}`),
    h("p", { class: "actions" },
      h("a", { class: "button", href: `#result/${name}/${version}` }, "Show the result"),
      h("a", { class: "button", href: `#predict/${name}/${version}` }, "Predict with this version")),
    place,
    action({
      name: `Promote version ${version}`,
      about:
        aliases.production === version
          ? "This version is in production."
          : "Moves the alias production to this version. Requests that name no version then use it.",
      line: curl(`${modelPath(model)}/aliases/production`, { method: "PUT", json: { version } }),
      disabled: aliases.production === version,
      onclick: () =>
        perform(place, () => api.promote(model, version), `Version ${version} is now in production.`),
    }),
    action({
      name: `Delete version ${version}`,
      about: "Deletes this version permanently. Its number is never reused.",
      className: "danger",
      line: curl(versionPath(model, version), { method: "DELETE" }),
      async onclick() {
        const sure = await confirmAction(
          `Delete version ${version} of ${model}?`,
          "This cannot be undone. Requests that name this version will fail.",
          "Delete version",
        );
        if (!sure) return;
        const remove = () => api.removeVersion(model, version);
        await perform(place, remove, `Version ${version} has been deleted.`, () => leaveDeleted(model));
      },
    }),
  );
}

function modelActions({ model, aliases, n_versions: n }) {
  const place = h("div");
  return h(
    "div",
    { class: "actions-list" },
    h("h3", {}, "Whole model"),
    place,
    action({
      name: "Roll back production",
      about:
        aliases.production === undefined
          ? "No version is in production."
          : "Moves the alias production back to the previous version.",
      line: curl(`${modelPath(model)}/aliases/production/rollback`, { method: "POST" }),
      disabled: aliases.production === undefined,
      onclick: () => perform(place, () => api.rollBack(model), "Production has been rolled back."),
    }),
    action({
      name: `Delete ${model}`,
      about: `Deletes the model permanently: ${plural(n, "version")}.`,
      className: "danger",
      line: curl(modelPath(model), { method: "DELETE" }),
      async onclick() {
        const sure = await confirmAction(
          `Delete ${model}?`,
          `${plural(n, "version")} and all aliases will be deleted. This cannot be undone.`,
          "Delete model",
        );
        if (!sure) return;
        await perform(place, () => api.removeModel(model), `${model} has been deleted.`, () => leaveDeleted());
      },
    }),
  );
}

/** Leave the page of a deleted model or version. */
function leaveDeleted(model) {
  session.current = null;
  const next = model === undefined ? "#models" : address(model);
  if (location.hash === next) refresh();
  else location.hash = next;
}
