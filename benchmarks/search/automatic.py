"""search="auto" against a full grid, by nested cross-validation on the sets of FRTSVM_DATA_DIR."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from frtsvm_core.model_selection import FRTSVMSearchCV

SMALL_SETS = (
    "breast", "ionosphere", "iris", "australian", "wdbc", "wine", "hepatitis", "wpbc", "bupa",
    "sonar", "glass_noid", "heart", "pima", "ripley_train",
)  # fmt: skip
# The paper's costs with every second of its widths, both kernels, all memberships: 20230 cells.
COSTS = [2.0**power for power in range(-8, 9)]
GAMMAS = COSTS[::2]
TRUST = [
    {"membership": ["none"]},
    {"membership": ["center", "neighbors"], "mu": [0.03, 0.1, 0.3]},
]
FULL_GRID = [
    {**kernel, "c1": COSTS, "c3": COSTS, **trust}
    for kernel in ({"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": GAMMAS})
    for trust in TRUST
]
OUTER_FOLDS = 3


def read_set(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return table[:, :-1], table[:, -1].astype(np.int64)


def nested(search: Any, x: NDArray[np.float64], y: NDArray[np.int64]) -> tuple[float, float]:
    """Accuracy on the outer folds, and CPU seconds of a search."""
    correct, seconds = 0, 0.0
    outer = StratifiedKFold(OUTER_FOLDS, shuffle=True, random_state=1)
    for train, test in outer.split(x, y):
        model = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler(), search)
        began = time.process_time()
        model.fit(x[train], y[train])
        seconds += time.process_time() - began
        correct += int((model.predict(x[test]) == y[test]).sum())
    return correct / y.size, seconds / OUTER_FOLDS


def rows(data_dir: Path, names: Sequence[str] = SMALL_SETS) -> list[str]:
    lines, differences, shares = [], [], []
    for name in names:
        x, y = read_set(data_dir / f"{name}.csv")
        automatic, auto_seconds = nested(FRTSVMSearchCV(random_state=0), x, y)
        inner = StratifiedKFold(5, shuffle=True, random_state=0)
        full, full_seconds = nested(FRTSVMSearchCV(None, FULL_GRID, cv=inner, random_state=0), x, y)
        differences.append(100.0 * (automatic - full))
        shares.append(auto_seconds / full_seconds)
        lines.append(
            f"| {name} | {y.size} | {100 * automatic:.2f} | {100 * full:.2f} "
            f"| {differences[-1]:+.2f} | {auto_seconds:.2f} | {full_seconds:.2f} "
            f"| {100 * shares[-1]:.0f} % |"
        )
        print(lines[-1], flush=True)
    lines.append(
        f"| **mean** | | | | **{np.mean(differences):+.2f}** | | | **{100 * np.mean(shares):.0f} %** |"
    )
    print(lines[-1], flush=True)
    return lines


HEADER = [
    "| set | rows | auto, % | full grid, % | difference | auto, CPU s | full grid, CPU s | share |",
    "|---|---|---|---|---|---|---|---|",
]
