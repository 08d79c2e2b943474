"""The methods by name, and their common tuning."""

import warnings
from collections.abc import Sequence

from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

from benchmarks.paper.methods.grids import Grid
from benchmarks.paper.methods.libsvm import (
    MOST_STEPS,
    TOLERANCE,
    LibsvmMethod,
    libsvm_tables,
)
from benchmarks.paper.methods.row_weights import MembershipWeights
from benchmarks.paper.methods.rows import Folds, Rows
from benchmarks.paper.methods.selection import Choice, ScoreTable
from benchmarks.paper.methods.twin import (
    FRTSVMMethod,
    OwnWeightedMethod,
    TSVMMethod,
    TwinMethod,
    frtsvm_tables,
    own_weighted_table,
    tsvm_table,
)

Method = LibsvmMethod | TwinMethod

KERNELS = ("linear", "rbf")
KERNEL_TITLES = {"linear": "linear", "rbf": "Gaussian"}

_ALL: tuple[Method, ...] = (
    LibsvmMethod("svm", "SVM"),
    # mu = 1/2 treats suspected rows like all others, as the membership of Lin & Wang does.
    LibsvmMethod("fsvm", "FSVM", MembershipWeights("center", mu=0.5)),
    TSVMMethod(),
    FRTSVMMethod("frtsvm", "FR-TSVM", "center"),
    FRTSVMMethod("frtsvm-none", "FR-TSVM, none", "none"),
    FRTSVMMethod("frtsvm-neighbors", "FR-TSVM, neighbors", "neighbors"),
    OwnWeightedMethod("own-center", "own-class weights, center", MembershipWeights("center")),
    OwnWeightedMethod(
        "own-neighbors", "own-class weights, neighbors", MembershipWeights("neighbors")
    ),
    LibsvmMethod("fsvm-neighbors", "FSVM, neighbors", MembershipWeights("neighbors")),
)
METHODS = {method.key: method for method in _ALL}
PAPER_METHODS = ("svm", "fsvm", "tsvm", "frtsvm")


def description(keys: Sequence[str]) -> list[str]:
    """Settings of the methods, for the digest of a result; the library itself is not included."""
    return [repr(METHODS[key]) for key in keys] + [f"libsvm {TOLERANCE} {MOST_STEPS}"]


def score_tables(
    keys: Sequence[str], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, ScoreTable]:
    """Validation accuracy over the grid, for each method on the same folds."""
    methods = [METHODS[key] for key in keys]
    tables: dict[str, ScoreTable] = {}
    # The candidates are built here and the rows are finite. Validation in each fit would take longer
    # than many of the fits.
    unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
    with unchecked, warnings.catch_warnings():
        # A fit that reaches its iteration limit is still a candidate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        libsvm = [method for method in methods if isinstance(method, LibsvmMethod)]
        if libsvm:
            tables |= libsvm_tables(libsvm, kernel, rows, folds, grid)
        shared = [method for method in methods if isinstance(method, FRTSVMMethod)]
        if shared:
            tables |= frtsvm_tables(shared, kernel, rows, folds, grid)
        for method in methods:
            if isinstance(method, TSVMMethod):
                tables[method.key] = tsvm_table(method, kernel, rows, folds, grid)
            elif isinstance(method, OwnWeightedMethod):
                tables[method.key] = own_weighted_table(method, kernel, rows, folds, grid)
    return {key: tables[key] for key in keys}


def tune(
    keys: Sequence[str], kernel: str, rows: Rows, folds: Folds, grid: Grid
) -> dict[str, Choice]:
    """Tune each method on the same rows, folds and grid."""
    tables = score_tables(keys, kernel, rows, folds, grid)
    return {key: table.best() for key, table in tables.items()}
