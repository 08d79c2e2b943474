"""Which candidates share a group and a block."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from frtsvm_core import FRTSVMClassifier, TSVMClassifier
from frtsvm_core.model_selection.candidates import Group, configure, group_candidates


def groups_of(grid: Any, estimator: Any = None) -> list[Group]:
    return group_candidates(estimator or FRTSVMClassifier(), ParameterGrid(grid), seed=7)


def test_one_group_per_kernel_one_block_per_regularization() -> None:
    grid = {
        "gamma": [0.1, 1.0], "c1": [1.0, 2.0, 4.0], "c3": [1.0, 2.0],
        "membership": ["none", "center"], "mu": [0.1, 0.2],
    }  # fmt: skip
    groups = groups_of(grid)
    assert [group.kernel.gamma for group in groups] == [0.1, 1.0]
    assert [[block.size for block in group.blocks] for group in groups] == [[8, 8, 8]] * 2
    numbers = [one.number for group in groups for block in group.blocks for one in block.candidates]
    assert sorted(numbers) == list(range(48))
    assert groups[0].smallest_regularization == 1.0


def test_parameters_without_effect_on_the_linear_kernel_do_not_separate_groups() -> None:
    assert len(groups_of({"kernel": ["linear"], "gamma": [0.1, 1.0], "rank": [5, None]})) == 1
    assert len(groups_of({"kernel": ["rbf"], "gamma": [0.1, 1.0], "rank": [5, None]})) == 4


def test_weights_seeds_and_ridges_separate_groups() -> None:
    weights = [None, "balanced", {0: 1.0, 1: 2.0}, {0: 1.0, 1: 2.0}, {0: 1.0, 1: 3.0}]
    assert len(groups_of({"class_weight": weights})) == 4
    assert len(groups_of({"random_state": [0, 0, 1]})) == 2
    assert len(groups_of({"ridge": [0.1, 0.1, 1.0]}, TSVMClassifier())) == 2


def test_solver_options_separate_blocks() -> None:
    (group,) = groups_of({"tol": [1e-3, 1e-4], "c3": [1.0, 2.0]})
    assert [block.size for block in group.blocks] == [2, 2]


@pytest.mark.parametrize("state", [3, np.int64(3), np.random.RandomState(3)])
def test_the_seed_equals_that_of_fit(state: Any) -> None:
    (group,) = groups_of({}, FRTSVMClassifier(random_state=state))
    assert group.seed == np.random.RandomState(3).randint(2**31 - 1)
    (default,) = groups_of({})
    assert default.seed == 7


def test_the_given_estimator_is_not_modified() -> None:
    estimator = FRTSVMClassifier(c1=3.0)
    groups_of({"c1": [1.0, 2.0]}, estimator)
    assert configure(estimator, {"c3": 5.0}).c1 == 3.0
    assert (estimator.c1, estimator.c3) == (3.0, 1.0)


@pytest.mark.parametrize("grid", [{"c1": [1.0, 0.0]}, {"mu": [0.5, 1.5]}, {"kernel": ["cubic"]}])
def test_every_parameter_value_is_validated(grid: Any) -> None:
    with pytest.raises(ValueError, match="parameter of FRTSVMClassifier must be"):
        groups_of(grid)
