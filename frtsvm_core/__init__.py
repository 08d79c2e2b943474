"""Fast and Robust Twin Support Vector Machines over NumPy arrays."""

from frtsvm_core.baselines.fsvm import FSVMClassifier
from frtsvm_core.baselines.tsvm import TSVMClassifier
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.state import FittedPredictor, from_arrays, to_arrays
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
