/** Distribution of the memberships of each class. */

import { h } from "../../dom.js";
import { number } from "../../format.js";
import { membershipPlot } from "../../plots/histogram.js";

const MOST = 12;

export function membershipsPanel({ memberships, classes, params }) {
  const title = h("h2", { id: "memberships-title" }, "How much it trusts the rows");
  if (params.membership === "none") {
    const all = h("p", {}, "All alike: it was trained without memberships, so every row counts in full.");
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
      "A row in the midst of its class has a large membership; one near 0 hardly counts. " +
        `Median ${number(memberships.median, 3)}, smallest ${number(memberships.min, 2)}.`,
    ),
    memberships.histograms
      ? h("div", { class: "small-multiples" }, memberships.histograms.slice(0, MOST).map(ofClass))
      : h("p", { class: "hint" }, "This version comes from a release that did not keep their distribution."),
    memberships.histograms && classes.length > MOST
      ? h("p", { class: "hint" }, `The first ${MOST} of ${classes.length} classes are shown.`)
      : null,
  );
}
