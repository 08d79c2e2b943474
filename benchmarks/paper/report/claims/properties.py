"""Verdicts on the claims about the model: suspected noise, decision, uniqueness, large data."""

from typing import Any

import numpy as np

from benchmarks.paper.experiments.ripley import MembershipsCell
from benchmarks.paper.experiments.size import SizeCell
from benchmarks.paper.experiments.uniqueness import TOLERANCE, UniquenessCell
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS
from benchmarks.paper.report.claims.verdict import (
    NO,
    UNKNOWN,
    YES,
    Judge,
    Verdict,
    claim_of,
    require,
)
from benchmarks.paper.report.geometry import exactness, toy_results
from benchmarks.paper.report.markdown import p_value, signed
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import LEVEL, corrected_t_test


def _memberships_fall(results: Results) -> Verdict:
    """Rows far from the center of their class have smaller memberships (Fig. 2, and Ripley's data)."""
    (found,) = require([result for _, result in results.of("ripley", MembershipsCell)])
    correlations = [found[name]["correlation"] for name in ("positive", "negative")]
    return Verdict(
        claim_of(_memberships_fall),
        YES if max(correlations) < -0.5 else NO,
        f"the rank correlation of distance and membership is {signed(correlations[0])} and "
        f"{signed(correlations[1])} in the two classes of Ripley's data (linear), as the formula "
        "implies",
    )


def _toy_planes(results: Results) -> Verdict:
    """FR-TSVM finds the better plane, because it detects noisy rows and weights them less (Fig. 1)."""
    found = list(require(toy_results(results)).values())
    gains = np.array([one["frtsvm"]["accuracy"] - one["tsvm"]["accuracy"] for one in found])
    p = corrected_t_test(gains, 0.0)
    phrases = (
        f"{len(found)} draws of such rows: FR-TSVM minus TSVM {signed(float(gains.mean()))} points "
        f"on rows without noise (p {p_value(p)}); FR-TSVM suspects "
        f"{np.mean([one['found'] for one in found]):.0f} % of the noisy rows and "
        f"{np.mean([one['wrongly'] for one in found]):.0f} % of the others"
    )
    return Verdict(claim_of(_toy_planes), _sided(float(gains.mean()), p), phrases)


def _exact(results: Results) -> Verdict:
    """The decision of FR-TSVM is more exact than that of TSVM, and less biased (Ripley)."""
    verdicts, phrases = [], []
    for kernel in KERNELS:
        draws = require(exactness(results, kernel))
        for title, value in (("difference from the Bayes classifier", _apart), ("bias", _bias)):
            losses = np.array([value(one["frtsvm"]) - value(one["tsvm"]) for one in draws])
            p = corrected_t_test(losses, 0.0)
            verdicts.append(_sided(-float(losses.mean()), p))
            phrases.append(
                f"{KERNEL_TITLES[kernel]}, {title}: {signed(float(losses.mean()))} points "
                f"(p {p_value(p)})"
            )
    verdict = YES if set(verdicts) == {YES} else NO if NO in verdicts else UNKNOWN
    said = f"FR-TSVM minus TSVM, lower is better. {'; '.join(phrases)}"
    return Verdict(claim_of(_exact), verdict, said)


def _apart(one: dict[str, Any]) -> float:
    return float(one["apart"])


def _bias(one: dict[str, Any]) -> float:
    return abs(float(one["bias"]))


def _sided(gain: float, p: float) -> str:
    return UNKNOWN if p >= LEVEL else YES if gain > 0.0 else NO


def _unique(results: Results) -> Verdict:
    """The problems of FR-TSVM have a unique solution and no singular matrix; those of TSVM may be
    ill-conditioned."""
    verdicts, phrases = [], []
    for kernel in KERNELS:
        found = require(
            [r for cell, r in results.of("uniqueness", UniquenessCell) if cell.kernel == kernel]
        )
        singular = sum(one["missing_rank"] > 0 for one in found)
        condition = max(one["condition"] for one in found)
        apart = max(one["apart"] for one in found)
        many = sum(one["many_multipliers"] for one in found)
        verdicts.append(condition < 1.0 / np.finfo(float).eps and apart < 100.0 * TOLERANCE)
        phrases.append(
            f"{KERNEL_TITLES[kernel]}: H'H alone is singular on {singular} of {len(found)} sets; "
            f"with c₁ = 2⁻⁸ the largest condition number is {condition:.0e}; distances to planes "
            "that were found with different random orders of the solver differ by at most "
            f"{apart:.0e}. The dual variables, unlike the planes, are not unique on {many} sets"
        )
    said = f"{'; '.join(phrases)}. For H see [maths.md](maths.md#2-one-plane)"
    return Verdict(claim_of(_unique), YES if all(verdicts) else NO, said)


def _large_data(results: Results) -> Verdict:
    """FR-TSVM suits large data: faster than TSVM, with less memory."""
    found = require(
        {(c.kernel, c.n_rows, c.method): result for c, result in results.of("size", SizeCell)}
    )
    faster, smaller, phrases = [], [], []
    for kernel, n_rows in dict.fromkeys(key[:2] for key in found):
        tsvm, ours = (found[kernel, n_rows, method] for method in ("tsvm", "frtsvm"))
        faster.append(ours["seconds"] < 0.95 * tsvm["seconds"])
        smaller.append(ours["peak_mb"] < 0.95 * tsvm["peak_mb"])
        phrases.append(
            f"{KERNEL_TITLES[kernel]}, {n_rows:,} rows: {ours['seconds']:.2f} s and "
            f"{ours['peak_mb']:.0f} MiB, TSVM {tsvm['seconds']:.2f} s and {tsvm['peak_mb']:.0f} MiB"
        )
    largest = max(n_rows for _, n_rows, _ in found)
    return Verdict(
        claim_of(_large_data),
        YES if all(faster) and all(smaller) else UNKNOWN if any(faster) and any(smaller) else NO,
        f"{'; '.join(phrases)} (CPU time, all costs 1, the same solver for both). The paper's "
        "solver does not need the matrix of a general solver, which takes "
        f"{(largest / 2) ** 2 * 8 / 2**30:.0f} GiB for one plane of {largest:,} rows. With the "
        "solver of this library, TSVM does not need that matrix either. "
        "More sizes: [performance.md](performance.md#fr-tsvm-against-tsvm)",
    )


MODEL_JUDGES: tuple[Judge, ...] = (_toy_planes, _memberships_fall, _exact, _unique)
SIZE_JUDGES: tuple[Judge, ...] = (_large_data,)
