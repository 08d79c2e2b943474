/** The result of a training: one version of a model. */

import { PAGE_SIZE, api, versionPath, withQuery } from "../api.js";
import { h } from "../dom.js";
import { count, dateTime, number, percent, plural, seconds, meanAndDeviation } from "../format.js";
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
    headline(info),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button primary", href: `#predict/${name}/${info.version}` }, "Predict with it"),
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
      h("h2", { id: "same-title" }, "The same from a shell"),
      h("p", {}, "All that is shown here, as JSON: the version, its planes, and the membership of every row."),
      curlCommand("this version", curl(path)),
      curlCommand("its planes", curl(withQuery(`${path}/planes`, { limit: PAGE_SIZE }))),
      curlCommand("its memberships", curl(withQuery(`${path}/memberships`, { limit: PAGE_SIZE }))),
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
      items.length ? "Look at a model that is there, or train one." : "Train a model, and it is shown here.",
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
  const kernel = info.kernel.name === "linear" ? "linear" : `${info.kernel.name} kernel`;
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

function headline(info) {
  const { validation, training_accuracy: own, memberships, n_rows: rows, certificate } = info;
  const figures = validation
    ? [
        ["Accuracy on unseen rows", percent(validation.accuracy), foldsNote(validation.folds)],
        ["Balanced accuracy", percent(validation.balanced_accuracy), "every class counts alike"],
      ]
    : [["Accuracy on its own rows", percent(own), "not measured on unseen rows"]];
  figures.push(
    info.params.membership === "none"
      ? ["Labels it does not believe", "–", "it was told to trust them all"]
      : ["Labels it does not believe", count(memberships.n_suspected), `of ${count(rows)} rows`],
    certificate.converged
      ? ["Proof", "complete", "no better planes exist"]
      : ["Proof", "open", "it ran out of sweeps"],
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
  if (folds.length === 1) return "on the rows held out";
  const { deviation } = meanAndDeviation(folds.map((fold) => fold.accuracy));
  return `± ${number(100 * deviation, 2)} over ${folds.length} folds`;
}
