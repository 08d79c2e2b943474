"""Storage of results: each cell is computed once, and the result file stays readable for new code."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.paper import cells
from benchmarks.paper.cells import Cell
from benchmarks.paper.datasets import MissingDataset
from benchmarks.paper.estimate import estimate
from benchmarks.paper.result_file import ResultFile
from benchmarks.paper.running import run
from benchmarks.paper.store import Store, rounded

computed: list[int] = []


@dataclass(frozen=True)
class Square(Cell):
    number: int

    def compute(self) -> dict[str, Any]:
        if self.number == 3:
            raise KeyboardInterrupt
        computed.append(self.number)
        return {"square": self.number**2, "of": {"number": float(self.number), "parts": [0.5, 1.0]}}


SQUARES = [Square(1), Square(2), Square(4)]


@pytest.fixture(autouse=True)
def _nothing_computed() -> None:
    computed.clear()


@pytest.fixture
def result_file(tmp_path: Path) -> ResultFile:
    """The result file of a run on another machine."""
    store = Store(tmp_path / "there", ResultFile(tmp_path / "results.json"))
    run(SQUARES, store, jobs=1, title="squares")
    store.result_file.runs["full"] = {"wall": {"squares": 2.5}}
    store.keep(SQUARES, SQUARES)
    computed.clear()
    return ResultFile(tmp_path / "results.json")


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run([Square(1), Square(2), Square(3)], store, jobs=1, title="squares")
    assert computed == [1, 2]
    run(SQUARES, store, jobs=1, title="squares")
    assert computed == [1, 2, 4]
    found = store.get(Square(4))
    assert found is not None
    assert found.result["square"] == 16


def test_stored_results_are_not_computed_again(tmp_path: Path, result_file: ResultFile) -> None:
    store = Store(tmp_path / "here", result_file)
    assert run(SQUARES, store, jobs=1, title="squares") == 0
    found = store.get(Square(2))
    assert found is not None
    assert found.current
    assert found.result == {"square": 4, "of": {"number": 2, "parts": [0.5, 1]}}
    assert result_file.runs == {"full": {"wall": {"squares": 2.5}}}


def test_results_of_other_code_are_used_only_in_the_report(
    tmp_path: Path, result_file: ResultFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "code_digest", lambda _: "changed")
    store = Store(tmp_path / "here", result_file)
    assert store.get(Square(2)) is None
    found = store.latest(Square(2))
    assert found is not None
    assert not found.current
    assert found.result["square"] == 4
    assert "3 of 3 cells" in estimate(SQUARES, store, jobs=2)
    assert run(SQUARES, store, jobs=1, title="squares") == 3


def test_results_are_used_in_the_report_if_the_data_are_missing(
    tmp_path: Path, result_file: ResultFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: Cell) -> str:
        raise MissingDataset("nowhere")

    monkeypatch.setattr(Square, "digest", missing)
    store = Store(tmp_path / "here", result_file)
    assert store.get(Square(1)) is None
    found = store.latest(Square(1))
    assert found is not None
    assert found.current  # without the data, the digests cannot be compared


def test_results_of_no_plan_are_dropped_from_the_file(
    tmp_path: Path, result_file: ResultFile
) -> None:
    Store(tmp_path / "here", result_file).keep([], SQUARES[:1])
    again = ResultFile(result_file.path)
    assert again.get(Square(1)) is not None
    assert again.get(Square(2)) is None


def test_numbers_are_rounded_to_six_decimals_or_digits() -> None:
    long = {"accuracy": 92.5925925925, "seconds": 0.00123456789, "list": [1.0, 2], "name": "x"}
    short = {"accuracy": 92.592593, "seconds": 0.00123457, "list": [1.0, 2], "name": "x"}
    assert rounded(long) == short
