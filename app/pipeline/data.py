"""Training data of a job, and the checks before the job is queued."""

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
    """Rows, the class of each row as an index into `classes`, and sample weights."""

    table: Table
    codes: NDArray[np.int64]
    classes: Labels
    weights: NDArray[np.float64] | None = None

    @classmethod
    def build(
        cls, table: Table, labels: Labels, weights: NDArray[np.float64] | None
    ) -> TrainingData:
        """Create training data with the classes in ascending order."""
        classes: Any = sorted(set(labels))
        index = {label: code for code, label in enumerate(classes)}
        codes = np.fromiter((index[label] for label in labels), np.int64, len(labels))
        return cls(table, codes, classes, weights)

    def class_counts(self) -> NDArray[np.int64]:
        """Return the number of rows of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def subset(self, rows: NDArray[np.integer[Any]]) -> TrainingData:
        """Return some of the rows. All classes are kept, so the codes keep their meaning."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingData(self.table.subset(rows), self.codes[rows], self.classes, weights)

    def to_state(self) -> dict[str, Any]:
        """Return plain data to store with the job."""
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
        """Create training data from the result of `to_state`."""
        texts = {
            text["column"]: TextColumn(text["codes"], tuple(text["vocabulary"]))
            for text in state["texts"]
        }
        names = None if state["names"] is None else tuple(state["names"])
        table = Table(state["numbers"], names, texts)
        return cls(table, state["codes"], state["classes"], state["weights"])


def require_trainable(data: TrainingData, options: TrainingOptions) -> None:
    """Raise an error if no model can be trained on the data with these options."""
    counts = data.class_counts()
    if data.table.n_rows < 2:
        raise TooFewRows(
            f"A training needs at least 2 rows; got {data.table.n_rows}.",
            flaws=[Flaw("There are too few rows.", "X")],
        )
    if len(data.classes) < 2:
        raise OneClassOnly(
            f"All rows have the label {data.classes[0]!r}. Send rows of at least two classes.",
            flaws=[Flaw("There is only one class.", "y")],
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
        raise _too_few_for(validation.folds, smallest, "validation.folds")
    if validation.holdout is not None:
        n_test = int(np.ceil(validation.holdout * total))
        if smallest < 2 or min(n_test, total - n_test) < len(counts):
            detail = (
                "Each class needs at least one row for training and one for validation. "
                "Send more rows, or change `holdout`."
            )
            raise TooFewRows(detail, flaws=[Flaw(detail, "validation.holdout")])


def _too_few_for(folds: int, smallest: int, field: str) -> TooFewRows:
    """Return the error for a class with fewer rows than folds."""
    detail = (
        f"{folds} folds need at least {folds} rows of each class; the smallest class has "
        f"{smallest}. Lower `folds`, or send more rows of this class."
    )
    return TooFewRows(detail, flaws=[Flaw(detail, field)])


def _require_searchable(counts: NDArray[np.int64], options: TrainingOptions) -> None:
    search, smallest = options.search, int(counts.min())
    if search is None:
        return
    if search.folds is not None and smallest < search.folds:
        raise _too_few_for(search.folds, smallest, "search.folds")
    left = smallest
    if options.validation is not None and options.validation.folds is not None:
        left -= -(-smallest // options.validation.folds)  # the search is repeated in every fold
    if left < 2:
        detail = (
            "A search needs at least two rows of each class, also within the folds of a "
            "validation. Send more rows, or train without a search."
        )
        raise TooFewRows(detail, flaws=[Flaw(detail, "search")])
    if search.scoring == "roc_auc" and len(counts) > 2:
        detail = (
            f"roc_auc requires exactly 2 classes; the data have {len(counts)}. "
            "Choose another scoring."
        )
        raise invalid([Flaw(detail, "search.scoring")])


def label_text(label: str | int | bool) -> str:
    """Return a label as the key of a class weight: as in JSON, without quotes."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _require_class_weights(classes: Sequence[Any], options: TrainingOptions) -> None:
    weights = options.params.class_weight
    if isinstance(weights, dict):
        known = {label_text(label) for label in classes}
        unknown = sorted(weights.keys() - known)
        if unknown:
            detail = f"No row has the label {unknown[0][:64]!r}. Remove or correct its weight."
            raise invalid([Flaw(detail, "params.class_weight")])


def _require_weights(data: TrainingData) -> None:
    if data.weights is None:
        return
    totals = np.bincount(data.codes, weights=data.weights, minlength=len(data.classes))
    if (totals <= 0).any():
        label = data.classes[int(np.argmin(totals))]
        detail = f"All rows of class {label!r} have weight 0. At least one needs a positive weight."
        raise invalid([Flaw(detail, "sample_weight")])


def require_cells(table: Table, *, impute: bool, one_hot: bool) -> None:
    """Raise `InvalidRequest` for text or missing cells that the options do not allow."""
    flaws: list[Flaw] = []
    if table.texts and not one_hot:
        column = min(table.texts)
        row = int(np.argmax(table.texts[column].codes != MISSING))
        detail = (
            "The cell has text instead of a number. Train with `one_hot` to encode text columns."
        )
        flaws.append(Flaw(detail, "X", row, table.column_name(column)))
    if not impute:
        detail = 'The cell is missing. Train with `impute` "median" to fill in missing cells.'
        for row, column in missing_cells(table):
            flaws.append(Flaw(detail, "X", row, table.column_name(column)))
    if flaws:
        raise invalid(flaws)


def missing_cells(table: Table) -> list[tuple[int, int]]:
    """Return the positions (row, column) of the first missing cells, at most `MAX_FLAWS`."""
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
        detail = "All cells of the column are missing. Leave the column out."
        raise invalid([Flaw(detail, "X", column=table.column_name(column))])
