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
    h("h2", { id: "proof-title" }, "Optimality"),
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
      `Not proven: the solver reached its sweep limit. The objective of a plane may be up to ` +
      `${scientific(100 * gap)} % above its minimum. To reduce this, train again through the API with a larger ` +
      "max_iter in params."
    );
  }
  if (gap < ROUNDING) {
    return (
      `${which} optimal for these rows and parameters. The duality gap proves it: the primal and the dual ` +
      `objective agree up to a relative difference of ${scientific(gap)}, the level of rounding errors. ` +
      "No other plane can have an objective that is lower by more than that."
    );
  }
  return (
    `${which} optimal for these rows and parameters up to a relative difference of ${scientific(gap)}. ` +
    "This is the duality gap: the difference between the primal and the dual objective."
  );
}

function planeTable({ planes }) {
  const nameOf = ({ own_class: own, other_class: other }) =>
    other === null || planes.length === 2 ? String(own) : `${own}, against ${other}`;
  const table = plainTable(
    "Certificate of each plane",
    ["Plane of class", numeric("Objective"), numeric("Duality gap"), numeric("Sweeps")],
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
    return [title, h("p", { class: "hint" }, "An older release trained this version and did not store the gaps.")];
  }
  const shown = curves.slice(0, MAX_CURVES).map(({ plane, sweeps, gaps }) => {
    const { own_class: own, relative_gap: finalGap } = certificate.planes[plane];
    return { own: Math.max(0, classes.indexOf(own)), sweeps, gaps, finalGap };
  });
  return [
    title,
    h(
      "p",
      {},
      "The relative duality gap after each sweep of the solver, one pass over the rows. It bounds how far the " +
        "objective of a plane is above its minimum. Exact steps on the active set, the rows whose dual " +
        "variable is between its bounds, may follow the last sweep. The marker is the gap after them.",
    ),
    convergencePlot(shown),
    legend(classes.slice(0, 6), [["series", "duality gap"]]),
  ];
}
