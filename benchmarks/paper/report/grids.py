"""Descriptions of the search grids."""

from collections.abc import Iterable, Iterator

import numpy as np

from benchmarks.paper.cells import Result
from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.registry import METHODS, PAPER_METHODS

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def grid_text(grid: Grid) -> str:
    """Describe the costs and widths of a grid."""
    return f"{_powers(grid.costs)} for each of C, c₁ = c₂, c₃ = c₄, and g = {_powers(grid.widths)}"


def edge_text(results: Iterable[Result], grid: Grid) -> str:
    """Tell how often each method chooses the smallest or largest width of the grid.

    If that is often, a wider range of widths might have helped.
    """
    found = list(results)
    if not found or len(grid.widths) < 3:
        return ""
    listed = ", ".join(
        f"{METHODS[method].title} {100.0 * float(np.mean(list(_edges(found, method, grid)))):.0f} %"
        for method in PAPER_METHODS
    )
    return (
        "Share of the searches that chose the smallest or largest g of the grid, where a wider "
        f"range of g might be better: {listed}."
    )


def _edges(found: Iterable[Result], method: str, grid: Grid) -> Iterator[bool]:
    ends = (grid.gammas[0], grid.gammas[-1])
    for result in found:
        gamma = result[method]["params"]["gamma"]
        yield any(abs(gamma - end) <= 1e-6 * end for end in ends)


def _powers(values: tuple[float, ...]) -> str:
    exponents = [round(float(np.log2(value))) for value in values]
    texts = [f"2{str(exponent).translate(_RAISED)}" for exponent in exponents]
    return ", ".join(texts) if len(texts) <= 3 else f"{texts[0]}, {texts[1]}, …, {texts[-1]}"
