"""Planes of several classes, shared work, threads and callbacks."""

import numpy as np
import pytest

from frtsvm_core.kernels.feature_map import kernel_map, linear_map
from frtsvm_core.kernels.functions import RBF
from frtsvm_core.solvers.box_qp import SolverOptions
from frtsvm_core.twin import parallel
from frtsvm_core.twin import problem as module
from frtsvm_core.twin.problem import REST, Costs, TwinProblem, plane_specs

SAME = Costs(1.0, 1.0, 2.0, 2.0)
OPTIONS = SolverOptions(tol=1e-6, max_sweeps=5000, shrinking=True)


def three_classes(n_rows=60):
    rng = np.random.default_rng(0)
    codes = np.arange(n_rows) % 3
    rows = rng.normal(size=(n_rows, 2)) + 2.0 * np.eye(3)[codes][:, :2]
    return TwinProblem(linear_map(rows), codes, np.ones(n_rows), np.ones(n_rows))


def test_two_classes_are_the_papers_two_planes():
    """Plane + belongs to class 1 and takes c1, c3; plane - belongs to class 0 and takes c2, c4."""
    minus, plus = plane_specs(2, "ovo", Costs(1.0, 2.0, 3.0, 4.0))
    assert (plus.own, plus.regularization, plus.slack_cost, plus.sign) == (1, 1.0, 3.0, -1.0)
    assert (minus.own, minus.regularization, minus.slack_cost, minus.sign) == (0, 2.0, 4.0, 1.0)
    assert plane_specs(2, "ovr", SAME) == plane_specs(2, "ovo", SAME)


def test_number_of_planes():
    assert len(plane_specs(5, "ovo", SAME)) == 20
    assert [s.own for s in plane_specs(5, "ovr", SAME)] == [0, 1, 2, 3, 4]
    assert {s.other for s in plane_specs(5, "ovr", SAME)} == {REST}


def test_one_vs_rest_rejects_c2_and_c4():
    with pytest.raises(ValueError, match="c2 and c4"):
        plane_specs(3, "ovr", Costs(1.0, 2.0, 1.0, 1.0))


def test_scatter_of_a_class_is_computed_once_for_all_its_planes(monkeypatch):
    calls = []
    original = module.class_scatter
    monkeypatch.setattr(
        module, "class_scatter", lambda *a, **k: calls.append(1) or original(*a, **k)
    )
    three_classes().solve(plane_specs(3, "ovo", SAME), OPTIONS, np.random.default_rng(0))
    assert len(calls) == 3


def test_rotated_coordinates_give_the_same_planes():
    """With few rows per column the problem is solved in FR, and the result is g = Rt."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 3
    rows = rng.normal(size=(60, 2)) + codes[:, None]
    features = kernel_map(
        RBF(0.5), rows, np.ones(60), rank=None, tol=0.0, rng=np.random.default_rng(0)
    )
    specs = plane_specs(3, "ovo", SAME)
    problem = TwinProblem(features, codes, np.ones(60), np.ones(60))
    assert problem._coordinates(3)[2] is not None
    rotated = problem.solve(specs, OPTIONS, np.random.default_rng(0))
    plain = TwinProblem(features, codes, np.ones(60), np.ones(60))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            TwinProblem, "_coordinates", lambda self, _: (features.rows, features.root, None)
        )
        expected = plain.solve(specs, OPTIONS, np.random.default_rng(0))
    for one, other in zip(rotated, expected, strict=True):
        np.testing.assert_allclose(features.rows @ one.g, features.rows @ other.g, atol=1e-7)


def test_threads_give_the_same_planes(monkeypatch):
    specs = plane_specs(3, "ovo", SAME)
    alone = three_classes().solve(specs, OPTIONS, np.random.default_rng(0))
    monkeypatch.setattr(parallel, "LARGE_CELLS", 0)
    in_threads = three_classes().solve(specs, OPTIONS, np.random.default_rng(0))
    for one, other in zip(alone, in_threads, strict=True):
        np.testing.assert_array_equal(one.g, other.g)


@pytest.mark.parametrize("large_cells", [0, 10**9])
def test_callback_receives_every_plane_and_its_exception_stops_all(monkeypatch, large_cells):
    monkeypatch.setattr(parallel, "LARGE_CELLS", large_cells)
    specs = plane_specs(3, "ovo", SAME)
    seen = []
    three_classes().solve(specs, OPTIONS, np.random.default_rng(0), seen.append)
    assert {p.plane for p in seen} == set(range(6))
    assert all(p.n_planes == 6 and p.phase == "solve" for p in seen)

    class Cancelled(Exception):
        pass

    def cancel(_):
        raise Cancelled

    with pytest.raises(Cancelled):
        three_classes().solve(specs, OPTIONS, np.random.default_rng(0), cancel)
