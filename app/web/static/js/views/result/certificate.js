/** The proof in plain words, and how the solver came to it. */

import { h } from "../../dom.js";
import { number, tiny } from "../../format.js";
import { scrolling } from "../../parts/table.js";
import { convergencePlot } from "../../plots/convergence.js";
import { legend } from "../../plots/frame.js";

/** Below this a gap is what rounding leaves. */
const ROUNDING = 1e-9;
/** Curves that can be told from each other. */
const MOST_CURVES = 12;

export function certificatePanel(info) {
  const { certificate } = info;
  return h(
    "section",
    { "aria-labelledby": "proof-title" },
    h("h2", { id: "proof-title" }, "The proof"),
    h("p", {}, inWords(certificate)),
    planeTable(certificate),
    convergence(info),
  );
}

/** @param {any} certificate */
export function inWords({ converged, relative_gap: gap, planes }) {
  const which = planes.length === 2 ? "Both planes are" : `All ${planes.length} planes are`;
  if (!converged) {
    return `The solver stopped before it was sure: a plane may be up to ${tiny(100 * gap)} % from the best there is. More sweeps (max_iter) would tell.`;
  }
  if (gap < ROUNDING) {
    return `${which} the best there can be for these rows and parameters. That is not an opinion: the problem and its dual agree to ${tiny(gap)}, which is what rounding leaves, so no other plane can be better by more than that.`;
  }
  return `${which} within ${tiny(gap)}, relatively, of the best there can be for these rows and parameters: that is how far the problem and its dual are apart.`;
}

function planeTable({ planes }) {
  return scrolling(
    "Certificate of each plane",
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, "Certificate of each plane"),
      h("thead", {}, h("tr", {}, ["Plane close to", "Objective", "At most better by", "Sweeps"].map((name, i) =>
        h("th", { scope: "col", class: i ? "number" : null }, name)))),
      h("tbody", {}, planes.map((plane) =>
        h("tr", {},
          h("th", { scope: "row" }, plane.other_class === null || planes.length === 2 ? String(plane.own_class) : `${plane.own_class}, away from ${plane.other_class}`),
          h("td", { class: "number" }, number(plane.primal, 6)),
          h("td", { class: "number" }, tiny(Math.max(plane.gap, 0))),
          h("td", { class: "number" }, number(plane.n_sweeps))))),
    ),
  );
}

function convergence(info) {
  const { convergence: curves, certificate, classes, params } = info;
  if (!curves?.length) return null;
  const shown = curves.slice(0, MOST_CURVES).map(({ plane, sweeps, violations }) => ({
    own: classes.indexOf(certificate.planes[plane]?.own_class ?? classes[0]), sweeps, violations,
  }));
  return [
    h("h3", {}, "Convergence"),
    h("p", {}, "The largest violation of the optimality conditions after each sweep of the solver. What the sweeps leave, an exact step finishes; the proof above is taken after it."),
    convergencePlot(shown, params.tol),
    legend(classes.slice(0, 6), [["tolerance", "tolerance"]]),
  ];
}
