"""Validation errors name the place in the request and the expected value."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import InvalidRequest
from app.schemas.cells import MAX_FLAWS
from app.schemas.training import TrainingRequest
from app.schemas.validation import validate

CASES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"params": {"gamma": "x"}},
        "params.gamma",
        "Input should be a valid number, or 'scale' or 'auto'.",
    ),
    (
        {"params": {"rank": 0}},
        "params.rank",
        "Input should be greater than or equal to 1, or 'auto'.",
    ),
    (
        {"params": {"class_weight": {"a": -1}}},
        "params.class_weight.a",
        "Input should be greater than or equal to 0.0000000001.",
    ),
    (
        {"params": {"class_weight": 3}},
        "params.class_weight",
        "Input should be 'balanced', or a JSON object.",
    ),
    ({"search": 3}, "search", "Input should be a JSON object."),
    (
        {"validation": {"folds": 1}},
        "validation.folds",
        "Input should be greater than or equal to 2.",
    ),
    ({"validation": {}}, "validation", "Give exactly one of `folds` and `holdout`."),
]


def refused(**fields: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        validate(TrainingRequest, {"X": [[1, 2], [3, 4]], "y": ["a", "b"], **fields})
    return caught.value


@pytest.mark.parametrize(("fields", "place", "detail"), CASES)
def test_the_flaw_names_the_field_and_the_expected_value(
    fields: dict[str, Any], place: str, detail: str
) -> None:
    error = refused(**fields)
    assert [(flaw.field, flaw.detail) for flaw in error.flaws] == [(place, detail)]
    assert error.detail == f"{place}: {detail}"


def test_an_unknown_field_is_named_with_the_object_that_holds_it() -> None:
    assert refused(params={"foo": 1}).detail.startswith("params.foo: Unknown field. ")
    assert refused(foo=1).detail.startswith("foo: Unknown field. ")


def test_items_of_a_list_of_values_are_not_called_rows() -> None:
    error = refused(search={"grid": {"c1": [1, -1]}})
    assert error.flaws[0].row == 1
    assert error.detail.startswith("search.grid.c1: item 1 (counted from 0): Input should be")


def test_all_flaws_are_reported() -> None:
    error = refused(params={"kernel": "q", "c1": -1, "gamma": "x"})
    assert [flaw.field for flaw in error.flaws] == ["params.kernel", "params.c1", "params.gamma"]


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidRequest, match=r"^y: Field required\.$"):
        validate(TrainingRequest, {"X": [[1, 2]]})


def test_flaws_in_unions_are_limited_too() -> None:
    error = refused(search={"grid": {"gamma": ["q"] * 100}})
    assert [flaw.row for flaw in error.flaws] == list(range(MAX_FLAWS))


def test_names_of_the_caller_are_cut() -> None:
    error = refused(params={"x" * 10_000: 1})
    assert error.flaws[0].field == "params." + "x" * 64
