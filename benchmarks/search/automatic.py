"""search="auto" against a full grid, by nested cross-validation on the sets of FRTSVM_DATA_DIR."""

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

from benchmarks.search.datasets import SMALL_SETS, read_set, splits
from benchmarks.search.kept import Measured, kept
from frtsvm_core.model_selection import FRTSVMSearchCV

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


@dataclass(frozen=True)
class Nested:
    right: list[float]  # share per split
    seconds: float  # of the processor, per split


def nested(search: Any, name: str) -> Nested:
    """Accuracy on the rows that a search has not seen."""
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


def compared(name: str) -> Measured:
    """Both searches on the same splits."""
    # A budget that a busy machine does not use up: the plan is compared, not the hurry.
    automatic = nested(FRTSVMSearchCV(random_state=0, time_budget=6000.0), name)
    inner = StratifiedKFold(5, shuffle=True, random_state=0)
    full = nested(FRTSVMSearchCV(None, FULL_GRID, cv=inner, random_state=0), name)
    return {"automatic": asdict(automatic), "full": asdict(full)}


def row(name: str) -> tuple[str, float, float]:
    """A line of the table, the difference in points and the share of the time."""
    measured = kept("auto", name, None, lambda: compared(name))
    automatic, full = Nested(**measured["automatic"]), Nested(**measured["full"])
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


def rows(names: Sequence[str] = SMALL_SETS) -> list[str]:
    lines, differences, shares = [], [], []
    for name in names:
        line, difference, share = row(name)
        lines.append(line)
        differences.append(difference)
        shares.append(share)
        print(line, flush=True)
    lines.append(
        f"| **mean** | | | | **{np.mean(differences):+.2f}** | | | **{100 * np.mean(shares):.0f} %** |"
    )
    print(lines[-1], flush=True)
    return lines


HEADER = [
    "| set | splits | auto, % | full grid, % | difference | auto, CPU s | full grid, CPU s | share |",
    "|---|---|---|---|---|---|---|---|",
]
