"""The section on robustness, beyond the paper."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.comparisons import (
    BY_VALIDATION,
    BY_VALIDATION_OWN,
    LARGEST_TEST_SHARE,
    ROBUSTNESS_METHODS,
    TITLES,
    Comparison,
    SplitAccuracies,
    compare,
    robustness_splits,
)
from benchmarks.paper.corruption import CORRUPTIONS
from benchmarks.paper.datasets import UCI_SETS
from benchmarks.paper.experiments.robustness import MOST_TRAINING_ROWS, TRAINING_SHARE
from benchmarks.paper.figures.robustness import draw_robustness
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS
from benchmarks.paper.report.grids import grid_text
from benchmarks.paper.report.markdown import bold_best, figure, p_value, signed, table
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import LEVEL, ranks, signed_rank_test

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

ByCorruption = dict[str, dict[str, SplitAccuracies]]


def robustness_section(results: Results, folder: Path) -> str:
    by_kernel = {kernel: robustness_splits(results, kernel) for kernel in KERNELS}
    by_kernel = {kernel: found for kernel, found in by_kernel.items() if found}
    if not by_kernel:
        return "## Robustness\n\nNot run.\n"
    drawn = figure(
        folder / "robustness.png",
        lambda path: draw_robustness(by_kernel, _DRAWN, path),
        "Accuracy under corruption",
        "Mean over the sets, as the difference to the SVM with the same kernel. "
        f"{results.made_by('robustness')}",
    )
    made_by = results.made_by("robustness")
    parts = [_introduction(results, by_kernel), drawn]
    for kernel, found in by_kernel.items():
        title = KERNEL_TITLES[kernel].capitalize()
        parts += [
            f"### {title} kernel: mean accuracy over the sets",
            f"{_means(found)}\n\n{made_by}",
            f"### {title} kernel: over all corruptions",
            f"{_overall(found)}\n\n{made_by}",
            f"### {title} kernel: FR-TSVM against SVM, FSVM and TSVM",
            f"{_against(found, [('frtsvm', other) for other in BASELINES])}\n\n{made_by}",
            f"### {title} kernel: memberships, against the paper's",
            f"{_against(found, [(variant, 'frtsvm') for variant in VARIANTS])}\n\n{made_by}",
        ]
    return "\n\n".join(parts) + "\n"


def details_section(results: Results) -> str:
    """Every set, for those who want to look."""
    parts = [
        "## Robustness, set by set",
        f"Mean accuracy over the seeds, per cent. {results.made_by('robustness')}",
    ]
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


def all_sets(
    found: ByCorruption, corruptions: Sequence[str] | None = None
) -> dict[str, SplitAccuracies]:
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
    counts = " and ".join(
        f"{next(iter(next(iter(found.values())).values())).n_seeds} ({KERNEL_TITLES[kernel]})"
        for kernel, found in by_kernel.items()
    )
    return f"""## Robustness, beyond the paper

{len(names)} sets ({listed}). Complete seeds: {counts}. Each seed draws {100 * TRAINING_SHARE:.0f}
% of the rows, at most {MOST_TRAINING_ROWS} so that the study ends within the hour, for training,
scales the features to [0, 1] by them, and then corrupts the training rows only: a share of the
labels of each class is turned, or 10 % of the rows are thrown off by Student-t noise (2 degrees of
freedom, scale 1). Every method is tuned on the corrupted rows with the same
{results.plan.inner_folds} folds (which share that scaling) and the same grid,
{grid_text(results.plan.repeated_grid)}, and tested on the untouched rest.

- *FR-TSVM* has the paper's memberships ("center"), *none* all ones, *neighbors* the share of
  like-labelled neighbours.
- *own-class too* weighs the distances of a plane to its own class by the membership as well; the
  paper weighs only the slack of the opposing rows.
- *FSVM, neighbors* is the SVM with the neighbour memberships.
- *membership by validation* takes, for each training set, the one of center, none and neighbors
  that scores best in the search: what an automatic search does. *All five by validation* may take
  the own-class variants too.

Significance: "better / worse" counts sets with p < {LEVEL} in the corrected paired t-test over seeds
(Nadeau & Bengio), whose variance counts n_test / n_train, here at most {LARGEST_TEST_SHARE:.2f}: where a
set has far more rows than are trained on, splits overlap less than the correction assumes. p is the
signed-rank test over the mean differences of the sets."""


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


def over_corruptions(found: ByCorruption) -> dict[str, SplitAccuracies]:
    """Each set once: its means under the corruptions, one after the other."""
    corrupted = [key for key in found if key != "clean"]
    return {
        name: SplitAccuracies(
            splits.methods, np.stack([found[key][name].means for key in corrupted]), 0.0
        )
        for name, splits in found[corrupted[0]].items()
        if all(name in found[key] for key in corrupted)
    }


def _overall(found: ByCorruption) -> str:
    """Each set counts once, with the mean over its corruptions."""
    sets = over_corruptions(found)
    rows = []
    for method in ROBUSTNESS_METHODS:
        cells = []
        for other in ("svm", "frtsvm"):
            gains = [float(splits.differences(method, other).mean()) for splits in sets.values()]
            better, p = sum(gain > 0.0 for gain in gains), signed_rank_test(gains)
            shown = f"{signed(float(np.mean(gains)))} ({better} of {len(gains)}; {p_value(p)})"
            cells.append("" if method == other else shown)
        rows.append([TITLES[method], *cells])
    return table(["points (sets that gain; p)", "minus SVM", "minus FR-TSVM"], rows)


def _against(found: ByCorruption, pairs: Sequence[tuple[str, str]]) -> str:
    def show(v: Comparison) -> str:
        return f"{signed(v.mean)} ({v.wins} / {v.losses}; {p_value(v.p)})"

    rows = []
    for method, other in pairs:
        cells = [show(compare(sets, method, other)) for sets in found.values()]
        rows.append([f"{TITLES[method]} − {TITLES[other]}", *cells])
    header = ["points (sets better / worse; p)", *(CORRUPTIONS[key].title for key in found)]
    return table(header, rows)


def _titles(methods: Sequence[str]) -> list[str]:
    return [TITLES[method] for method in methods]


def _set_title(name: str) -> str:
    return UCI_SETS[name].title if name in UCI_SETS else "Ripley"
