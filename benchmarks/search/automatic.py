"""Compare search="auto" with another search, by nested cross-validation.

The data sets are those of FRTSVM_DATA_DIR.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from benchmarks.search.datasets import read_set, splits
from benchmarks.search.measurement_cache import Measured, cached
from frtsvm_core import FRTSVMClassifier
from frtsvm_core.model_selection import FRTSVMSearchCV

# The paper's costs with every second of its widths, both kernels, all memberships: 20,230 cells.
COSTS = [2.0**power for power in range(-8, 9)]
GAMMAS = COSTS[::2]
MEMBERSHIPS = [
    {"membership": ["none"]},
    {"membership": ["center", "neighbors"], "mu": [0.03, 0.1, 0.3]},
]
FULL_GRID = [
    {**kernel, "c1": COSTS, "c3": COSTS, **membership}
    for kernel in ({"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": GAMMAS})
    for membership in MEMBERSHIPS
]
# A budget that is never used up, also on a busy machine: the comparison is about the stages.
AUTO = FRTSVMSearchCV(random_state=0, time_budget=6000.0)


@dataclass(frozen=True)
class Comparison:
    """The search with which "auto" is compared."""

    table: str
    name: str
    search: FRTSVMSearchCV

    @property
    def header(self) -> list[str]:
        return [
            f"| set | splits | auto, % | {self.name}, % | difference "
            f"| auto, CPU s | {self.name}, CPU s | share |",
            "|---|---|---|---|---|---|---|---|",
        ]


FULL = Comparison(
    "auto",
    "full grid",
    FRTSVMSearchCV(
        FRTSVMClassifier(
            penalty="function"
        ),  # the penalty of "auto", so that only the searches differ
        FULL_GRID,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
        random_state=0,
    ),
)
PAPER_PENALTY = Comparison(
    "penalty", "the paper's penalty", clone(AUTO).set_params(fixed=("penalty",))
)


@dataclass(frozen=True)
class Nested:
    """Result of one search on all splits."""

    right: list[float]  # accuracy per split
    seconds: float  # CPU time per split


def nested(search: Any, name: str) -> Nested:
    """Measure the accuracy on held-out rows, and the CPU time."""
    x, y = read_set(name)
    parts = splits(name, y)
    right, seconds = [], 0.0
    for train, test in parts:
        model = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler(), clone(search))
        began = time.process_time()
        model.fit(x[train], y[train])
        seconds += time.process_time() - began
        right.append(float(model.score(x[test], y[test])))
    return Nested(right, seconds / len(parts))


def compared(name: str, other: Comparison) -> Measured:
    """Measure both searches on the same splits."""
    return {
        "automatic": asdict(nested(AUTO, name)),
        "other": asdict(nested(other.search, name)),
    }


def row(name: str, other: Comparison) -> tuple[str, float, float]:
    """Return a line of the table, the difference in percentage points and the share of CPU time."""
    measured = cached(other.table, name, None, lambda: compared(name, other))
    automatic, full = Nested(**measured["automatic"]), Nested(**measured["other"])
    ours, theirs = 100.0 * np.array(automatic.right), 100.0 * np.array(full.right)
    n_splits = ours.size
    noise = "" if n_splits == 1 else f" ± {np.std(ours - theirs, ddof=1) / np.sqrt(n_splits):.2f}"
    share = automatic.seconds / full.seconds
    line = (
        f"| {name} | {n_splits} | {ours.mean():.2f} | {theirs.mean():.2f} "
        f"| {np.mean(ours - theirs):+.2f}{noise} | {automatic.seconds:.2f} | {full.seconds:.2f} "
        f"| {100 * share:.0f} % |"
    )
    return line, float(np.mean(ours - theirs)), share


def rows(names: Sequence[str], other: Comparison) -> list[str]:
    lines, differences, shares = [], [], []
    for name in names:
        line, difference, share = row(name, other)
        lines.append(line)
        differences.append(difference)
        shares.append(share)
        print(line, flush=True)
    lines.append(
        f"| **mean** | | | | **{np.mean(differences):+.2f}** | | | **{100 * np.mean(shares):.0f} %** |"
    )
    print(lines[-1], flush=True)
    return lines
