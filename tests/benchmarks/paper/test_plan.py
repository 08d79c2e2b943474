"""The cells of the plans."""

import pytest

from benchmarks.paper.plan import FULL, PLANS


def test_missing_sets_are_left_out() -> None:
    some = FULL.experiments(["iris", "heart"])
    assert {cell.name for cell in some["nested"]} == {"iris", "heart"}  # type: ignore[attr-defined]
    assert some["ripley"] == some["sensitivity"] == []
    assert some["bands"]


@pytest.mark.parametrize("plan", PLANS.values(), ids=str)
def test_all_cells_of_a_plan_are_different(plan: object) -> None:
    assert plan in PLANS.values()
    cells = [c for some in plan.experiments(["iris", "wine"]).values() for c in some]  # type: ignore[attr-defined]
    assert len({cell.digest() for cell in cells}) == len(cells)


def test_the_full_plan_has_the_size_stated_in_the_documentation() -> None:
    assert len(FULL.uci_sets) == 14  # 13, and Glass without its row number
    assert len(FULL.robustness_sets) >= 8
    assert FULL.nested_seeds == FULL.robustness_seeds == 10
    assert FULL.paper_grid.costs == tuple(2.0**k for k in range(-8, 9))
