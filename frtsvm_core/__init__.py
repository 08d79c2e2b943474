"""Fast and Robust Twin Support Vector Machines over NumPy arrays."""

from frtsvm_core.estimators.frtsvm import FRTSVMClassifier

__all__ = ["FRTSVMClassifier"]
