"""The kernel rank of the refit, chosen by the time that is left."""

import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import refit
from frtsvm_core.model_selection.fold import Rows
from frtsvm_core.model_selection.refit import REFIT_RANKS, affordable_refit_rank

PARAMS: dict[str, Any] = {"kernel": "rbf", "gamma": 50.0, "membership": "none", "rank": 40}


@pytest.fixture(scope="module")
def sample() -> Rows:
    x, y = make_moons(300, noise=0.2, random_state=0)
    return Rows(x, y, None)


@pytest.fixture
def a_second_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every trial fit takes one second, and three seconds with membership="neighbors"."""

    def fitted(_base: Any, params: Any, *_: Any) -> tuple[float, int]:
        return (3.0 if params["membership"] == "neighbors" else 1.0), params["rank"]

    monkeypatch.setattr(refit, "_timed", fitted)


@pytest.mark.usefixtures("a_second_each")
@pytest.mark.parametrize(
    ("params", "n_rows", "seconds", "rank"),
    [
        ({"rank": 400}, 300, 1.0, 400),
        ({"rank": 400}, 300, 6.0, 512),
        ({"rank": 400}, 300, 7.0, 1024),
        ({"rank": 400}, 600, 1.0, 128),
        ({"rank": 400}, 30_000, 1.0, 64),
        # Two of the three seconds are for the neighbors, and grow with rows and reference rows.
        ({"rank": 400, "membership": "neighbors"}, 300, 3.0, 400),
        ({"rank": 400, "membership": "neighbors"}, 600, 10.0, 400),
        ({"rank": 400, "membership": "neighbors"}, 600, 9.0, 128),
    ],
)
def test_the_largest_rank_that_the_time_allows(
    sample: Rows, params: dict[str, Any], n_rows: int, seconds: float, rank: int
) -> None:
    found = affordable_refit_rank(FRTSVMClassifier(), {**PARAMS, **params}, sample, n_rows, seconds)
    assert found == rank


def test_a_kernel_matrix_of_low_rank_keeps_its_rank(sample: Rows) -> None:
    params = {**PARAMS, "gamma": 0.1, "rank": 250}
    found = affordable_refit_rank(FRTSVMClassifier(), params, sample, 100_000, np.inf)
    assert found < 100
    assert found not in REFIT_RANKS


def test_real_fits_are_timed(sample: Rows) -> None:
    began = time.perf_counter()
    found = affordable_refit_rank(FRTSVMClassifier(), PARAMS, sample, 300, np.inf)
    assert found == max(REFIT_RANKS)
    assert time.perf_counter() - began < 100.0  # a very busy machine included
