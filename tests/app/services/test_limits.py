"""Limits of searches."""

from __future__ import annotations

import pytest

from app.errors import InvalidRequest
from app.schemas.search import Search
from app.services.limits import SearchLimits


def limits(timeout: float) -> SearchLimits:
    return SearchLimits.within(timeout, default_seconds=30, seconds=1800, configurations=10)


def test_a_search_may_take_80_percent_of_the_time_limit_of_its_job() -> None:
    short = limits(timeout=20.0)
    assert short.applied(Search.model_validate({})).time_budget == 16.0
    with pytest.raises(InvalidRequest, match="At most 16 seconds are allowed; got 17"):
        short.applied(Search.model_validate({"time_budget": 17.0}))


def test_the_time_budget_is_limited_by_the_setting() -> None:
    long = limits(timeout=3600.0)
    assert long.applied(Search.model_validate({})).time_budget == 30.0
    assert long.applied(Search.model_validate({"time_budget": 1800.0})).time_budget == 1800.0
    with pytest.raises(InvalidRequest, match="At most 1800 seconds"):
        long.applied(Search.model_validate({"time_budget": 1801.0}))


def test_grids_with_too_many_configurations_are_refused() -> None:
    grid = {"c1": [1.0, 2.0, 3.0], "c3": [1.0, 2.0, 3.0, 4.0]}
    with pytest.raises(InvalidRequest, match="12 configurations; at most 10 are allowed"):
        limits(3600.0).applied(Search.model_validate({"grid": grid}))
