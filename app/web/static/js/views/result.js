/** What a training found. */

import { api, versionPath } from "../api.js";
import { h } from "../dom.js";
import { count, moment, number, percent, plural, seconds, spread } from "../format.js";
import { curl } from "../curl.js";
import { command } from "../parts/command.js";
import { session } from "../session.js";
import { boundaryPanel } from "./result/boundary.js";
import { comparisonPanel } from "./result/comparison.js";
import { certificatePanel } from "./result/certificate.js";
import { measuresPanel } from "./result/measures.js";
import { membershipsPanel } from "./result/memberships.js";
import { searchPanel } from "./result/search.js";
import { fetchSuspects, suspectsPanel } from "./result/suspects.js";

export async function resultView(model, version) {
  if (model === undefined) {
    if (session.current) return resultView(session.current.model, session.current.version);
    return nothingYet();
  }
  const info = await api.version(model, Number(version));
  session.current = { model, version: info.version };
  const suspects = await fetchSuspects(info);
  return [
    h("h1", {}, `${info.model}, version ${info.version}`),
    h("p", { class: "facts" }, factsOf(info)),
    headline(info),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button primary", href: `#predict/${encodeURIComponent(model)}/${info.version}` }, "Predict with it"),
      h("a", { class: "button", href: `#models/${encodeURIComponent(model)}` }, "All versions"),
    ),
    boundaryPanel(info, new Set(suspects.items.map((item) => item.row))),
    await suspectsPanel(info, suspects),
    measuresPanel(info),
    searchPanel(info),
    membershipsPanel(info),
    certificatePanel(info),
    await comparisonPanel(info),
    h("section", { "aria-labelledby": "same-title" }, h("h2", { id: "same-title" }, "The same from a shell"),
      command("this version", curl(versionPath(model, info.version)))),
  ];
}

async function nothingYet() {
  const { items } = await api.models();
  return [
    h("h1", {}, "No result yet"),
    h("p", { class: "lead" }, items.length ? "Look at a model that is there, or train one." : "Train a model, and it is shown here."),
    h("ul", { class: "plain" }, items.map((item) =>
      h("li", {}, h("a", { href: `#result/${encodeURIComponent(item.model)}/${item.latest}` }, `${item.model}, version ${item.latest}`)))),
    h("p", { class: "actions" }, h("a", { class: "button primary", href: "#train" }, "Train")),
  ];
}

function factsOf(info) {
  const kernel = info.kernel.name === "linear" ? "linear" : `${info.kernel.name} kernel`;
  const parts = [
    moment(info.created_at),
    `${count(info.n_rows)} rows × ${count(info.n_features)} features`,
    plural(info.classes.length, "class", "classes"),
    kernel,
    `fitted in ${seconds(info.timings.fit_seconds ?? 0)}`,
  ];
  if (info.aliases.length) parts.push(`alias ${info.aliases.join(", ")}`);
  return parts.join(" · ");
}

function headline(info) {
  const figures = [];
  if (info.validation) {
    const { deviation } = spread(info.validation.folds.map((fold) => fold.accuracy));
    const note = info.validation.folds.length > 1 ? `± ${number(100 * deviation, 2)} over ${info.validation.folds.length} folds` : "on the rows held out";
    figures.push(["Accuracy on unseen rows", percent(info.validation.accuracy), note]);
    figures.push(["Balanced accuracy", percent(info.validation.balanced_accuracy), "every class counts alike"]);
  } else {
    figures.push(["Accuracy on its own rows", percent(info.training_accuracy), "not measured on unseen rows"]);
  }
  const suspected = info.memberships.n_suspected;
  figures.push(["Labels it does not believe", count(suspected), `of ${count(info.n_rows)} rows`]);
  figures.push(["Proof", info.certificate.converged ? "complete" : "open", info.certificate.converged ? "no better planes exist" : "it ran out of sweeps"]);
  return h("dl", { class: "headline" }, figures.map(([name, value, note]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "figure" }, value), h("dd", { class: "hint" }, note))));
}
