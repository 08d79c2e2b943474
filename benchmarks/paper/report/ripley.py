"""Section of the report: Ripley's data."""

from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.paper import artificial, printed
from benchmarks.paper.experiments.ripley import RipleyCell, SensitivityCell
from benchmarks.paper.figures.memberships import draw_memberships
from benchmarks.paper.figures.planes import Line, draw_boundaries
from benchmarks.paper.figures.sensitivity import draw_sensitivity
from benchmarks.paper.methods.registry import KERNEL_TITLES, METHODS, PAPER_METHODS
from benchmarks.paper.report.grids import grid_text
from benchmarks.paper.report.markdown import bold_best, fastest, figure, table
from benchmarks.paper.results import Results

_TITLES = [METHODS[method].title for method in PAPER_METHODS]


def ripley_results(results: Results) -> dict[str, dict[str, dict[str, float]]]:
    """Results by kernel and method, for kernels with results of all methods."""
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for cell, result in results.of("ripley", RipleyCell):
        found[cell.kernel][cell.method] = result
    return {kernel: rows for kernel, rows in found.items() if len(rows) == len(PAPER_METHODS)}


def ripley_section(results: Results, folder: Path) -> str:
    found = ripley_results(results)
    if not found:
        return "## Ripley's synthetic data\n\nNot run: the data set is not available.\n"
    rows = []
    for kernel in found:
        ours = [found[kernel][method] for method in PAPER_METHODS]
        lines = {
            "accuracy, printed": printed.RIPLEY_ACCURACY[kernel],
            "accuracy, tuned on the training rows": [one["accuracy"] for one in ours],
            "best test accuracy of any candidate": [one["best_in_test"] for one in ours],
        }
        for title, values in lines.items():
            texts = bold_best(values, [f"{value:.1f}" for value in values])
            rows.append([f"{KERNEL_TITLES[kernel]}, {title}", *texts])
        times = [1000.0 * one["seconds"] for one in ours]
        old = printed.RIPLEY_SECONDS[kernel]
        rows.append([f"{KERNEL_TITLES[kernel]}, training time, printed, s", *fastest(old)])
        rows.append([f"{KERNEL_TITLES[kernel]}, training time, CPU ms", *fastest(times)])
    parameters = "\n".join(
        f"- {METHODS[method].title}, {KERNEL_TITLES[kernel]}: {_parameters(found[kernel][method])}"
        for kernel in found
        for method in PAPER_METHODS
    )
    figures = _ripley_figures(results, found, folder)
    return f"""## Ripley's synthetic data

The set has 250 rows for training and 1,000 for testing, so one standard error of a printed accuracy is
about 0.9 points. The table has three accuracies for each kernel:

- "printed": the paper's number;
- "tuned": the parameters come from {results.plan.paper_folds}-fold cross-validation on the 250
  training rows;
- "best": the highest *test* accuracy of any candidate. A fair procedure can reach it only by
  chance; it shows how much of a printed accuracy may be due to the choice of parameters.

The candidates are {grid_text(results.plan.paper_grid)}.

{table(["", *_TITLES], rows)}

{results.made_by("ripley")}

Chosen parameters:

{parameters}
{figures}"""


def _ripley_figures(
    results: Results, found: dict[str, dict[str, dict[str, float]]], folder: Path
) -> str:
    def memberships(path: Path) -> None:
        draw_memberships(artificial.ripley()[0], path)

    def boundaries(path: Path) -> None:
        rows = artificial.ripley()
        lines: list[Line] = [
            ("", kernel, *rows, {method: one["params"] for method, one in by_method.items()})  # type: ignore[misc]
            for kernel, by_method in found.items()
        ]
        draw_boundaries(lines, path, (-1.35, 1.0, -0.3, 1.2))

    parts = [
        figure(
            folder / "ripley_memberships.png",
            memberships,
            "Memberships of the training rows",
            "Memberships of the training rows (γ = 1 for the Gaussian kernel) and their histograms. "
            "Circles mark suspected noise: rows that are at least as close to the center of the other "
            f"class as to their own. {results.made_by()}",
        ),
        figure(
            folder / "ripley_boundaries.png",
            boundaries,
            "Decision boundaries",
            "Decision boundary (black) and planes (dashed) of each method, with the parameters listed "
            f"above. The titles show the test accuracy. {results.made_by('ripley')}",
        ),
        _sensitivity(results, folder),
    ]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _sensitivity(results: Results, folder: Path) -> str:
    accuracies = {
        cell.panel: result["accuracy"]
        for cell, result in results.of("sensitivity", SensitivityCell)
    }
    if not 0 < len(accuracies) == len(results.experiments["sensitivity"]):
        return ""
    every = results.plan.sensitivity_every
    spans = {panel: (np.min(values), np.max(values)) for panel, values in accuracies.items()}
    phrases = ", ".join(f"({panel}) {low:.1f}–{high:.1f} %" for panel, (low, high) in spans.items())
    drawn = figure(
        folder / "ripley_sensitivity.png",
        lambda path: draw_sensitivity(accuracies, every, path),
        "Test accuracy over the parameters",
        "Test accuracy of the Gaussian FR-TSVM over two parameters. The others have the values in "
        "the titles of the panels, which are those of the paper's figure. Range of each panel: "
        f"{phrases}. The darkest color is 80 % or less. "
        f"{results.made_by('sensitivity')}",
    )
    return f"### Accuracy over the parameters\n\n{drawn}"


def _parameters(result: dict[str, float]) -> str:
    params: dict[str, float] = result["params"]  # type: ignore[assignment]
    parts = []
    for name, value in params.items():
        if name == "gamma":
            parts.append(f"g = 2^{-np.log2(value) / 2:.0f}")
        else:
            parts.append(f"{name} = 2^{np.log2(value):.0f}")
    return ", ".join(parts)
