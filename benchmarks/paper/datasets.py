"""The data sets of the paper: from FRTSVM_DATA_DIR, from scikit-learn, or by name from UCI.

FRTSVM_DATA_DIR holds one CSV file per set: a header, numbers, the last column `label` in {1, -1}, an
empty cell where a value is missing. A set that is in none of the three places is left out.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from benchmarks.paper.methods.rows import IntArray, Rows

FloatArray = NDArray[np.float64]


class MissingDataset(Exception):
    """The set is not in the data folder, not in scikit-learn, and could not be downloaded."""


@dataclass(frozen=True)
class UCISet:
    """Where a set comes from and what the paper says of its size."""

    key: str
    title: str
    printed_size: tuple[int, int, int, int]  # rows, positive, negative, features
    bundled: Callable[[], Any] | None = None  # scikit-learn's copy
    negative: frozenset[Any] = frozenset()  # raw labels of class -1 in that copy, or at UCI
    positive: frozenset[Any] = frozenset()  # raw labels of class +1; empty: all others
    repository_name: str | None = None  # at UCI
    dropped: tuple[str, ...] = ()  # columns of the repository that are not features here


# The paper takes the majority class of a multi-class set as one class; the rest is the other.
UCI_SETS = {
    one.key: one
    for one in (
        UCISet("breast", "Breast", (106, 22, 84, 9), repository_name="Breast Tissue",
               positive=frozenset({"adi"})),
        UCISet("ionosphere", "Ionosphere", (351, 126, 225, 34), repository_name="Ionosphere",
               positive=frozenset({"b"})),
        UCISet("iris", "Iris", (150, 100, 50, 4), load_iris, frozenset({0})),
        UCISet("australian", "Australian", (690, 307, 383, 14),
               repository_name="Statlog (Australian Credit Approval)", positive=frozenset({1})),
        UCISet("wdbc", "WDBC", (569, 357, 212, 30), load_breast_cancer, frozenset({0})),
        UCISet("wine", "Wine", (178, 119, 59, 13), load_wine, frozenset({0})),
        UCISet("hepatitis", "Hepatitis", (155, 123, 32, 19), repository_name="Hepatitis",
               positive=frozenset({2})),
        UCISet("wpbc", "WPBC", (198, 46, 148, 33),
               repository_name="Breast Cancer Wisconsin (Prognostic)", positive=frozenset({"R"})),
        UCISet("bupa", "Bupa", (345, 200, 145, 6), repository_name="Liver Disorders",
               positive=frozenset({2})),
        UCISet("sonar", "Sonar", (208, 111, 97, 60),
               repository_name="Connectionist Bench (Sonar, Mines vs. Rocks)",
               positive=frozenset({"M"})),
        UCISet("glass", "Glass", (214, 138, 76, 10), repository_name="Glass Identification",
               negative=frozenset({2})),
        UCISet("glass_noid", "Glass without Id", (214, 138, 76, 9),
               repository_name="Glass Identification", negative=frozenset({2}), dropped=("Id",
               "Id_number")),
        UCISet("heart", "Heart", (270, 120, 150, 13), repository_name="Statlog (Heart)",
               positive=frozenset({2})),
        UCISet("pima", "Pima", (768, 268, 500, 8), repository_name="Pima Indians Diabetes",
               positive=frozenset({1})),
    )
}  # fmt: skip


@cache
def load(key: str) -> Rows:
    """The set with its gaps as NaN."""
    path = data_folder() / f"{key}.csv" if data_folder() else None
    if path is not None and path.is_file():
        return read_csv(path)
    known = UCI_SETS.get(key)
    if known is not None and known.bundled is not None:
        raw = known.bundled()
        return Rows(np.asarray(raw.data, dtype=np.float64), _labels(raw.target, known))
    if known is not None and known.repository_name is not None:
        return _download(known)
    raise MissingDataset(f"{key}: set FRTSVM_DATA_DIR to the folder that has {key}.csv")


def available(keys: list[str]) -> tuple[list[str], list[str]]:
    """Those that can be loaded, and why the others cannot."""
    found, reasons = [], []
    for key in keys:
        try:
            load(key)
        except MissingDataset as reason:
            reasons.append(str(reason))
        else:
            found.append(key)
    return found, reasons


def data_folder() -> Path | None:
    name = os.environ.get("FRTSVM_DATA_DIR", "")
    return Path(name) if name and Path(name).is_dir() else None


def read_csv(path: Path) -> Rows:
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return Rows(table[:, :-1], table[:, -1].astype(np.intp))


def _labels(raw: Any, known: UCISet) -> IntArray:
    values = [value.strip() if isinstance(value, str) else value for value in np.ravel(raw)]
    if known.positive:
        positive = [value in known.positive for value in values]
    else:
        positive = [value not in known.negative for value in values]
    return np.where(positive, 1, -1).astype(np.intp)


def _download(known: UCISet) -> Rows:
    try:
        from ucimlrepo import fetch_ucirepo  # optional: only for sets that are nowhere else
    except ImportError as reason:
        raise MissingDataset(
            f"{known.key}: not in FRTSVM_DATA_DIR, and ucimlrepo is not installed to download it"
        ) from reason
    try:
        fetched = fetch_ucirepo(name=known.repository_name)
        features = fetched.data.features
        table = features.drop(columns=[name for name in known.dropped if name in features])
        x = table.apply(lambda column: column.astype("float64")).to_numpy()
        y = _labels(fetched.data.targets.to_numpy(), known)
    except Exception as reason:  # a library for the network may fail in any way
        raise MissingDataset(f"{known.key}: download by name failed ({reason})") from reason
    _, n_positive, _, n_features = known.printed_size
    if x.shape[1] != n_features or abs(int((y > 0).sum()) - n_positive) > 1:
        raise MissingDataset(
            f"{known.key}: what was downloaded is not the set of the paper: {x.shape[1]} features "
            f"and {int((y > 0).sum())} positive rows for {n_features} and {n_positive}"
        )
    return Rows(x, y)
