"""scikit-learn's own checks, all of them, for every estimator and kernel."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from frtsvm_core import FRTSVMClassifier, FSVMClassifier, TSVMClassifier

ESTIMATORS = [
    FRTSVMClassifier(),
    FRTSVMClassifier(kernel="linear"),
    FRTSVMClassifier(kernel="poly"),
    FRTSVMClassifier(penalty="function"),
    FRTSVMClassifier(membership="neighbors"),
    FRTSVMClassifier(membership="none", multi_class="ovr", shrinking=False),
    FRTSVMClassifier(kernel="linear", multi_class="ovr"),
    TSVMClassifier(),
    TSVMClassifier(kernel="linear"),
    FSVMClassifier(),
    FSVMClassifier(kernel="linear"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_estimator_contract(estimator: Any, check: Any) -> None:
    check(estimator)
