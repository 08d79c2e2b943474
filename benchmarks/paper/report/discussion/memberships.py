"""Paragraphs on the memberships."""

from benchmarks.paper.experiments.ripley import MembershipsCell
from benchmarks.paper.methods.registry import PAPER_METHODS
from benchmarks.paper.report.bands import bands_results
from benchmarks.paper.report.claims.verdict import require
from benchmarks.paper.report.discussion.gains import (
    corrupted_gains,
    gains_text,
    gains_under,
)
from benchmarks.paper.report.markdown import signed
from benchmarks.paper.results import Results


def which_membership(results: Results) -> str:
    (ripley,) = require([result for _, result in results.of("ripley", MembershipsCell)])
    column = PAPER_METHODS.index
    bands = ", ".join(
        f"{signed(float((a[:, column('frtsvm')] - a[:, column('tsvm')]).mean()))} at variance "
        f"{variance:.2g}"
        for variance, a in ((v, one["accuracy"]) for v, one in bands_results(results).items())
        if variance > 0.0
    )
    none, neighbors = (
        corrupted_gains(results, method, "frtsvm") for method in ("frtsvm-none", "frtsvm-neighbors")
    )
    return (
        '"Center" takes each class for one round cluster. Ripley\'s classes are two clusters each, and '
        "the figure of their memberships shows the consequence: "
        f"{ripley['positive']['suspected']:.0f} % of the rows of class + and "
        f"{ripley['negative']['suspected']:.0f} % of class − are suspected. The bands are long "
        f"and bent: FR-TSVM minus TSVM under noise there {bands}. Over the corruptions, "
        f'minus "center": "none" {gains_text(none)}; "neighbors" {gains_text(neighbors)}.'
    )


def own_class(results: Results) -> str:
    phrases = []
    every = []
    for method, name in (("own-center", "center"), ("own-neighbors", "neighbors")):
        clean = gains_under(results, "clean", method, "frtsvm")
        noisy = corrupted_gains(results, method, "frtsvm")
        every += noisy
        phrases.append(
            f'with "{name}", minus the paper\'s model: as it is {gains_text(clean)}; corrupted {gains_text(noisy)}'
        )
    clear = sum(gain.significant and gain.points > 0.0 for gain in every)
    return (
        "The squared distances to the own class are where outliers pull without limit, and the "
        f"paper leaves them unweighted. Weighing them as well, {'. And '.join(phrases)}. Of these "
        f"gains under corruption {clear or 'none'} {'are' if clear > 1 else 'is'} significant "
        "over the sets."
    )
