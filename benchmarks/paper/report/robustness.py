"""The section on robustness, beyond the paper."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.comparisons import (
    BY_VALIDATION,
    BY_VALIDATION_OWN,
    ROBUSTNESS_METHODS,
    TITLES,
    Splits,
    Versus,
    robustness_splits,
    versus,
)
from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.datasets import UCI_SETS
from benchmarks.paper.experiments.robustness import MOST_TRAINING_ROWS, TRAINING_SHARE
from benchmarks.paper.figures.robustness import draw_robustness
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS
from benchmarks.paper.report.markdown import bold_best, p_value, signed, table
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import over_sets, ranks

BASELINES = ("svm", "fsvm", "tsvm")
VARIANTS = (
    "frtsvm-none",
    "frtsvm-neighbors",
    "own-center",
    "own-neighbors",
    BY_VALIDATION,
    BY_VALIDATION_OWN,
)
_DRAWN = (
    "fsvm",
    "tsvm",
    "frtsvm",
    "frtsvm-none",
    "frtsvm-neighbors",
    "own-center",
    "own-neighbors",
)

ByCorruption = dict[str, dict[str, Splits]]


def robustness_section(results: Results, folder: Path) -> str:
    by_kernel = {kernel: robustness_splits(results, kernel) for kernel in KERNELS}
    by_kernel = {kernel: found for kernel, found in by_kernel.items() if found}
    if not by_kernel:
        return "## Robustness\n\nNot run.\n"
    draw_robustness(by_kernel, _DRAWN, folder / "robustness.png")
    parts = [_introduction(results, by_kernel)]
    for kernel, found in by_kernel.items():
        title = KERNEL_TITLES[kernel].capitalize()
        parts += [
            f"### {title} kernel: mean accuracy over the sets",
            _means(found),
            f"### {title} kernel: over all corruptions",
            _overall(found),
            f"### {title} kernel: FR-TSVM against SVM, FSVM and TSVM",
            _against(found, [("frtsvm", other) for other in BASELINES]),
            f"### {title} kernel: memberships, against the paper's",
            _against(found, [(variant, "frtsvm") for variant in VARIANTS]),
        ]
    return "\n\n".join(parts) + "\n"


def details_section(results: Results) -> str:
    """Every set, for those who want to look."""
    parts = ["## Robustness, set by set", "Mean accuracy over the seeds, per cent."]
    for kernel in KERNELS:
        found = robustness_splits(results, kernel)
        for corruption, sets in found.items():
            rows = [
                [_set_title(name), *(f"{value:.1f}" for value in splits.means)]
                for name, splits in sets.items()
            ]
            parts.append(
                f"<details><summary>{KERNEL_TITLES[kernel]}, {CORRUPTIONS[corruption].title}</summary>"
                f"\n\n{table(['', *_titles(ROBUSTNESS_METHODS)], rows)}\n\n</details>"
            )
    return "\n\n".join(parts) + "\n"


def all_sets(found: ByCorruption, corruptions: Sequence[str] | None = None) -> dict[str, Splits]:
    """Every set under every corruption as an entry of its own."""
    return {
        f"{name} {corruption}": splits
        for corruption, sets in found.items()
        if corruptions is None or corruption in corruptions
        for name, splits in sets.items()
    }


def _introduction(results: Results, by_kernel: dict[str, ByCorruption]) -> str:
    names = list(
        dict.fromkeys(n for found in by_kernel.values() for s in found.values() for n in s)
    )
    listed = ", ".join(_set_title(name) for name in names)
    seeds = [s.accuracies.shape[0] for found in by_kernel.values() for x in found.values()
             for s in x.values()]  # fmt: skip
    counted = f"{max(seeds)}" if min(seeds) == max(seeds) else f"{min(seeds)} to {max(seeds)}"
    return f"""## Robustness, beyond the paper

{len(names)} sets ({listed}), {counted} seeds. Each seed draws {100 * TRAINING_SHARE:.0f} % of the
rows, at most {MOST_TRAINING_ROWS}, for training, scales the features to [0, 1], and then corrupts
the training rows only: a share of the labels of each class is turned, or 10 % of the rows are
thrown off by Student-t noise (2 degrees of freedom, scale 1). Every method is tuned on the
corrupted rows with the same {results.plan.inner_folds} folds and the same grid, and tested on the
untouched rest.

- *FR-TSVM* has the paper's memberships ("center"), *none* all ones, *neighbors* the share of
  like-labelled neighbours.
- *own-class too* weighs the distances of a plane to its own class by the membership as well; the
  paper weighs only the slack of the opposing rows.
- *FSVM, neighbors* is the SVM with the neighbour memberships.
- *membership by validation* takes, for each training set, the one of center, none and neighbors
  that scores best in the search: what an automatic search does. *All five by validation* may take
  the own-class variants too.

Significance: "better / worse" counts sets with p < 0.05 in the corrected paired t-test over seeds
(Nadeau & Bengio); p is the signed-rank test over the mean differences of the sets.
Made by `{results.plan.command}`.

![Accuracy under corruption](reproduction/robustness.png)

Mean over the sets, as the difference to the SVM with the same kernel. Made by
`{results.plan.command}`."""


def _means(found: ByCorruption) -> str:
    rows, every_rank = [], []
    for corruption, sets in found.items():
        means = np.stack([splits.means for splits in sets.values()])
        texts = [f"{value:.1f}" for value in means.mean(axis=0)]
        rows.append([CORRUPTIONS[corruption].title, *bold_best(means.mean(axis=0).round(1), texts)])
        every_rank.append(ranks(means))
    mean_ranks = np.concatenate(every_rank).mean(axis=0)
    texts = bold_best(mean_ranks, [f"{rank:.2f}" for rank in mean_ranks], lowest=True)
    rows.append(["mean rank", *texts])
    return table(["", *_titles(ROBUSTNESS_METHODS)], rows)


def _overall(found: ByCorruption) -> str:
    """Each set counts once, with the mean over its corruptions."""
    corrupted = [key for key in found if key != "clean"]
    sets = {
        name: Splits(splits.methods, np.stack([found[key][name].means for key in corrupted]), 0.0)
        for name, splits in found[corrupted[0]].items()
        if all(name in found[key] for key in corrupted)
    }
    rows = []
    for method in ROBUSTNESS_METHODS:
        cells = []
        for other in ("svm", "frtsvm"):
            gains = [float(splits.differences(method, other).mean()) for splits in sets.values()]
            better, p = sum(gain > 0.0 for gain in gains), over_sets(gains)
            shown = f"{signed(float(np.mean(gains)))} ({better} of {len(gains)}; {p_value(p)})"
            cells.append("" if method == other else shown)
        rows.append([TITLES[method], *cells])
    return table(["points (sets that gain; p)", "minus SVM", "minus FR-TSVM"], rows)


def _against(found: ByCorruption, pairs: Sequence[tuple[str, str]]) -> str:
    def show(v: Versus) -> str:
        return f"{signed(v.mean)} ({v.wins} / {v.losses}; {p_value(v.p)})"

    rows = []
    for method, other in pairs:
        cells = [show(versus(sets, method, other)) for sets in found.values()]
        rows.append([f"{TITLES[method]} − {TITLES[other]}", *cells])
    header = ["points (sets better / worse; p)", *(CORRUPTIONS[key].title for key in found)]
    return table(header, rows)


def _titles(methods: Sequence[str]) -> list[str]:
    return [TITLES[method] for method in methods]


def _set_title(name: str) -> str:
    return UCI_SETS[name].title if name in UCI_SETS else "Ripley"
