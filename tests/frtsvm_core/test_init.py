"""The public names."""

import subprocess
import sys

import pytest

import frtsvm_core


@pytest.mark.parametrize("name", frtsvm_core.__all__)
def test_every_public_name_is_there(name):
    assert getattr(frtsvm_core, name).__name__ == name
    assert name in dir(frtsvm_core)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = frtsvm_core.nothing


def test_predicting_loads_nothing_but_numpy():
    script = (
        "import sys, frtsvm_core\n"
        "frtsvm_core.from_arrays\n"
        "print([m for m in ('sklearn', 'scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
