"""Sections of the report: robustness to wrong labels and outliers, which the paper does not have."""

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
        return "## Robustness to wrong labels and outliers\n\nNot run.\n"
    drawn = figure(
        folder / "robustness.png",
        lambda path: draw_robustness(by_kernel, _DRAWN, path),
        "Accuracy under corruption",
        "Accuracy minus that of the SVM with the same kernel, mean over the sets. "
        f"{results.made_by('robustness')}",
    )
    made_by = results.made_by("robustness")
    parts = [_introduction(results, by_kernel), drawn]
    for kernel, found in by_kernel.items():
        title = KERNEL_TITLES[kernel].capitalize()
        parts += [
            f"### {title} kernel: mean accuracy over the sets",
            "One row per corruption, accuracy in percent; the last row is the mean rank of each method "
            "over sets and corruptions (1 is best).",
            f"{_means(found)}\n\n{made_by}",
            f"### {title} kernel: over all corruptions",
            "Each set counts once, with its mean over the corruptions. A cell has the mean gain over "
            "SVM or FR-TSVM in points, the number of sets with a gain, and p of the signed-rank test.",
            f"{_overall(found)}\n\n{made_by}",
            f"### {title} kernel: FR-TSVM against SVM, FSVM and TSVM",
            "A cell has the mean gain of FR-TSVM in points, the numbers of sets where it is "
            "significantly better / worse, and p of the signed-rank test.",
            f"{_against(found, [('frtsvm', other) for other in BASELINES])}\n\n{made_by}",
            f"### {title} kernel: other memberships against the paper's",
            'The same figures for the other memberships, compared with the paper\'s "center".',
            f"{_against(found, [(variant, 'frtsvm') for variant in VARIANTS])}\n\n{made_by}",
        ]
    return "\n\n".join(parts) + "\n"


def details_section(results: Results) -> str:
    """Accuracies on every single set."""
    parts = [
        "## Robustness, set by set",
        "Mean accuracy over the seeds, in percent. Open a line to see its table, with one row per set "
        f"and one column per method. {results.made_by('robustness')}",
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
    """All pairs of set and corruption, each as a separate entry."""
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
    return f"""## Robustness to wrong labels and outliers

The paper claims robustness, but does not measure it with wrong labels. This study trains on corrupted
rows and tests on clean ones.

**Data.** {len(names)} sets: {listed}. Number of seeds: {counts}. Each seed draws
{100 * TRAINING_SHARE:.0f} % of the rows for training, at most {MOST_TRAINING_ROWS} so that the study
ends within an hour, and scales the features to [0, 1] by them.

**Corruption.** Only training rows are corrupted, after scaling. Either a share of the labels of each
class is flipped, or Student-t noise (2 degrees of freedom, scale 1) is added to 10 % of the rows.

**Tuning.** Every method is tuned on the corrupted rows with the same {results.plan.inner_folds} folds,
which share that scaling, and the same grid: {grid_text(results.plan.repeated_grid)}. The other rows,
which are not corrupted, test the result.

**Methods:**

- *FR-TSVM*: the paper's memberships ("center"). With *none*, all memberships are 1; with
  *neighbors*, they are computed from the share of the 10 nearest rows with the same label.
- *own-class weights*: the membership also weights the distances of a plane to its own class. The
  paper weights only the slack of the rows of the other class.
- *FSVM, neighbors*: the SVM with neighbor memberships as row weights.
- *membership by validation*: for each training set, the best of center, none and neighbors by
  validation score, as in an automatic search. *All five by validation* also includes the two
  variants with own-class weights.

**Significance.** "Better / worse" counts sets with p < {LEVEL} in the corrected paired t-test over
seeds (Nadeau & Bengio). Because the splits overlap, this test has the variance factor
1/n + n_test/n_train, for n seeds, in place of 1/n. The ratio n_test/n_train is limited to
{LARGEST_TEST_SHARE:.2f} here: the splits of a set with far more rows than are used for training
overlap less. p is that of the signed-rank test (Wilcoxon) over the mean differences of the sets."""


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
    """One entry per set: its mean accuracies under each corruption, except clean."""
    corrupted = [key for key in found if key != "clean"]
    return {
        name: SplitAccuracies(
            splits.methods, np.stack([found[key][name].means for key in corrupted]), 0.0
        )
        for name, splits in found[corrupted[0]].items()
        if all(name in found[key] for key in corrupted)
    }


def _overall(found: ByCorruption) -> str:
    """Table of gains over SVM and FR-TSVM; each set counts once, with its mean over the corruptions."""
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
