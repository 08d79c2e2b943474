"""The digest of a cell: everything that its result depends on."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.paper import cells
from benchmarks.paper.corruption import CORRUPTIONS, Corruption
from benchmarks.paper.experiments import robustness
from benchmarks.paper.experiments.robustness import RobustnessCell
from benchmarks.paper.methods.grids import SMALL_GRID
from benchmarks.paper.methods.rows import Rows

CELL = RobustnessCell("wine", "flip20", "rbf", 0, SMALL_GRID, 3)


@pytest.mark.parametrize(
    "change",
    [{"kernel": "linear"}, {"seed": 1}, {"n_folds": 4}, {"corruption": "clean"}, {"name": "iris"}],
)
def test_every_field_changes_digest_and_key(change: dict[str, Any]) -> None:
    other = replace(CELL, **change)
    assert other.digest() != CELL.digest()
    assert other.key() != CELL.key()


def test_constants_change_the_digest_but_not_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before, key = CELL.digest(), CELL.key()
    monkeypatch.setattr(robustness, "MOST_TRAINING_ROWS", 17)
    changed = CELL.digest()
    assert changed != before
    monkeypatch.setitem(CORRUPTIONS, "flip20", Corruption("flip20", "", flipped=0.25))
    assert CELL.digest() not in (before, changed)
    assert CELL.key() == key  # the same cell


def test_the_data_change_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CELL.digest()
    cells.data_digest.cache_clear()
    monkeypatch.setattr(cells.datasets, "load", lambda _: Rows(np.zeros((2, 1)), np.array([1, -1])))
    assert CELL.digest() != before
    cells.data_digest.cache_clear()


def test_the_code_and_scikit_learn_change_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CELL.digest()
    monkeypatch.setattr(cells, "code_digest", lambda module: f"other code of {module}")
    changed = CELL.digest()
    assert changed != before
    monkeypatch.setattr(cells.sklearn, "__version__", "0.1")
    assert CELL.digest() not in (before, changed)
