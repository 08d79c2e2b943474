"""Data sets of FRTSVM_DATA_DIR, and their splits into training and test rows."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedShuffleSplit

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]

SMALL_SETS = (
    "breast", "ionosphere", "iris", "australian", "wdbc", "wine", "hepatitis", "wpbc", "bupa",
    "sonar", "glass_noid", "heart", "pima", "ripley",
)  # fmt: skip
LARGE_SETS = ("digits_odd_even", "spambase", "banana", "magic", "a9a", "skin_nonskin")
# "glass" still has the column `Id`, which determines the class; "glass_noid" is without it.
ALL_SETS = (*SMALL_SETS[:10], "glass", *SMALL_SETS[10:], *LARGE_SETS)

A9A_FEATURES = 123
N_RIPLEY_TRAIN = 250
OUTER_FOLDS = 3
# A row of the smallest set is almost two percentage points in one split, so a difference of half a
# point needs many splits.
OUTER_REPEATS = 8
# A difference of a tenth of a point on a large set needs several splits too.
LARGE_REPEATS = 4


def data_dir() -> Path:
    return Path(os.environ["FRTSVM_DATA_DIR"])


def files_of(name: str) -> list[Path]:
    """Return the files of a data set, in the order of their rows."""
    folder = data_dir()
    if name == "a9a":
        return [folder / "large" / "a9a.libsvm"]
    if name == "ripley":
        return [folder / f"ripley_{part}.csv" for part in ("train", "test")]
    path = folder / f"{name}.csv"
    return [path if path.exists() else folder / "large" / f"{name}.csv"]


def read_set(name: str) -> tuple[Rows, Labels]:
    """Read rows and labels; missing cells are NaN."""
    files = files_of(name)
    if name == "a9a":
        x, y = load_svmlight_file(str(files[0]), n_features=A9A_FEATURES)
        return x.toarray(), y.astype(np.int64)
    table = np.vstack([_csv(path) for path in files])
    return table[:, :-1], table[:, -1].astype(np.int64)


def splits(name: str, y: Labels) -> list[Split]:
    """Return Ripley's own split, random thirds of a large set, or repeated folds of a small one."""
    if name == "ripley":
        return [(np.arange(N_RIPLEY_TRAIN), np.arange(N_RIPLEY_TRAIN, y.size))]
    no_rows = np.zeros(y.size)
    if name in LARGE_SETS:
        drawn = StratifiedShuffleSplit(LARGE_REPEATS, test_size=1 / OUTER_FOLDS, random_state=0)
        return list(drawn.split(no_rows, y))
    folds = RepeatedStratifiedKFold(n_splits=OUTER_FOLDS, n_repeats=OUTER_REPEATS, random_state=0)
    return list(folds.split(no_rows, y))


def _csv(path: Path) -> Rows:
    return np.genfromtxt(path, delimiter=",", skip_header=1)
