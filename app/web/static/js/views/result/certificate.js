/** Certificate of optimality in words, and the convergence of the solver. */

import { h } from "../../dom.js";
import { number, scientific } from "../../format.js";
import { numeric, plainTable, scrollable } from "../../parts/table.js";
import { convergencePlot } from "../../plots/convergence.js";
import { legend } from "../../plots/axes.js";

/** Gaps below this are rounding errors. */
const ROUNDING = 1e-9;
/** More curves could not be told apart. */
const MAX_CURVES = 12;

export function certificatePanel(info) {
  return h(
    "section",
    { "aria-labelledby": "proof-title" },
    h("h2", { id: "proof-title" }, "The proof"),
    h("p", {}, certificateText(info.certificate)),
    planeTable(info.certificate),
    convergence(info),
  );
}

/** @param {any} certificate */
function certificateText({ converged, relative_gap: gap, planes }) {
  const which = planes.length === 2 ? "Both planes are" : `All ${planes.length} planes are`;
  if (!converged) {
    return (
      `The solver stopped before it was sure: a plane may be up to ${scientific(100 * gap)} % from the best ` +
      "there is. More sweeps (max_iter) would tell."
    );
  }
  if (gap < ROUNDING) {
    return (
      `${which} the best there can be for these rows and parameters. That is not an opinion: the problem ` +
      `and its dual agree to ${scientific(gap)}, which is what rounding leaves, so no other plane can be better ` +
      "by more than that."
    );
  }
  return (
    `${which} within ${scientific(gap)}, relatively, of the best there can be for these rows and parameters: ` +
    "that is how far the problem and its dual are apart."
  );
}

function planeTable({ planes }) {
  const nameOf = ({ own_class: own, other_class: other }) =>
    other === null || planes.length === 2 ? String(own) : `${own}, away from ${other}`;
  const table = plainTable(
    "Certificate of each plane",
    ["Plane close to", numeric("Objective"), numeric("At most better by"), numeric("Sweeps")],
    planes.map((plane) => [
      nameOf(plane),
      number(plane.primal, 6),
      scientific(Math.max(plane.gap, 0)),
      number(plane.n_sweeps),
    ]),
  );
  return scrollable("Certificate of each plane", table);
}

function convergence({ convergence: curves, certificate, classes }) {
  if (!curves?.length) return null;
  const title = h("h3", {}, "Convergence");
  if (curves.some(({ gaps }) => !gaps)) {
    return [title, h("p", { class: "hint" }, "This version comes from a release that did not keep its gaps.")];
  }
  const shown = curves.slice(0, MAX_CURVES).map(({ plane, sweeps, gaps }) => {
    const { own_class: own, relative_gap: last } = certificate.planes[plane];
    return { own: Math.max(0, classes.indexOf(own)), sweeps, gaps, last };
  });
  return [
    title,
    h(
      "p",
      {},
      "How much better a plane could at most have become, sweep by sweep of the solver (its duality gap). " +
        "Once the sweeps have found which rows matter, an exact step solves the rest: that is the drop " +
        "to the mark, where the proof is taken.",
    ),
    convergencePlot(shown),
    legend(classes.slice(0, 6), [["series", "gap"]]),
  ];
}
