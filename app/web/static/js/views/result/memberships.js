/** How much each class is trusted, row by row. */

import { h } from "../../dom.js";
import { number } from "../../format.js";
import { membershipPlot } from "../../plots/histogram.js";

const MOST = 12;

export function membershipsPanel({ memberships, classes }) {
  return h(
    "section",
    { "aria-labelledby": "memberships-title" },
    h("h2", { id: "memberships-title" }, "How much it trusts the rows"),
    h("p", {}, `A row in the midst of its class has a large membership; one near 0 hardly counts. Median ${number(memberships.median, 3)}, smallest ${number(memberships.min, 2)}.`),
    memberships.histograms
      ? h("div", { class: "small-multiples" }, memberships.histograms.slice(0, MOST).map((counts, i) =>
          h("figure", {}, h("figcaption", {}, String(classes[i])), membershipPlot(String(classes[i]), i, counts))))
      : h("p", { class: "hint" }, "This version comes from an earlier release, which did not keep the distribution."),
  );
}
