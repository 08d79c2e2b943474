"""Fast and robust twin support vector machines (FR-TSVM) for NumPy arrays.

`FRTSVMClassifier` is the classifier; `TSVMClassifier` and `FSVMClassifier` are baselines.
`to_arrays` exports a fitted classifier as plain data, and `from_arrays` builds a `FittedPredictor`
from it. The subpackage `model_selection` searches parameters and calibrates probabilities, and the
subpackage `distributed` fits on a Dask cluster.

Names are imported on first use, so a process that only predicts does not load the libraries that
training needs (scikit-learn, numba).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frtsvm_core.baselines.fsvm import FSVMClassifier
    from frtsvm_core.baselines.tsvm import TSVMClassifier
    from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
    from frtsvm_core.predictor import FittedPredictor, from_arrays
    from frtsvm_core.state import to_arrays
    from frtsvm_core.twin.certificate import Certificate
    from frtsvm_core.twin.problem import Progress

__all__ = [
    "Certificate",
    "FRTSVMClassifier",
    "FSVMClassifier",
    "FittedPredictor",
    "Progress",
    "TSVMClassifier",
    "from_arrays",
    "to_arrays",
]

_MODULES = {
    "Certificate": "frtsvm_core.twin.certificate",
    "FRTSVMClassifier": "frtsvm_core.estimators.frtsvm",
    "FSVMClassifier": "frtsvm_core.baselines.fsvm",
    "FittedPredictor": "frtsvm_core.predictor",
    "Progress": "frtsvm_core.twin.problem",
    "TSVMClassifier": "frtsvm_core.baselines.tsvm",
    "from_arrays": "frtsvm_core.predictor",
    "to_arrays": "frtsvm_core.state",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
