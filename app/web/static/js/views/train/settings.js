/** Training settings of the form, kept while the page is open, and the request made from them. */

export const settings = {
  mode: "auto",
  budget: 30,
  probability: true,
  suspicion: "neighbors",
  kernel: "rbf",
  c1: 1,
  c3: 1,
  gamma: "scale",
  penalty: "coefficients",
  membership: "center",
  balanced: false,
  scale: "minmax",
  folds: 5,
};

/** Options of the selects: `[value, text]`. */
export const CHOICES = {
  kernel: [["rbf", "RBF"], ["linear", "Linear"], ["poly", "Polynomial"], ["sigmoid", "Sigmoid"]],
  gamma: [["scale", "scale"], ["auto", "auto"], [0.1, "0.1"], [1, "1"], [10, "10"], [100, "100"]],
  /** Quantity that c1 regularizes in a kernel model. */
  penalty: [["coefficients", "its coefficients (the paper)"], ["function", "the plane itself"]],
  membership: [
    ["center", "by distance to the centre"],
    ["neighbors", "by neighbours"],
    ["none", "none: trust every label"],
  ],
  /** How a search detects wrong labels; "found" makes the detection part of the search. */
  suspicion: [
    ["neighbors", "by the labels around them"],
    ["center", "by distance to the centre"],
    ["found", "only if the score gains by it"],
  ],
  scale: [["minmax", "to 0 … 1"], ["standard", "to mean 0, deviation 1"], ["none", "not at all"]],
  folds: [[5, "5 folds"], [10, "10 folds"], [3, "3 folds"], [0, "nothing"]],
};

/**
 * The `options` parameter of POST /train.
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 */
export function trainingOptions(dataset, plan) {
  const used = [...plan.features].map((i) => dataset.about.columns[i]);
  const options = { scale: settings.scale };
  if (used.some((column) => column.missing > 0)) options.impute = "median";
  if (used.some((column) => column.kind === "text")) options.one_hot = true;
  if (settings.folds) options.validation = { folds: settings.folds };
  if (settings.mode === "auto") {
    options.params = searchParams();
    options.search = { time_budget: settings.budget };
    if (settings.probability) options.search.probability = "sigmoid";
  } else {
    const { kernel, c1, c3, gamma, penalty, membership } = settings;
    options.params = { kernel, c1, c3, membership };
    if (kernel !== "linear") Object.assign(options.params, { gamma, penalty });
    if (settings.balanced) options.params.class_weight = "balanced";
  }
  return options;
}

/** Parameters that the search does not vary. */
function searchParams() {
  const fixed = {};
  if (settings.suspicion !== "found") fixed.membership = settings.suspicion;
  if (settings.balanced) fixed.class_weight = "balanced";
  return Object.keys(fixed).length ? fixed : "auto";
}
