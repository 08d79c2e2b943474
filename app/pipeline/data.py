"""Training data: what is spooled with a job, and what is wrong with it before it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import Flaw, OneClassOnly, TooFewRows
from app.schemas.cells import MAX_FLAWS
from app.schemas.table import MISSING, Table, TextColumn
from app.schemas.training import TrainingOptions
from app.schemas.validation import invalid

Labels = list[str] | list[int] | list[bool]


@dataclass(frozen=True)
class TrainingData:
    """Rows, the class of each as an index into `classes`, and weights."""

    table: Table
    codes: NDArray[np.int64]
    classes: Labels
    weights: NDArray[np.float64] | None = None

    @classmethod
    def build(
        cls, table: Table, labels: Labels, weights: NDArray[np.float64] | None
    ) -> TrainingData:
        """Number the classes in their natural order."""
        classes: Any = sorted(set(labels))
        index = {label: code for code, label in enumerate(classes)}
        codes = np.fromiter((index[label] for label in labels), np.int64, len(labels))
        return cls(table, codes, classes, weights)

    def class_counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def subset(self, rows: NDArray[np.integer[Any]]) -> TrainingData:
        """Some rows. The classes stay, so that the codes mean the same."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingData(self.table.subset(rows), self.codes[rows], self.classes, weights)

    def to_state(self) -> dict[str, Any]:
        """Plain data for the spool."""
        texts = [
            {"column": column, "codes": text.codes, "vocabulary": list(text.vocabulary)}
            for column, text in self.table.texts.items()
        ]
        return {
            "numbers": self.table.numbers,
            "names": None if self.table.names is None else list(self.table.names),
            "texts": texts,
            "codes": self.codes,
            "classes": list(self.classes),
            "weights": self.weights,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TrainingData:
        """What `to_state` was given."""
        texts = {
            text["column"]: TextColumn(text["codes"], tuple(text["vocabulary"]))
            for text in state["texts"]
        }
        names = None if state["names"] is None else tuple(state["names"])
        table = Table(state["numbers"], names, texts)
        return cls(table, state["codes"], state["classes"], state["weights"])


def require_trainable(data: TrainingData, options: TrainingOptions) -> None:
    """Refuse, before anything is queued, what cannot give a model."""
    counts = data.class_counts()
    if data.table.n_rows < 2:
        raise TooFewRows("a training needs at least two rows", flaws=[Flaw("too few rows", "X")])
    if len(data.classes) < 2:
        raise OneClassOnly(
            f"all rows have the label {data.classes[0]!r}; a classifier needs two classes",
            flaws=[Flaw("one class only", "y")],
        )
    _require_folds(counts, options)
    _require_searchable(counts, options)
    _require_class_weights(data.classes, options)
    _require_weights(data)
    require_cells(data.table, impute=options.impute == "median", one_hot=options.one_hot)
    _require_columns(data.table)


def _require_folds(counts: NDArray[np.int64], options: TrainingOptions) -> None:
    validation = options.validation
    if validation is None:
        return
    smallest, total = int(counts.min()), int(counts.sum())
    if validation.folds is not None and smallest < validation.folds:
        detail = f"{validation.folds} folds, but the smallest class has {smallest} rows"
        raise TooFewRows(detail, flaws=[Flaw(detail, "validation.folds")])
    if validation.holdout is not None:
        n_test = int(np.ceil(validation.holdout * total))
        if smallest < 2 or min(n_test, total - n_test) < len(counts):
            detail = "each class needs a row on both sides of the holdout"
            raise TooFewRows(detail, flaws=[Flaw(detail, "validation.holdout")])


def _require_searchable(counts: NDArray[np.int64], options: TrainingOptions) -> None:
    search, smallest = options.search, int(counts.min())
    if search is None:
        return
    if search.folds is not None and smallest < search.folds:
        detail = f"{search.folds} folds, but the smallest class has {smallest} rows"
        raise TooFewRows(detail, flaws=[Flaw(detail, "search.folds")])
    left = smallest
    if options.validation is not None and options.validation.folds is not None:
        left -= -(-smallest // options.validation.folds)  # the search is repeated inside the folds
    if left < 2:
        detail = "a search needs two rows of every class to train on and to test on"
        raise TooFewRows(detail, flaws=[Flaw(detail, "search")])
    if search.scoring == "roc_auc" and len(counts) > 2:
        detail = f"roc_auc is for two classes, there are {len(counts)}"
        raise invalid([Flaw(detail, "search.scoring")])


def label_text(label: str | int | bool) -> str:
    """A label as JSON writes it, without quotes: the key of a class weight."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _require_class_weights(classes: Sequence[Any], options: TrainingOptions) -> None:
    weights = options.params.class_weight
    if isinstance(weights, dict):
        known = {label_text(label) for label in classes}
        unknown = sorted(weights.keys() - known)
        if unknown:
            detail = f"no row has the label {unknown[0][:64]!r}"
            raise invalid([Flaw(detail, "params.class_weight")])


def _require_weights(data: TrainingData) -> None:
    if data.weights is None:
        return
    totals = np.bincount(data.codes, weights=data.weights, minlength=len(data.classes))
    if (totals <= 0).any():
        label = data.classes[int(np.argmin(totals))]
        raise invalid([Flaw(f"all rows of class {label!r} have weight 0", "sample_weight")])


def require_cells(table: Table, *, impute: bool, one_hot: bool) -> None:
    """Refuse text and missing cells where the options do not allow them."""
    flaws: list[Flaw] = []
    if table.texts and not one_hot:
        column = min(table.texts)
        row = int(np.argmax(table.texts[column].codes != MISSING))
        detail = "text is not a number; `one_hot` encodes text columns"
        flaws.append(Flaw(detail, "X", row, table.column_name(column)))
    if not impute:
        detail = "the cell is missing; `impute` fills missing cells"
        for row, column in missing_cells(table):
            flaws.append(Flaw(detail, "X", row, table.column_name(column)))
    if flaws:
        raise invalid(flaws)


def missing_cells(table: Table) -> list[tuple[int, int]]:
    """The first few (row, column) without a value."""
    missing: NDArray[np.bool_] = np.isnan(table.numbers)
    for column, text in table.texts.items():
        missing[:, column] = text.codes == MISSING
    if not missing.any():
        return []
    return [(int(row), int(column)) for row, column in np.argwhere(missing)[:MAX_FLAWS]]


def _require_columns(table: Table) -> None:
    empty: NDArray[np.bool_] = np.all(np.isnan(table.numbers), axis=0)
    for column, text in table.texts.items():
        empty[column] = not text.vocabulary
    if empty.any():
        column = int(np.argmax(empty))
        detail = "the column has no values at all"
        raise invalid([Flaw(detail, "X", column=table.column_name(column))])
