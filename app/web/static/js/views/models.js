/** All models, the versions of one, and what can be done with them. */

import { PAGE, api, modelPath, versionPath, withQuery } from "../api.js";
import { h, replace } from "../dom.js";
import { count, moment, percent, plural } from "../format.js";
import { curl } from "../curl.js";
import { ask } from "../parts/ask.js";
import { command } from "../parts/command.js";
import { failure } from "../parts/notice.js";
import { say } from "../parts/status.js";
import { plainTable, scrolling } from "../parts/table.js";
import { session } from "../session.js";

const LIST = withQuery("models", { limit: PAGE });
const address = (model) => `#models/${encodeURIComponent(model)}`;

export async function modelsView(model, version) {
  const { items, total } = await api.models();
  if (items.length === 0) return nothingYet();
  const cut = total > items.length ? `, the first ${items.length} by name` : "";
  return [
    h("h1", {}, "Models"),
    h("p", { class: "facts" }, `${plural(total, "model")}${cut}`),
    scrolling("Models", modelTable(items, model)),
    command("list the models", curl(LIST)),
    model === undefined ? null : await modelPanel(model, Number(version)),
  ];
}

function nothingYet() {
  return [
    h("h1", {}, "Models"),
    h("p", { class: "lead" }, "There is none yet."),
    h("p", { class: "actions" }, h("a", { class: "button primary", href: "#train" }, "Train one")),
    command("list the models", curl(LIST)),
  ];
}

/** A link in the list that says whether it is the one looked at. */
const listed = (href, text, isChosen) =>
  h("a", { href, "aria-current": isChosen ? "true" : null }, text);

function modelTable(items, model) {
  const rows = items.map((item) => [
    listed(address(item.model), item.model, item.model === model),
    count(item.n_versions),
    count(item.latest),
    Object.entries(item.aliases).map(([alias, at]) => `${alias} → ${at}`).join(", ") || "–",
  ]);
  const chosen = rows[items.findIndex((item) => item.model === model)];
  return plainTable("Models", ["Model", "Versions", "Newest", "Aliases"], rows, { chosen });
}

async function modelPanel(model, version) {
  const info = await api.model(model);
  const chosen = info.versions.find((item) => item.version === version) ?? info.versions[0];
  return h(
    "section",
    { "aria-labelledby": "model-title" },
    h("h2", { id: "model-title" }, model),
    h("p", { class: "facts" }, `Version ${info.serving} answers when a caller names none.`),
    scrolling(`Versions of ${model}`, versionTable(info, chosen)),
    command("this model", curl(withQuery(modelPath(model), { limit: PAGE }))),
    versionPanel(info, chosen),
    wholePanel(info),
  );
}

function versionTable(info, chosen) {
  const rows = info.versions.map((item) => [
    listed(`${address(info.model)}/${item.version}`, `Version ${item.version}`, item === chosen),
    h("time", { datetime: item.created_at }, moment(item.created_at)),
    item.kernel,
    count(item.n_rows),
    percent(item.validation_accuracy),
    item.aliases.join(", ") || "–",
  ]);
  return plainTable(
    `Versions of ${info.model}`,
    ["Version", "Made", "Kernel", "Rows", "Accuracy, unseen", "Aliases"],
    rows,
    { chosen: rows[info.versions.indexOf(chosen)] },
  );
}

/** A button, what it does, and its curl line. */
function action({ name, about, line, className, onclick, disabled }) {
  const button = h("button", { type: "button", class: className, onclick, disabled }, name);
  return h(
    "div",
    { class: "action" },
    h("div", {}, button, h("p", { class: "hint" }, about)),
    command(name, line),
  );
}

const showAnew = () => dispatchEvent(new HashChangeEvent("hashchange"));

/** Does it, says it, and shows the list anew; what goes wrong is shown in place. */
async function perform(place, work, done, next = showAnew) {
  try {
    await work();
    say(done);
    next();
  } catch (error) {
    replace(place, failure(error));
  }
}

function versionPanel({ model, aliases }, { version }) {
  const place = h("div");
  const name = encodeURIComponent(model);
  return h(
    "div",
    { class: "actions-list" },
    h("h3", {}, `Version ${version}`),
    h("p", { class: "actions" },
      h("a", { class: "button", href: `#result/${name}/${version}` }, "Look at it"),
      h("a", { class: "button", href: `#predict/${name}/${version}` }, "Predict with it")),
    place,
    action({
      name: `Promote version ${version}`,
      about:
        aliases.production === version
          ? "It is in production."
          : "To production: from then on it answers callers that name no version.",
      line: curl(`${modelPath(model)}/aliases/production`, { method: "PUT", json: { version } }),
      disabled: aliases.production === version,
      onclick: () =>
        perform(place, () => api.promote(model, version), `Version ${version} is in production.`),
    }),
    action({
      name: `Delete version ${version}`,
      about: "Its number is never used again.",
      className: "danger",
      line: curl(versionPath(model, version), { method: "DELETE" }),
      async onclick() {
        const sure = await ask(
          `Delete version ${version} of ${model}?`,
          "It cannot be brought back, and whoever names it gets an error.",
          "Delete it",
        );
        if (!sure) return;
        const remove = () => api.removeVersion(model, version);
        await perform(place, remove, `Version ${version} is deleted.`, () => leave(model));
      },
    }),
  );
}

function wholePanel({ model, aliases, n_versions: n }) {
  const place = h("div");
  return h(
    "div",
    { class: "actions-list" },
    h("h3", {}, "The model as a whole"),
    place,
    action({
      name: "Roll production back",
      about:
        aliases.production === undefined
          ? "Nothing is in production."
          : "To the version that was in production before.",
      line: curl(`${modelPath(model)}/aliases/production/rollback`, { method: "POST" }),
      disabled: aliases.production === undefined,
      onclick: () => perform(place, () => api.rollBack(model), "Production is rolled back."),
    }),
    action({
      name: `Delete ${model}`,
      about: `All of it: ${plural(n, "version")}.`,
      className: "danger",
      line: curl(modelPath(model), { method: "DELETE" }),
      async onclick() {
        const sure = await ask(
          `Delete ${model}?`,
          `${plural(n, "version")} and every alias go with it. It cannot be brought back.`,
          "Delete it all",
        );
        if (!sure) return;
        await perform(place, () => api.removeModel(model), `${model} is deleted.`, () => leave());
      },
    }),
  );
}

/** Away from what is no longer there. */
function leave(model) {
  session.current = null;
  const next = model === undefined ? "#models" : address(model);
  if (location.hash === next) showAnew();
  else location.hash = next;
}
