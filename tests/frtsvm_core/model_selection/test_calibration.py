"""Calibrations convert scores to probabilities, and can be stored as plain data."""

import subprocess
import sys

import numpy as np
import pytest

from frtsvm_core.model_selection.calibration import Calibration
from frtsvm_core.model_selection.calibration_fitting import fit_calibration
from frtsvm_core.model_selection.reliability import brier_score
from tests.frtsvm_core.model_selection.test_calibration_fitting import scored


def test_applying_a_calibration_imports_numpy_only() -> None:
    script = (
        "import sys\n"
        "import frtsvm_core.model_selection.calibration, frtsvm_core.model_selection.score_profiles\n"
        "print([m for m in ('sklearn', 'scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_calibration_restored_from_arrays_gives_the_same_probabilities(
    method: str, n_classes: int
) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, 300)
    shape = (300,) if n_classes == 2 else (300, n_classes)
    scores = rng.standard_normal(shape)
    scores += (codes == 1) if n_classes == 2 else np.eye(n_classes)[codes]
    calibration = fit_calibration(scores, codes, np.arange(300) % 5, method=method)
    probabilities = calibration.probabilities(scores)
    assert probabilities.shape == (300, n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities >= 0.0).all()

    state = calibration.to_arrays()
    assert all(isinstance(value, int | str | np.ndarray) for value in state.values())
    assert all(v.dtype != object for v in state.values() if isinstance(v, np.ndarray))
    back = Calibration.from_arrays(state)
    np.testing.assert_array_equal(back.probabilities(scores), probabilities)
    assert calibration.brier is not None
    # Better than a constant prediction of the class frequencies.
    frequencies = np.tile(np.bincount(codes) / codes.size, (300, 1))
    assert calibration.brier < brier_score(frequencies, codes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"calibration_version": 9}, "Unknown calibration version 9"),
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"n_classes": 3}, "the number of curves is 1 for 3 classes"),
    ],
)
def test_invalid_states_are_rejected(change: dict[str, object], message: str) -> None:
    scores, positive, _ = scored(5, 50)
    calibration = fit_calibration(
        scores, positive.astype(np.intp), np.arange(50) % 5, method="sigmoid"
    )
    with pytest.raises(ValueError, match=message):
        Calibration.from_arrays({**calibration.to_arrays(), **change})


def test_inconsistent_knots_are_rejected() -> None:
    scores, positive, _ = scored(5, 50)
    state = fit_calibration(
        scores, positive.astype(np.intp), np.arange(50) % 5, method="isotonic"
    ).to_arrays()
    with pytest.raises(ValueError, match="inconsistent: knots"):
        Calibration.from_arrays({**state, "values": state["values"][:-1]})


def test_if_every_class_has_probability_zero_all_are_equally_likely() -> None:
    flat = {"knots": np.array([0.0, 1.0] * 3), "values": np.zeros(6), "n_knots": np.full(3, 2)}
    state = {"calibration_version": 1, "method": "isotonic", "n_classes": 3, **flat}
    probabilities = Calibration.from_arrays(state).probabilities(np.zeros((2, 3)))
    np.testing.assert_array_equal(probabilities, 1.0 / 3.0)
