"""The section on the paper's first two figures, and on where the decision lies."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import artificial
from benchmarks.paper.experiments.geometry import RIPLEY_ROWS, TWINS, ExactnessCell, ToyCell
from benchmarks.paper.figures.toy import SEED, draw_toy_memberships, draw_toy_planes
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS, METHODS
from benchmarks.paper.report.markdown import bold_best, figure, table
from benchmarks.paper.results import Results


def toy_results(results: Results) -> dict[int, dict[str, Any]]:
    return {cell.seed: result for cell, result in results.of("geometry", ToyCell)}


def exactness(results: Results, kernel: str) -> list[dict[str, Any]]:
    return [r for cell, r in results.of("geometry", ExactnessCell) if cell.kernel == kernel]


def geometry_section(results: Results, folder: Path) -> str:
    found = toy_results(results)
    if SEED not in found:
        return "## Two planes among noise\n\nNot run.\n"
    params = {method: found[SEED][method]["params"] for method in TWINS}
    first = figure(
        folder / "toy_planes.png",
        lambda path: draw_toy_planes(params, path),
        "Planes of TSVM and FR-TSVM",
        "The paper's Fig. 1: the planes (dashed) and the decision (black) of linear TSVM and "
        f"FR-TSVM, tuned alike. {results.made_by('geometry')}",
    )
    second = figure(
        folder / "toy_memberships.png",
        draw_toy_memberships,
        "Memberships in numbers",
        "The paper's Fig. 2: the linear memberships of the same rows. Stars are the centres of "
        f"the classes. {results.made_by()}",
    )
    return f"""## Two planes among noise

The paper does not give the rows of its first two figures. Here they are {artificial.TOY_ROWS} rows of
each class along two lines, {artificial.TOY_NOISE} of each among the other class (circles).

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
                ("decision differs from the best one, % of rows", lambda one: one["apart"]),
                ("share given to class + off by, points", lambda one: abs(one["bias"])),
            ):
                means = [float(np.mean([value(draw[m]) for draw in draws])) for m in TWINS]
                texts = [f"{mean:.2f}" for mean in means]
                best = bold_best(means, texts, lowest=not title.startswith("accuracy"))
                rows.append([f"{KERNEL_TITLES[kernel]}, {title}", *best])
    if not rows:
        return ""
    best = float(np.mean([draw["best"] for draw in exactness(results, KERNELS[0])]))
    return f"""### How exact is the decision?

The distribution of Ripley's data is known, and so is the best decision there is, which is right for
{best:.1f} % of the rows. {len(exactness(results, KERNELS[0]))} draws of {RIPLEY_ROWS} training
rows, tuned alike:

{table(["", *(METHODS[method].title for method in TWINS)], rows)}

{results.made_by("geometry")}"""
