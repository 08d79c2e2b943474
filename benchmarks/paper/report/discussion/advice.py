"""Paragraphs that advise."""

import numpy as np

from benchmarks.paper.comparisons import (
    BY_VALIDATION,
    BY_VALIDATION_OWN,
    ROBUSTNESS_METHODS,
    robustness_splits,
)
from benchmarks.paper.methods.registry import KERNELS
from benchmarks.paper.report.claims.verdict import require
from benchmarks.paper.report.discussion.gains import (
    corrupted_gains,
    gains_text,
    gains_under,
    nested_gains,
)
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import ranks

_NAMES = {"frtsvm": "center", "frtsvm-none": "none", "frtsvm-neighbors": "neighbors"}


def membership_ranks(results: Results) -> dict[str, float]:
    """Mean rank of the three memberships among themselves, over kernels, corruptions and sets."""
    columns = [ROBUSTNESS_METHODS.index(method) for method in _NAMES]
    means = [
        splits.means[columns]
        for kernel in KERNELS
        for sets in require(robustness_splits(results, kernel)).values()
        for splits in sets.values()
    ]
    return dict(zip(_NAMES.values(), ranks(np.stack(means)).mean(axis=0).tolist(), strict=True))


def which_default(results: Results) -> str:
    noisy = corrupted_gains(results, BY_VALIDATION, "frtsvm")
    clean = gains_under(results, "clean", BY_VALIDATION, "frtsvm")
    wider = corrupted_gains(results, BY_VALIDATION_OWN, BY_VALIDATION)
    losses = sum(gain.losses for gain in (*noisy, *clean))
    found = membership_ranks(results)
    best = min(found, key=lambda name: found[name])
    listed = ", ".join(f'"{name}" {rank:.2f}' for name, rank in found.items())
    searched = {
        0: "it pays with neither kernel",
        1: "it pays with one of the kernels only",
        2: "it should be searched",
    }[sum(gain.points > 0.0 for gain in noisy)]
    worth = "worth" if any(g.points > 0.3 and g.significant for g in wider) else "not worth"
    return (
        f"{_where_best(results)} Choosing among the three by validation score, minus the paper's "
        f'"center", gives {gains_text(noisy)} under corruption and {gains_text(clean)} on rows as they are, with '
        f"{losses} significant losses on single sets: {searched}. Where only one can be tried it should "
        f'be "{best}": mean ranks among the three {listed}. The own-class weights are {worth} being '
        f"candidates too: with them the choice gains {gains_text(wider)}. With so many candidates a search "
        "does well to repeat its folds where rows are few before it trusts small differences."
    )


def _where_best(results: Results) -> str:
    """How often each of the three has the highest mean over the sets."""
    columns = [ROBUSTNESS_METHODS.index(method) for method in _NAMES]
    best = [
        int(np.mean([splits.means[columns] for splits in sets.values()], axis=0).argmax())
        for kernel in KERNELS
        for sets in robustness_splits(results, kernel).values()
    ]
    counts = {name: best.count(place) for place, name in enumerate(_NAMES.values())}
    listed = ", ".join(f'"{name}" in {count}' for name, count in counts.items())
    everywhere = "One membership" if len(best) in counts.values() else "No membership"
    return (
        f"{everywhere} is best everywhere: of {len(best)} means over the sets (kernel and corruption) "
        f"{listed}."
    )


def which_method(results: Results) -> str:
    robust = all(gain.points > 0.0 for gain in gains_under(results, "flip30", "frtsvm", "tsvm"))
    behind = all(gain.points < 0.0 for gain in nested_gains(results, "frtsvm", "svm"))
    return (
        "When a twin-plane model is wanted: for its distances to both classes, its list of "
        "suspected rows, its certificate, or its speed on many rows (see performance.md)"
        + ("; and then rather than TSVM, whenever labels may be wrong. " if robust else ". ")
        + (
            "When nothing but accuracy on a small table counts, try an SVM first."
            if behind
            else "On small tables try it beside an SVM."
        )
    )
