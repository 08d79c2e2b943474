"""Paragraphs about the memberships."""

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
    return f"""The paper's membership, "center", assumes that each class is one round cluster.

- Each of Ripley's classes consists of two clusters. As a consequence,
  {ripley["positive"]["suspected"]:.0f} % of the rows of class +1 and
  {ripley["negative"]["suspected"]:.0f} % of class −1 are suspected.
- The bands of the second artificial set are long and bent. FR-TSVM minus TSVM with noise: {bands}.
- Corrupted: "none" minus "center" {gains_text(none)}; "neighbors" minus "center"
  {gains_text(neighbors)}."""


def own_class(results: Results) -> str:
    items = []
    every = []
    for method, name in (("own-center", "center"), ("own-neighbors", "neighbors")):
        clean = gains_under(results, "clean", method, "frtsvm")
        noisy = corrupted_gains(results, method, "frtsvm")
        every += noisy
        items.append(
            f'- "{name}" on both terms, minus the paper\'s model: clean {gains_text(clean)}; '
            f"corrupted {gains_text(noisy)}."
        )
    clear = sum(gain.significant and gain.points > 0.0 for gain in every)
    listed = "\n".join(items)
    found = "is one significant gain" if clear == 1 else f"are {clear or 'no'} significant gains"
    return f"""The own-class term of the objective is the sum of the squared distances of a plane to
the rows of its own class. They are not bounded, so outliers have the most influence there, and the
paper does not weight them. If they are weighted by the membership, too, there {found} on corrupted
rows:

{listed}"""
