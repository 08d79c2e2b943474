"""Plots of a search: their elements, and searches without a plot."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import product
from typing import Any

import numpy as np
import pytest

from app.errors import SearchNotFound
from app.plots import draw

NAMESPACE = "{http://www.w3.org/2000/svg}"


def table(params: list[dict[str, Any]], **columns: Any) -> dict[str, Any]:
    n = len(params)
    mean = np.array([0.9 - 0.01 * (k % 7) for k in range(n)])
    ranks = np.argsort(np.argsort(-mean, kind="stable")) + 1
    return {
        "params": params,
        "mean": mean,
        "std": np.full(n, 0.02),
        "rank": ranks,
        "scores": np.tile(mean[:, None], (1, 3)),
        "fit_seconds": np.ones(n),
        "stage": np.zeros(n, np.int64),
        "n_rows": np.full(n, 60),
    } | columns


def search_of(found: dict[str, Any]) -> dict[str, Any]:
    best = found["params"][int(np.argmax(found["mean"]))]
    return {"best_params": best, "folds": 3, "scoring": "balanced_accuracy"}


def grid(**values: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(values, one, strict=True)) for one in product(*values.values())]


def drawn(plot: str, found: dict[str, Any]) -> ET.Element:
    svg = draw(plot, "a <b> version 1", search_of(found), found)
    assert svg == draw(plot, "a <b> version 1", search_of(found), found)
    return ET.fromstring(svg.encode())


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def test_a_heat_map_has_a_cell_for_every_pair() -> None:
    root = drawn("c1-c3", table(grid(c1=[0.1, 1.0, 10.0], c3=[0.5, 2.0], gamma=[1.0, 2.0])))
    cells = of_class(root, "cell")
    assert len(cells) == 6
    assert cells[0].findtext(f"{NAMESPACE}title") == "c1 = 0.1, c3 = 0.5: 0.9000"
    assert len(of_class(root, "best")) == 1
    description = root.findtext(f"{NAMESPACE}desc") or ""
    assert "The best is 0.9000 at c1 = 0.1, c3 = 0.5." in description
    words = "".join(root.itertext())
    assert "a <b> version 1" in words
    assert "balanced accuracy" in words


def test_later_stages_are_drawn_over_earlier_ones() -> None:
    params = grid(c1=[0.01, 1.0, 100.0], c3=[0.01, 1.0]) + grid(c1=[0.5, 2.0], c3=[0.5, 2.0])
    root = drawn("c1-c3", table(params, stage=np.array([0] * 6 + [1] * 4)))
    cells = of_class(root, "cell")
    assert len(cells) == 10
    widths = [float(cell.get("width", "0")) for cell in cells]
    assert max(widths[6:]) < min(widths[:6])


def test_a_line_chart_has_a_point_and_a_bar_for_every_value() -> None:
    root = drawn("gamma", table(grid(gamma=[0.1, 1.0, 10.0, 100.0], c1=[1.0, 2.0])))
    dots = of_class(root, "dot")
    assert len(dots) == 4
    assert dots[0].findtext(f"{NAMESPACE}title") == "gamma = 0.1: 0.9000 ± 0.0200"
    assert len(of_class(root, "bar")) == 12  # a bar and two caps each


def test_only_comparable_configurations_are_drawn() -> None:
    params = grid(kernel=["linear", "rbf"], c1=[0.1, 1.0], c3=[0.5, 2.0])
    mean = np.array([0.7] * 4 + [0.8, 0.9, 0.8, 0.8])
    assert len(of_class(drawn("c1-c3", table(params, mean=mean)), "cell")) == 4
    sizes = np.array([60] * 6 + [600] * 2)
    assert len(of_class(drawn("c1-c3", table(params, n_rows=sizes)), "cell")) == 4


def test_costs_of_another_penalty_are_not_drawn() -> None:
    params = grid(penalty=["coefficients"], c1=[10.0, 100.0], c3=[0.5, 2.0])
    params += grid(penalty=["function"], c1=[0.1, 1.0], c3=[0.5, 2.0])
    cells = of_class(drawn("c1-c3", table(params)), "cell")
    assert len(cells) == 4
    assert (cells[0].findtext(f"{NAMESPACE}title") or "").startswith("c1 = 10, ")


def test_failed_configurations_leave_a_gap() -> None:
    found = table(grid(c1=[0.1, 1.0], c3=[0.5, 2.0]))
    found["mean"][3] = np.nan
    found["mean"][0] = 0.95
    search = search_of(found) | {"best_params": found["params"][0]}
    root = ET.fromstring(draw("c1-c3", "m", search, found).encode())
    assert len(of_class(root, "cell")) == 3


def test_mu_counts_only_with_memberships() -> None:
    params = grid(mu=[0.1, 0.2, 0.3], membership=["none"]) + grid(
        mu=[0.1, 0.2], membership=["center"]
    )
    assert len(of_class(drawn("mu", table(params)), "dot")) == 2


@pytest.mark.parametrize(
    ("plot", "params", "reason"),
    [
        ("gamma", grid(c1=[1.0, 2.0]), "did not vary gamma"),
        ("gamma", grid(gamma=["scale", "auto"]), "did not vary gamma"),
        ("c1-c3", grid(c1=[1.0, 2.0], c3=[1.0]), "did not vary c3"),
        ("mu", grid(mu=[0.1, 0.2], membership=["none"]), "did not vary mu"),
    ],
)
def test_a_parameter_that_was_not_varied_is_named(plot: str, params: Any, reason: str) -> None:
    found = table(params)
    with pytest.raises(SearchNotFound, match=reason):
        draw(plot, "m", search_of(found), found)
