/** Parameters of a version, and the search that found them. */

import { PAGE_SIZE, versionPath, withQuery } from "../../api.js";
import { h } from "../../dom.js";
import { number, percent, plural, seconds } from "../../format.js";
import { curl } from "../../curl.js";
import { curlCommand } from "../../parts/curl-command.js";
import { numeric, definitionList, plainTable, scrollable } from "../../parts/table.js";

const ENDS = { time_budget: ", until the time was up", requested: ", until you stopped it" };
const SCALES = { minmax: "to 0 … 1", standard: "to mean 0, deviation 1", none: "not at all" };
const PENALTIES = { coefficients: "its coefficients", function: "the plane itself" };
const MEMBERSHIPS = { center: "by distance to the centre", neighbors: "by neighbours", none: "none" };

export function parametersPanel(info) {
  const { search } = info;
  const path = versionPath(info.model, info.version);
  return h(
    "section",
    { "aria-labelledby": "parameters-title" },
    h("h2", { id: "parameters-title" }, search ? "How the parameters were found" : "Its parameters"),
    search ? h("p", {}, searchText(search, info.validation)) : null,
    definitionList(parameterRows(info)),
    search ? bestTable(search) : null,
    info.decision ? h("p", { class: "hint" }, decisionText(info.decision)) : null,
    info.probability ? h("p", { class: "hint" }, calibrationText(info.probability)) : null,
    search
      ? curlCommand("what the search tried", curl(withQuery(`${path}/search`, { limit: PAGE_SIZE })))
      : null,
  );
}

function searchText(search, validation) {
  const folds = validation ? " Each fold that measured had a search of its own, which is not counted here." : "";
  return (
    `${plural(search.n_configurations, "configuration")} tried on all rows in ${seconds(search.seconds)}` +
    `${ENDS[search.stopped_early] ?? ""}, judged by ${search.scoring} over ${search.folds} folds. ` +
    `The best reached ${percent(search.best_score)}.${folds}`
  );
}

/** Parameters that can be used again in another training. */
function parameterRows({ params, kernel, scale, impute }) {
  const found = [["Kernel", kernel.name]];
  if (kernel.gamma !== null) found.push(["Gamma", number(kernel.gamma)]);
  if (kernel.name === "poly") found.push(["Degree", number(params.degree)]);
  found.push(
    ["Smoothness c1", costText(params.c1, params.c2)],
    ...(kernel.name === "linear" ? [] : [["c1 smooths", PENALTIES[params.penalty] ?? PENALTIES.coefficients]]),
    ["Strictness c3", costText(params.c3, params.c4)],
    ["Membership", MEMBERSHIPS[params.membership] ?? params.membership],
    ["Scale", SCALES[scale] ?? scale],
  );
  if (impute === "median") found.push(["Missing cells", "filled with the median"]);
  if (params.class_weight) found.push(["Small classes", "weighed up"]);
  return found;
}

/** The costs of the two planes may differ. */
const costText = (one, two) =>
  two === null || two === undefined || two === one ? number(one) : `${number(one)} and ${number(two)}`;

function bestTable(search) {
  const names = [...new Set(search.best.flatMap((row) => Object.keys(row.params)))];
  const table = plainTable(
    "The best configurations",
    ["Rank", ...names, numeric("Score")],
    search.best.map((row) => [
      row.rank,
      ...names.map((name) => formatValue(row.params[name])),
      percent(row.mean),
    ]),
    { captionShown: true },
  );
  return scrollable("The best configurations", table);
}

/** The learned decision rule between two planes, and its accuracy on held-out rows. */
function decisionText({ pairs: [pair, ...others], held_out_accuracy: reached, nearest_plane_accuracy: nearest }) {
  const [first, second] = pair.classes;
  const rule = others.length
    ? "The distances to the planes of each pair of classes are weighed"
    : `The distance to the plane of ${first} counts ${number(pair.weights[0], 3)}, ` +
      `that to the plane of ${second} ${number(pair.weights[1], 3)}`;
  return (
    `${rule}, as learned from rows held out: ${percent(reached)} of them are right ` +
    `(${percent(nearest)} by the nearer plane).`
  );
}

function calibrationText({ method, brier, calibration_error: error }) {
  return (
    `Probabilities by ${method}: Brier score ${number(brier, 3)}, ` +
    `off by ${percent(error)} on average.`
  );
}

function formatValue(value) {
  if (value === undefined || value === null) return "–";
  return typeof value === "number" ? number(value, 4) : String(value);
}
