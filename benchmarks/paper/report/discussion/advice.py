"""Paragraphs with advice."""

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
    """Mean rank of each of the three memberships, over kernels, corruptions and sets."""
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
    advice = {
        0: "a search over the memberships does not pay with either kernel",
        1: "a search over the memberships pays with one of the kernels only",
        2: "an automatic search should try all three memberships",
    }[sum(gain.points > 0.0 for gain in noisy)]
    worth = "worth" if any(g.points > 0.3 and g.significant for g in wider) else "not worth"
    return f"""{_where_best(results)} So {advice}.

- Choosing the membership by validation score, minus the paper's "center": corrupted
  {gains_text(noisy)}; clean {gains_text(clean)}; significant losses on single sets: {losses}.
- If only one membership can be tried, it should be "{best}". Mean ranks among the three: {listed}.
- The own-class weights are {worth} adding to the candidates: with them, the choice by
  validation score gains, on corrupted rows, {gains_text(wider)}.
- With so many candidates and few rows, small differences in the validation score are unreliable.
  This page does not measure the effect of repeated folds, which the search of this library uses
  ([stages](search.md#stages))."""


def _where_best(results: Results) -> str:
    """Tell how often each of the three memberships has the highest mean accuracy over the sets."""
    columns = [ROBUSTNESS_METHODS.index(method) for method in _NAMES]
    best = [
        int(np.mean([splits.means[columns] for splits in sets.values()], axis=0).argmax())
        for kernel in KERNELS
        for sets in robustness_splits(results, kernel).values()
    ]
    counts = {name: best.count(place) for place, name in enumerate(_NAMES.values())}
    listed = ", ".join(f'"{name}" {count}' for name, count in counts.items())
    everywhere = "One membership" if len(best) in counts.values() else "No membership"
    return (
        f"{everywhere} is best everywhere. There are {len(best)} cases, one for each kernel with "
        "clean rows and with each corruption. Number of cases in which each membership has the "
        f"highest mean accuracy over the sets: {listed}."
    )


def which_method(results: Results) -> str:
    robust = all(gain.points > 0.0 for gain in gains_under(results, "flip30", "frtsvm", "tsvm"))
    behind = all(gain.points < 0.0 for gain in nested_gains(results, "frtsvm", "svm"))
    return (
        "Use FR-TSVM if you need a twin-plane model: for its distances to both classes, its list of "
        "suspected rows, its optimality certificate, or its speed on many rows (see "
        "[performance.md](performance.md)). "
        + ("If labels may be wrong, prefer it to TSVM. " if robust else "")
        + (
            "If only accuracy on a small table counts, try an SVM first."
            if behind
            else "On small tables, compare it with an SVM."
        )
    )
