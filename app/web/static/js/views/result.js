/** The result of a training: one version of a model. */

import { PAGE_SIZE, api, versionPath, withQuery } from "../api.js";
import { h } from "../dom.js";
import { count, dateTime, meanAndDeviation, number, percent, plural, seconds } from "../format.js";
import { curl } from "../curl.js";
import { curlCommand } from "../parts/curl-command.js";
import { session } from "../session.js";
import { boundaryPanel } from "./result/boundary.js";
import { comparisonPanel } from "./result/comparison.js";
import { certificatePanel } from "./result/certificate.js";
import { measuresPanel } from "./result/measures.js";
import { membershipsPanel } from "./result/memberships.js";
import { parametersPanel } from "./result/parameters.js";
import { fetchSuspects, suspectsPanel } from "./result/suspects.js";

export async function resultView(model, version) {
  if (model === undefined) {
    if (session.current) return resultView(session.current.model, session.current.version);
    return emptyState();
  }
  const info = await api.version(model, Number(version));
  session.current = { model, version: info.version };
  const suspects = await fetchSuspects(info);
  const name = encodeURIComponent(model);
  const path = versionPath(model, info.version);
  return [
    h("h1", {}, `${info.model}, version ${info.version}`),
    h("p", { class: "facts" }, summaryOf(info)),
    keyFigures(info),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button primary", href: `#predict/${name}/${info.version}` }, "Predict with this version"),
      h("a", { class: "button", href: `#models/${name}` }, "All versions"),
    ),
    await boundaryPanel(info, new Set(suspects.items.map((item) => item.row))),
    await suspectsPanel(info, suspects),
    measuresPanel(info),
    parametersPanel(info),
    membershipsPanel(info),
    certificatePanel(info),
    await comparisonPanel(info),
    h(
      "section",
      { "aria-labelledby": "same-title" },
      h("h2", { id: "same-title" }, "From the command line"),
      h("p", {}, "The data of this page as JSON: the version, its planes, and the membership of every row."),
      curlCommand("get this version", curl(path)),
      curlCommand("get its planes", curl(withQuery(`${path}/planes`, { limit: PAGE_SIZE }))),
      curlCommand("get its memberships", curl(withQuery(`${path}/memberships`, { limit: PAGE_SIZE }))),
    ),
  ];
}

async function emptyState() {
  const { items } = await api.models();
  return [
    h("h1", {}, "No result yet"),
    h(
      "p",
      { class: "lead" },
      items.length ? "Select a model, or train a new one." : "Train a model to see its result here.",
    ),
    items.length ? h("ul", { class: "plain" }, items.map(newestVersionLink)) : null,
    h("p", { class: "actions" }, h("a", { class: "button primary", href: "#train" }, "Train")),
  ];
}

function newestVersionLink({ model, latest }) {
  const address = `#result/${encodeURIComponent(model)}/${latest}`;
  return h("li", {}, h("a", { href: address }, `${model}, version ${latest}`));
}

function summaryOf(info) {
  const kernel = info.kernel.name === "linear" ? "linear kernel" : `${info.kernel.name} kernel`;
  const parts = [
    dateTime(info.created_at),
    `${count(info.n_rows)} rows × ${count(info.n_features)} features`,
    plural(info.classes.length, "class", "classes"),
    kernel,
    `fitted in ${seconds(info.timings.fit_seconds ?? 0)}`,
  ];
  if (info.aliases.length) parts.push(`alias ${info.aliases.join(", ")}`);
  return parts.join(" · ");
}

function keyFigures(info) {
  const { validation, training_accuracy: own, memberships, n_rows: rows, certificate } = info;
  const figures = validation
    ? [
        ["Validation accuracy", percent(validation.accuracy), foldsNote(validation.folds)],
        ["Balanced accuracy", percent(validation.balanced_accuracy), "all classes weighted equally"],
      ]
    : [["Training accuracy", percent(own), "trained without validation"]];
  figures.push(
    info.params.membership === "none"
      ? ["Suspected labels", "–", "not checked"]
      : ["Suspected labels", count(memberships.n_suspected), `of ${count(rows)} rows`],
    certificate.converged
      ? ["Optimality", "proven", "up to the duality gap below"]
      : ["Optimality", "not proven", "the sweep limit was reached"],
  );
  const figure = ([name, value, note]) =>
    h(
      "div",
      {},
      h("dt", {}, name),
      h("dd", { class: "figure" }, value),
      h("dd", { class: "hint" }, note),
    );
  return h("dl", { class: "headline" }, figures.map(figure));
}

function foldsNote(folds) {
  if (folds.length === 1) return "on held-out rows";
  const { deviation } = meanAndDeviation(folds.map((fold) => fold.accuracy));
  return `± ${number(100 * deviation, 2)} over ${folds.length} folds`;
}
