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
  penalty: [["coefficients", "the coefficients (as in the paper)"], ["function", "the norm in feature space"]],
  membership: [
    ["center", "by distance to the class center"],
    ["neighbors", "by labels of neighbors"],
    ["none", "none: full weight for all rows"],
  ],
  /** The `membership` of a search; with "found", the search chooses it like other parameters. */
  suspicion: [
    ["neighbors", "by labels of neighbors"],
    ["center", "by distance to the class center"],
    ["found", "only if it improves the score"],
  ],
  scale: [["minmax", "to 0 … 1"], ["standard", "to mean 0, variance 1"], ["none", "none"]],
  folds: [[5, "5 folds"], [10, "10 folds"], [3, "3 folds"], [0, "none"]],
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
