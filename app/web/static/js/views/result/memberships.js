/** Distribution of the memberships of each class. */

import { h } from "../../dom.js";
import { number } from "../../format.js";
import { membershipPlot } from "../../plots/histogram.js";

const MAX_CLASSES = 12;

export function membershipsPanel({ memberships, classes, params }) {
  const title = h("h2", { id: "memberships-title" }, "Memberships");
  if (params.membership === "none") {
    const all = h("p", {}, "This version was trained without memberships: every row has full weight.");
    return h("section", { "aria-labelledby": "memberships-title" }, title, all);
  }
  const ofClass = (counts, i) => {
    const label = String(classes[i]);
    return h("figure", {}, h("figcaption", {}, label), membershipPlot(label, i, counts));
  };
  return h(
    "section",
    { "aria-labelledby": "memberships-title" },
    title,
    h(
      "p",
      {},
      "The membership of a row is a factor between 0 and 1 on the cost of misplacing it: large if the row is " +
        "typical of its class, and near 0 if it looks mislabeled. " +
        `Median ${number(memberships.median, 3)}, minimum ${number(memberships.min, 2)}.`,
    ),
    memberships.histograms
      ? h("div", { class: "small-multiples" }, memberships.histograms.slice(0, MAX_CLASSES).map(ofClass))
      : h("p", { class: "hint" }, "An older release trained this version and did not store the distribution."),
    memberships.histograms && classes.length > MAX_CLASSES
      ? h("p", { class: "hint" }, `The first ${MAX_CLASSES} of ${classes.length} classes are shown.`)
      : null,
  );
}
