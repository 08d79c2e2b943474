"""Section of the report: the UCI sets."""

from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.paper import datasets, printed
from benchmarks.paper.comparisons import (
    compare,
    hindsight_accuracies,
    nested_splits,
    protocol_splits,
)
from benchmarks.paper.experiments.uci import TUNING_SHARE, NestedCell, ProtocolCell
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS, METHODS, PAPER_METHODS
from benchmarks.paper.report.grids import edge_text, grid_text
from benchmarks.paper.report.markdown import bold_best, p_value, signed, table
from benchmarks.paper.report.times import times_section
from benchmarks.paper.results import Results
from benchmarks.paper.statistics import ranks

_TITLES = [METHODS[method].title for method in PAPER_METHODS]
_WITHOUT_ID = "glass_noid"  # replaces Glass in means and counts over the sets


Found = TypeVar("Found")


def count_glass_once(sets: dict[str, Found]) -> dict[str, Found]:
    """Drop Glass with the row number as a feature, if Glass without it is there."""
    return {
        name: found for name, found in sets.items() if name != "glass" or _WITHOUT_ID not in sets
    }


def uci_section(results: Results, folder: Path) -> str:
    parts = [_introduction(results), _sizes(results)]
    for kernel in KERNELS:
        parts.append(f"### {KERNEL_TITLES[kernel].capitalize()} kernel")
        parts.append(_accuracies(results, kernel))
        parts.append(_summary(results, kernel))
    parts += [_glass(results), times_section(results, folder)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _introduction(results: Results) -> str:
    plan = results.plan
    runs = max((len(f) for k in KERNELS for f in protocol_splits(results, k).values()), default=0)
    nested = " and ".join(
        f"{max((splits.n_seeds for splits in nested_splits(results, kernel).values()), default=0)} "
        f"({KERNEL_TITLES[kernel]})"
        for kernel in KERNELS
    )
    wide, narrow = (
        edge_text((r for c, r in results.of(name, kind) if c.kernel == "rbf"), grid)
        for name, kind, grid in (
            ("protocol", ProtocolCell, plan.paper_grid),
            ("nested", NestedCell, plan.repeated_grid),
        )
    )
    return f"""## The UCI sets

The tables have three accuracies for each set, next to the printed one: by the paper's protocol, of the
best candidate in hindsight, and by nested cross-validation. Only the last one is a fair estimate.
`benchmarks/paper/uci_sets.py` lists the source of each set and the labels that form class +1.

**Paper's protocol.** The parameters come from 10-fold cross-validation on a random
{100 * TUNING_SHARE:.0f} % of the rows. Then {plan.paper_folds} folds of all rows give the mean and
standard deviation of the accuracy. The test folds include the rows that chose the parameters. The
figures are means over {runs} such runs with different seeds.

The grid is {grid_text(plan.paper_grid)}. The paper does not say which g it tried;
{len(plan.paper_grid.widths)} values keep the run short. {wide}

**Best in hindsight.** The highest mean accuracy over {plan.paper_folds} folds of any candidate, chosen
by those same folds, on the grid of the nested searches below. This is not a fair estimate: it shows
about how much a perfect choice of parameters could reach. A few of the other accuracies are higher,
because their folds, and for the paper's protocol the grid, are different.

**Nested.** In each of {plan.nested_outer} outer folds, a separate search by {plan.inner_folds}-fold
cross-validation within the training rows chooses the parameters. So every accuracy comes from rows
that were not used for any choice. This is repeated with several seeds: {nested}. ± is the standard
deviation over the seeds.

The grid is {grid_text(plan.repeated_grid)}. It is coarser than the paper's, so that hundreds of
searches end within an hour. {narrow}

**Preparation.** Features are scaled to [0, 1], and missing values (Hepatitis, WPBC) are replaced by
the median; both are learned from the training rows of every fold, outer and inner. If candidates
tie, every method takes the one whose neighbors in the grid score best."""


def _sizes(results: Results) -> str:
    rows = []
    sizes = {cell.name: result["size"] for cell, result in results.of("protocol", ProtocolCell)}
    for name, (*ours, gaps) in sizes.items():
        known = datasets.UCI_SETS[name]
        rows.append(
            [known.title]
            + [
                str(a) if a == b else f"{a} ({b})"
                for a, b in zip(ours, known.printed_size, strict=True)
            ]
            + [str(gaps) if gaps else ""]
        )
    if not rows:
        return ""
    header = ["set", "rows", "class +1", "class −1", "features", "missing values"]
    return (
        "Sizes of the sets; a printed size follows in parentheses if it differs. The paper's counts for "
        f"WPBC leave out the four rows with missing values.\n\n{table(header, rows)}\n\n"
        f"{results.made_by('protocol')}"
    )


def _accuracies(results: Results, kernel: str) -> str:
    protocol, nested = protocol_splits(results, kernel), nested_splits(results, kernel)
    hindsight = hindsight_accuracies(results, kernel)
    rows = []
    for name in datasets.UCI_SETS:
        title = datasets.UCI_SETS[name].title
        if name in printed.UCI_MEAN[kernel] and (name in protocol or name in nested):
            old, spread = printed.UCI_MEAN[kernel][name], printed.UCI_STD[kernel][name]
            texts = [f"{mean:.2f} ± {std:.2f}" for mean, std in zip(old, spread, strict=True)]
            rows.append([f"{title}, printed", *bold_best(old, texts)])
        if name in protocol:
            folds = protocol[name]
            means, stds = folds.mean(axis=(0, 1)), folds.std(axis=1).mean(axis=0)
            texts = [f"{mean:.2f} ± {std:.2f}" for mean, std in zip(means, stds, strict=True)]
            rows.append([f"{title}, paper's protocol", *bold_best(means, texts)])
        if name in hindsight:
            texts = [f"{value:.2f}" for value in hindsight[name]]
            rows.append([f"{title}, best in hindsight", *bold_best(hindsight[name], texts)])
        if name in nested:
            means, stds = nested[name].means, nested[name].spread_over_seeds()
            texts = [f"{mean:.2f} ± {std:.2f}" for mean, std in zip(means, stds, strict=True)]
            rows.append([f"{title}, nested", *bold_best(means, texts)])
    if not rows:
        return ""
    made_by = results.made_by("protocol", "hindsight", "nested")
    return (
        "Accuracy in percent, mean ± standard deviation, up to four rows per set. Compare the methods "
        'by the "nested" rows, which the table after this one summarizes.\n\n'
        f"{table(['accuracy, %', *_TITLES], rows)}\n\n{made_by}"
    )


def _summary(results: Results, kernel: str) -> str:
    nested = count_glass_once(nested_splits(results, kernel))
    if not nested:
        return ""
    means = np.stack([splits.means for splits in nested.values()])
    mean_ranks = ranks(means).mean(axis=0)
    rows = [
        ["mean accuracy, nested", *(f"{value:.2f}" for value in means.mean(axis=0))],
        ["mean rank, nested (1 is best)", *(f"{value:.2f}" for value in mean_ranks)],
    ]
    for title, value in (
        ("FR-TSVM minus this, points", lambda v: signed(v.mean)),
        ("sets where FR-TSVM is significantly better / worse", lambda v: f"{v.wins} / {v.losses}"),
        ("p of the signed-rank test", lambda v: p_value(v.p)),
    ):
        cells = [value(compare(nested, "frtsvm", other)) for other in PAPER_METHODS[:-1]]
        rows.append([title, *cells, ""])
    return (
        f"Summary of the nested accuracies over {len(nested)} sets (Glass counts once, without `Id`). "
        "Whether a difference on a single set is significant is decided by the corrected paired "
        "t-test (Nadeau & Bengio) over the folds of all seeds. The signed-rank test (Wilcoxon) is "
        f"over the mean differences of the sets.\n\n{table(['', *_TITLES], rows)}\n\n"
        f"{results.made_by('nested')}"
    )


def _glass(results: Results) -> str:
    rows = []
    for kernel in KERNELS:
        nested = nested_splits(results, kernel)
        if "glass" in nested and _WITHOUT_ID in nested:
            for name in ("glass", _WITHOUT_ID):
                texts = [f"{value:.2f}" for value in nested[name].means]
                title = f"{KERNEL_TITLES[kernel]}, {datasets.UCI_SETS[name].title}"
                rows.append([title, *bold_best(nested[name].means, texts)])
    if not rows:
        return ""
    printed_range = printed.UCI_MEAN["rbf"]["glass"]
    return f"""### Glass, with and without `Id`

The paper's Glass has 10 features. The tenth is the row number `Id`, and the rows of the file are
sorted by class, so a kernel method can read the class off `Id`. The table has the nested accuracies
with and without it.

{table(["", *_TITLES], rows)}

The printed {min(printed_range):.1f}–{max(printed_range):.1f} % for the Gaussian kernel therefore
measure the row numbers, not the glass. {results.made_by("nested")}"""
