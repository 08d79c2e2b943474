/** Parameters of a version, and the search that found them. */

import { PAGE_SIZE, versionPath, withQuery } from "../../api.js";
import { h } from "../../dom.js";
import { number, percent, plural, seconds } from "../../format.js";
import { curl } from "../../curl.js";
import { curlCommand } from "../../parts/curl-command.js";
import { definitionList, numeric, plainTable, scrollable } from "../../parts/table.js";

const ENDS = { time_budget: " (stopped at the time limit)", requested: " (stopped on request)" };
const SCALES = { minmax: "to 0 … 1", standard: "to mean 0, variance 1", none: "none" };
const PENALTIES = { coefficients: "the coefficients", function: "the norm in feature space" };
const MEMBERSHIPS = { center: "by distance to the class center", neighbors: "by labels of neighbors", none: "none" };

export function parametersPanel(info) {
  const { search } = info;
  const path = versionPath(info.model, info.version);
  return h(
    "section",
    { "aria-labelledby": "parameters-title" },
    h("h2", { id: "parameters-title" }, search ? "Parameter search" : "Parameters"),
    search ? h("p", {}, searchText(search, info.validation)) : null,
    definitionList(parameterRows(info)),
    search ? bestTable(search) : null,
    info.decision ? h("p", { class: "hint" }, decisionText(info.decision)) : null,
    info.probability ? h("p", { class: "hint" }, calibrationText(info.probability)) : null,
    search
      ? curlCommand("list the configurations tried", curl(withQuery(`${path}/search`, { limit: PAGE_SIZE })))
      : null,
  );
}

function searchText(search, validation) {
  const folds = validation ? " Each validation fold ran its own search, which is not included here." : "";
  return (
    `The search tried ${plural(search.n_configurations, "configuration")} in ${seconds(search.seconds)}` +
    `${ENDS[search.stopped_early] ?? ""}. Score: ${search.scoring} over ${search.folds} folds. ` +
    `Score of the chosen configuration: ${percent(search.best_score)}.${folds}`
  );
}

/** Parameters that can be used again in another training. */
function parameterRows({ params, kernel, scale, impute }) {
  const found = [["Kernel", kernel.name]];
  if (kernel.gamma !== null) found.push(["Gamma", number(kernel.gamma)]);
  if (kernel.name === "poly") found.push(["Degree", number(params.degree)]);
  found.push(
    ["Regularization c1", costText(params.c1, params.c2)],
    ...(kernel.name === "linear" ? [] : [["c1 regularizes", PENALTIES[params.penalty] ?? PENALTIES.coefficients]]),
    ["Slack cost c3", costText(params.c3, params.c4)],
    ["Membership", MEMBERSHIPS[params.membership] ?? params.membership],
    ["Scaling", SCALES[scale] ?? scale],
  );
  if (impute === "median") found.push(["Missing cells", "replaced by the median"]);
  if (params.class_weight) found.push(["Class weights", "balanced"]);
  return found;
}

/** The costs of the two planes may differ. */
const costText = (one, two) =>
  two === null || two === undefined || two === one ? number(one) : `${number(one)} and ${number(two)}`;

function bestTable(search) {
  const names = [...new Set(search.best.flatMap((row) => Object.keys(row.params)))];
  const table = plainTable(
    "Best configurations",
    ["Rank", ...names, numeric("Score")],
    search.best.map((row) => [
      row.rank,
      ...names.map((name) => formatValue(row.params[name])),
      percent(row.mean),
    ]),
    { captionShown: true },
  );
  return scrollable("Best configurations", table);
}

/** The learned decision rule between two planes, and its accuracy on held-out rows. */
function decisionText({ pairs: [pair, ...others], held_out_accuracy: reached, nearest_plane_accuracy: nearest }) {
  const [first, second] = pair.classes;
  const rule = others.length
    ? "Decision rule: the distances to the two planes of each pair of classes are weighted"
    : `Decision rule: the distance to the plane of ${first} has weight ${number(pair.weights[0], 3)}, ` +
      `the distance to the plane of ${second} has weight ${number(pair.weights[1], 3)}`;
  return (
    `${rule}. On held-out rows that were not used to fit the weights, this rule classifies ` +
    `${percent(reached)} correctly; the nearer plane alone classifies ${percent(nearest)} correctly.`
  );
}

function calibrationText({ method, brier, calibration_error: error }) {
  return (
    `Probabilities: calibrated by ${method}, Brier score ${number(brier, 3)}, ` +
    `mean calibration error ${percent(error)}.`
  );
}

function formatValue(value) {
  if (value === undefined || value === null) return "–";
  return typeof value === "number" ? number(value, 4) : String(value);
}
