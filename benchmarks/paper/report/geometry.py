"""Section of the report: the paper's first two figures, and the distance to the best decision."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import artificial
from benchmarks.paper.experiments.geometry import RIPLEY_ROWS, TWINS, ExactnessCell, ToyCell
from benchmarks.paper.figures.toy import SEED, draw_toy_memberships, draw_toy_planes
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS, METHODS
from benchmarks.paper.report.grids import grid_text
from benchmarks.paper.report.markdown import bold_best, figure, table
from benchmarks.paper.results import Results


def toy_results(results: Results) -> dict[int, dict[str, Any]]:
    return {cell.seed: result for cell, result in results.of("geometry", ToyCell)}


def exactness(results: Results, kernel: str) -> list[dict[str, Any]]:
    return [r for cell, r in results.of("geometry", ExactnessCell) if cell.kernel == kernel]


def geometry_section(results: Results, folder: Path) -> str:
    found = toy_results(results)
    if SEED not in found:
        return "## The paper's Fig. 1 and 2: planes among noisy rows\n\nNot run.\n"
    params = {method: found[SEED][method]["params"] for method in TWINS}
    first = figure(
        folder / "toy_planes.png",
        lambda path: draw_toy_planes(params, path),
        "Planes of TSVM and FR-TSVM",
        "The paper's Fig. 1: planes (dashed) and decision boundary (black) of linear TSVM and "
        f"FR-TSVM. {results.made_by('geometry')}",
    )
    second = figure(
        folder / "toy_memberships.png",
        draw_toy_memberships,
        "Membership of each row",
        "The paper's Fig. 2: the memberships of the same rows, with the linear kernel. Stars are "
        f"the class centers. {results.made_by()}",
    )
    return f"""## The paper's Fig. 1 and 2: planes among noisy rows

The paper does not give the rows of its first two figures. The figures here show
{artificial.TOY_ROWS} rows of each class along two lines; {artificial.TOY_NOISE} of the
{artificial.TOY_ROWS} lie among the other class (circles). In this section, TSVM and FR-TSVM are
tuned by {results.plan.inner_folds}-fold cross-validation over
{grid_text(results.plan.repeated_grid)}.

{first}

{second}

{_apart(results)}
"""


def _apart(results: Results) -> str:
    rows = []
    for kernel in KERNELS:
        draws = exactness(results, kernel)
        if draws:
            for title, value in (
                ("accuracy, %", lambda one: one["accuracy"]),
                ("decision differs from the Bayes classifier, % of rows", lambda one: one["apart"]),
                ("bias, points", lambda one: abs(one["bias"])),
            ):
                means = [float(np.mean([value(draw[m]) for draw in draws])) for m in TWINS]
                texts = [f"{mean:.2f}" for mean in means]
                best = bold_best(means, texts, lowest=not title.startswith("accuracy"))
                rows.append([f"{KERNEL_TITLES[kernel]}, {title}", *best])
    if not rows:
        return ""
    best = float(np.mean([draw["best"] for draw in exactness(results, KERNELS[0])]))
    return f"""### How exact is the decision?

The distribution of Ripley's data is known, and so is the Bayes classifier, the best one possible. It
is right for {best:.1f} % of the rows. The table compares TSVM and FR-TSVM with it, mean over
{len(exactness(results, KERNELS[0]))} draws of {RIPLEY_ROWS} training rows. Bias is the difference
between the shares of rows that the method and the Bayes classifier assign to class +1, without its
sign. Lower is better in the last two rows of each kernel.

{table(["", *(METHODS[method].title for method in TWINS)], rows)}

{results.made_by("geometry")}"""
