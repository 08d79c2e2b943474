"""The public names."""

import subprocess
import sys

import pytest

import frtsvm_core


@pytest.mark.parametrize("name", frtsvm_core.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(frtsvm_core, name).__name__ == name
    assert name in dir(frtsvm_core)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = frtsvm_core.nothing


def test_prediction_does_not_import_sklearn_scipy_or_numba():
    script = (
        "import sys, frtsvm_core\n"
        "frtsvm_core.from_arrays\n"
        "print([m for m in ('sklearn', 'scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
