"""The whole road from data to report, on a plan that takes seconds."""

from pathlib import Path

import pytest

from benchmarks.paper.__main__ import reproduce
from benchmarks.paper.cells import Store
from benchmarks.paper.plan import FULL, PLANS, QUICK, TINY

# Documents are read on the web: no figure should weigh more.
MOST_BYTES = 150_000


def figures_and_text(folder: Path) -> tuple[list[Path], str]:
    text = (folder / "reproduction.md").read_text()
    return sorted((folder / "reproduction").glob("*.png")), text


def test_every_section_is_written_and_a_second_run_computes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "cache")
    reproduce(TINY, store, tmp_path / "first", jobs=1)
    figures, text = figures_and_text(tmp_path / "first")
    for title in ("The claims", "second artificial", "UCI sets", "Training time", "Robustness"):
        assert title in text
    assert "not complete" not in text
    assert {figure.name for figure in figures} >= {
        "bands_boundaries.png",
        "robustness.png",
        "uci_times.png",
    }
    assert all(f"reproduction/{figure.name}" in text for figure in figures)
    assert all(figure.stat().st_size < MOST_BYTES for figure in figures)

    for cells in TINY.experiments(["iris", "wine"]).values():
        for kind in {type(cell) for cell in cells}:
            monkeypatch.setattr(kind, "compute", _not_again)
    reproduce(TINY, store, tmp_path / "second", jobs=1)
    assert figures_and_text(tmp_path / "second")[1] == text


def _not_again(cell: object) -> None:
    raise AssertionError(f"{cell} was computed a second time")


def test_a_report_says_what_is_not_there_yet(tmp_path: Path) -> None:
    reproduce(TINY, Store(tmp_path / "cache"), tmp_path, jobs=1, report_only=True)
    text = (tmp_path / "reproduction.md").read_text()
    assert "not complete" in text
    assert "not run" in text


@pytest.mark.slow
def test_the_quick_plan_runs(tmp_path: Path) -> None:
    reproduce(QUICK, Store(tmp_path / "cache"), tmp_path, jobs=1)
    assert "not complete" not in (tmp_path / "reproduction.md").read_text()


def test_sets_that_are_missing_leave_the_others() -> None:
    some = FULL.experiments(["iris", "heart"])
    assert {cell.name for cell in some["nested"]} == {"iris", "heart"}  # type: ignore[attr-defined]
    assert some["ripley"] == some["sensitivity"] == []
    assert some["bands"]


@pytest.mark.parametrize("plan", PLANS.values(), ids=str)
def test_no_cell_comes_twice(plan: object) -> None:
    assert plan in PLANS.values()
    cells = [c for some in plan.experiments(["iris", "wine"]).values() for c in some]  # type: ignore[attr-defined]
    assert len({cell.digest() for cell in cells}) == len(cells)


def test_the_full_plan_is_what_the_documents_promise() -> None:
    assert len(FULL.uci_sets) == 14  # 13, and Glass without its row number
    assert len(FULL.robustness_sets) >= 8
    assert FULL.nested_seeds == FULL.robustness_seeds == 10
    assert FULL.paper_grid.costs == tuple(2.0**k for k in range(-8, 9))
