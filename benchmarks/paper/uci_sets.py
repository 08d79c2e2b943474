"""The 13 UCI sets of the paper: their sources, and the sizes that the paper states."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from benchmarks.paper.methods.rows import IntArray


@dataclass(frozen=True)
class UCISet:
    """Source of a set, and the size that the paper states."""

    key: str
    title: str
    printed_size: tuple[int, int, int, int]  # rows, positive, negative, features
    bundled: Callable[[], Any] | None = None  # loads scikit-learn's copy
    negative: frozenset[Any] = frozenset()  # raw labels of class -1 in that copy, or at UCI
    positive: frozenset[Any] = frozenset()  # raw labels of class +1; empty: all others
    repository_name: str | None = None  # at UCI
    # For sets whose column roles at UCI differ from the paper: the label column and the columns that
    # are not features. All other columns are features.
    label: str | None = None
    dropped: tuple[str, ...] = ()


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
        # UCI now declares the number of drinks to be the target.
        UCISet("bupa", "Bupa", (345, 200, 145, 6), repository_name="Liver Disorders",
               positive=frozenset({2}), label="selector"),
        UCISet("sonar", "Sonar", (208, 111, 97, 60),
               repository_name="Connectionist Bench (Sonar, Mines vs. Rocks)",
               positive=frozenset({"M"})),
        # The paper uses the row number as a feature.
        UCISet("glass", "Glass", (214, 138, 76, 10), repository_name="Glass Identification",
               negative=frozenset({2}), label="Type_of_glass"),
        UCISet("glass_noid", "Glass without Id", (214, 138, 76, 9),
               repository_name="Glass Identification", negative=frozenset({2}),
               label="Type_of_glass", dropped=("Id_number",)),
        UCISet("heart", "Heart", (270, 120, 150, 13), repository_name="Statlog (Heart)",
               positive=frozenset({2})),
        UCISet("pima", "Pima", (768, 268, 500, 8), repository_name="Pima Indians Diabetes",
               positive=frozenset({1})),
    )
}  # fmt: skip


def labels_of(raw: Any, known: UCISet) -> IntArray:
    """Map the raw labels of a copy to +1 and -1."""
    values = [value.strip() if isinstance(value, str) else value for value in np.ravel(raw)]
    if known.positive:
        positive = [value in known.positive for value in values]
    else:
        positive = [value not in known.negative for value in values]
    return np.where(positive, 1, -1).astype(np.intp)
