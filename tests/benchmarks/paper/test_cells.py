"""Cells are computed once, and again when what they depend on has changed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.paper import cells
from benchmarks.paper.cells import Cell, Store, run
from benchmarks.paper.corruption import CORRUPTIONS, Corruption
from benchmarks.paper.experiments import robustness
from benchmarks.paper.experiments.robustness import RobustnessCell
from benchmarks.paper.methods.grids import SMALL_GRID
from benchmarks.paper.methods.rows import Rows

computed: list[int] = []


@dataclass(frozen=True)
class Square(Cell):
    number: int

    def compute(self) -> dict[str, Any]:
        if self.number == 3:
            raise KeyboardInterrupt
        computed.append(self.number)
        return {"square": self.number**2}


@pytest.fixture(autouse=True)
def _nothing_computed() -> None:
    computed.clear()


def test_a_run_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run([Square(1), Square(2), Square(3)], store, jobs=1, title="squares")
    assert computed == [1, 2]
    run([Square(1), Square(2), Square(4)], store, jobs=1, title="squares")
    assert computed == [1, 2, 4]
    assert store.get(Square(4)) == {"square": 16}
    assert not list(tmp_path.rglob("*.tmp"))


def test_results_of_another_version_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    run([Square(1)], store, jobs=1, title="squares")
    monkeypatch.setattr(cells, "RESULTS_VERSION", cells.RESULTS_VERSION + 1)
    assert store.get(Square(1)) is None


CELL = RobustnessCell("wine", "flip20", "rbf", 0, SMALL_GRID, 3)


@pytest.mark.parametrize(
    "change",
    [{"kernel": "linear"}, {"seed": 1}, {"n_folds": 4}, {"corruption": "clean"}, {"name": "iris"}],
)
def test_every_field_is_part_of_the_identity(change: dict[str, Any]) -> None:
    assert replace(CELL, **change).digest() != CELL.digest()


def test_constants_are_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CELL.digest()
    monkeypatch.setattr(robustness, "MOST_TRAINING_ROWS", 17)
    changed = CELL.digest()
    assert changed != before
    monkeypatch.setitem(CORRUPTIONS, "flip20", Corruption("flip20", "", flipped=0.25))
    assert CELL.digest() not in (before, changed)


def test_the_data_are_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CELL.digest()
    cells.data_digest.cache_clear()
    monkeypatch.setattr(cells.datasets, "load", lambda _: Rows(np.zeros((2, 1)), np.array([1, -1])))
    assert CELL.digest() != before
    cells.data_digest.cache_clear()
