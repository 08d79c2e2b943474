"""Compiled sweeps, compared with their Python source and with each other."""

import numpy as np
import pytest

from frtsvm_core.solvers import _dual_cd_sweep as sweeps
from tests.frtsvm_core.problems import box_problem

NO_SHRINKING = (np.inf, -np.inf)


def run_rows(sweep, n_sweeps=3, thresholds=NO_SHRINKING):
    rows, bound = box_problem(0, 30, 4)
    alpha, v, active = np.zeros(30), np.zeros(4), np.arange(30)
    curvature = np.einsum("ij,ij->i", rows, rows)
    n_active, results = 30, []
    for _ in range(n_sweeps):
        *extremes, n_active = sweep(rows, curvature, bound, alpha, v, active, n_active, *thresholds)
        results.append(extremes)
    return rows, alpha, v, active, n_active, np.array(results)


def run_gram(sweep, n_sweeps=3):
    rows, bound = box_problem(0, 30, 4)
    gram = rows @ rows.T
    alpha, gradient, active = np.zeros(30), -np.ones(30), np.arange(30)
    results = []
    for _ in range(n_sweeps):
        *extremes, _ = sweep(gram, bound, alpha, gradient, active, 30, *NO_SHRINKING)
        results.append(extremes)
    return rows, alpha, gradient, np.array(results)


def python_source(sweep, monkeypatch):
    """Return the uncompiled function, which calls the uncompiled step."""
    monkeypatch.setattr(sweeps, "_coordinate_step", sweeps._coordinate_step.py_func)
    return sweep.py_func


def test_compiled_rows_sweep_equals_its_python_source(monkeypatch):
    compiled = run_rows(sweeps.sweep_rows)
    plain = run_rows(python_source(sweeps.sweep_rows, monkeypatch))
    np.testing.assert_allclose(compiled[1], plain[1], rtol=1e-12)
    np.testing.assert_allclose(compiled[5], plain[5], rtol=1e-10, atol=1e-12)


def test_compiled_gram_sweep_equals_its_python_source(monkeypatch):
    compiled = run_gram(sweeps.sweep_gram)
    plain = run_gram(python_source(sweeps.sweep_gram, monkeypatch))
    np.testing.assert_allclose(compiled[1], plain[1], rtol=1e-12)


def test_both_sweeps_take_the_same_steps():
    by_rows, by_gram = run_rows(sweeps.sweep_rows), run_gram(sweeps.sweep_gram)
    np.testing.assert_allclose(by_rows[1], by_gram[1], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(by_rows[5], by_gram[3], rtol=1e-8, atol=1e-12)


def test_v_matches_alpha_after_a_sweep():
    rows, alpha, v, *_ = run_rows(sweeps.sweep_rows)
    np.testing.assert_allclose(v, rows.T @ alpha, rtol=1e-12)


def test_gradient_matches_alpha_after_a_sweep():
    rows, alpha, gradient, _ = run_gram(sweeps.sweep_gram)
    np.testing.assert_allclose(gradient, rows @ (rows.T @ alpha) - 1.0, rtol=1e-9, atol=1e-12)


def test_dropped_coordinates_are_moved_behind_the_active_ones():
    *_, active, n_active, _ = run_rows(sweeps.sweep_rows, 4, thresholds=(0.0, -0.0))
    assert n_active < 30
    assert sorted(active) == list(range(30))


@pytest.mark.parametrize(
    ("gradient", "value", "action"),
    [
        (0.5, 0.0, sweeps._DROP),  # at 0, above the threshold
        (0.1, 0.0, sweeps._KEEP),  # at 0, cannot decrease
        (-0.1, 0.0, sweeps._MOVE),
        (-0.5, 1.0, sweeps._DROP),  # at the bound, below the threshold
        (-0.1, 1.0, sweeps._KEEP),
        (0.1, 1.0, sweeps._MOVE),
        (0.5, 0.5, sweeps._MOVE),  # between: never dropped
        (0.0, 0.5, sweeps._KEEP),
    ],
)
def test_step_of_a_coordinate(gradient, value, action):
    """The cases of Algorithm 2, with thresholds Mbar = 0.2 and mbar = -0.2."""
    step = sweeps._coordinate_step.py_func
    assert step(gradient, value, 1.0, 2.0, 0.2, -0.2)[0] == action


def test_step_lands_exactly_on_bounds():
    step = sweeps._coordinate_step.py_func
    assert step(-100.0, 0.3, 0.7, 2.0, np.inf, -np.inf)[2] == 0.7
    assert step(+100.0, 0.3, 0.7, 2.0, np.inf, -np.inf)[2] == 0.0
