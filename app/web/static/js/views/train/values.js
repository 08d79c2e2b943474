/** What was chosen about a training, as long as the page is open, and what the service is told. */

export const chosen = {
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

/** What the selects offer: `[value, text]`. */
export const CHOICES = {
  kernel: [["rbf", "RBF"], ["linear", "Linear"], ["poly", "Polynomial"], ["sigmoid", "Sigmoid"]],
  gamma: [["scale", "scale"], ["auto", "auto"], [0.1, "0.1"], [1, "1"], [10, "10"], [100, "100"]],
  /** What is to be smooth about a plane of a kernel. */
  penalty: [["coefficients", "its coefficients (the paper)"], ["function", "the plane itself"]],
  membership: [
    ["center", "by distance to the centre"],
    ["neighbors", "by neighbours"],
    ["none", "none: trust every label"],
  ],
  /** How a search looks for wrong labels; "found" lets it choose, also not to look at all. */
  suspicion: [
    ["neighbors", "by the labels around them"],
    ["center", "by distance to the centre"],
    ["found", "only if the score gains by it"],
  ],
  scale: [["minmax", "to 0 … 1"], ["standard", "to mean 0, deviation 1"], ["none", "not at all"]],
  folds: [[5, "5 folds"], [10, "10 folds"], [3, "3 folds"], [0, "nothing"]],
};

/**
 * The options of POST /train.
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 */
export function optionsOf(dataset, plan) {
  const used = [...plan.features].map((i) => dataset.about.columns[i]);
  const options = { scale: chosen.scale };
  if (used.some((column) => column.missing > 0)) options.impute = "median";
  if (used.some((column) => column.kind === "text")) options.one_hot = true;
  if (chosen.folds) options.validation = { folds: chosen.folds };
  if (chosen.mode === "auto") {
    options.params = paramsOfSearch();
    options.search = { time_budget: chosen.budget };
    if (chosen.probability) options.search.probability = "sigmoid";
  } else {
    const { kernel, c1, c3, gamma, penalty, membership } = chosen;
    options.params = { kernel, c1, c3, membership };
    if (kernel !== "linear") Object.assign(options.params, { gamma, penalty });
    if (chosen.balanced) options.params.class_weight = "balanced";
  }
  return options;
}

/** What holds whatever the search tries; the rest it finds. */
function paramsOfSearch() {
  const held = {};
  if (chosen.suspicion !== "found") held.membership = chosen.suspicion;
  if (chosen.balanced) held.class_weight = "balanced";
  return Object.keys(held).length ? held : "auto";
}
