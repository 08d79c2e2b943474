"""Prediction with a loaded model version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import ArtifactDamaged, FeatureMismatch, Flaw
from app.pipeline.data import require_cells
from app.pipeline.format import KNOWN_FORMATS
from app.pipeline.preprocess import Preprocessor
from app.schemas.table import Table
from app.schemas.validation import invalid
from frtsvm_core import FittedPredictor, from_arrays
from frtsvm_core.finite import LARGEST_VALUE
from frtsvm_core.model_selection.calibration import Calibration
from frtsvm_core.predictor import Decision, concatenate_decisions

#: If the squares of some numbers sum to less than this, all of them are below 1e60. Comparisons
#: with NaN are always false, so one dot product checks for missing cells too.
_MAX_SQUARES = 1e120
#: With such rows, a model whose parameters are below this cannot overflow.
_MAX_MAGNITUDE = 1e60
#: Numbers to process at a time: few enough to stay in the CPU cache between two steps.
_BLOCK_NUMBERS = 32 * 1024
#: Smallest number of rows per block, so that matrix products stay efficient.
_BLOCK_ROWS = 256


@dataclass(frozen=True)
class Prediction:
    """The prediction of each row."""

    codes: NDArray[np.intp]
    """Indices into `classes`."""
    classes: NDArray[Any]
    scores: NDArray[np.float64]
    distances: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None = None

    @property
    def labels(self) -> list[Any] | NDArray[np.int64]:
        """The predicted labels; integers as an array, which can be serialized without a list."""
        found = self.classes.take(self.codes)
        return found.tolist() if found.dtype == object else found


class Predictor:
    """Predicts with one version. Its arrays may be memory-mapped read-only; none is written."""

    def __init__(self, state: dict[str, Any]) -> None:
        if state.get("format") not in KNOWN_FORMATS:
            raise ArtifactDamaged(
                f"The artifact has the unknown format {state.get('format')!r}. "
                "It was probably written by a newer version of the service; start that version."
            )
        self.classes: list[Any] = state["classes"]
        self._labels = _array_of(self.classes)
        self.names: tuple[str, ...] | None = (
            None if state["names"] is None else tuple(state["names"])
        )
        self.n_columns: int = state["n_columns"]
        self._impute: bool = state["impute"]
        self._preprocess = Preprocessor.from_state(state["preprocess"])
        self._model: FittedPredictor = from_arrays(state["model"])
        self._is_simple = (
            not self._impute
            and not self._preprocess.categories
            and self._preprocess.largest < _MAX_MAGNITUDE
            and self._model.is_bounded(_MAX_MAGNITUDE)
        )
        #: Size in bytes of the arrays prepared for prediction, in addition to the stored ones.
        self.prepared_bytes: int = self._model.prepare()
        #: Number of multiplications per row.
        self.work_per_row: int = self._model.work_per_row
        calibration = state.get("calibration")
        self._calibration = None if calibration is None else Calibration.from_arrays(calibration)

    def predict(self, table: Table) -> Prediction:
        """Return labels, scores, distances and probabilities of the rows."""
        decision = self._decide_simple(table) or self._decide(table)
        probabilities = None
        if self._calibration is not None:
            probabilities = self._calibration.probabilities(decision.scores)
        return Prediction(
            decision.codes, self._labels, decision.scores, decision.distances, probabilities
        )

    def _decide_simple(self, table: Table) -> Decision | None:
        """Predict a table of numbers in training column order; None for any other table."""
        numbers = table.numbers
        if not self._is_simple or table.texts or numbers.shape[1] != self.n_columns:
            return None
        if table.names is not None and table.names != self.names:
            return None
        block = max(_BLOCK_ROWS, _BLOCK_NUMBERS // self.n_columns)
        if len(numbers) <= block:
            return self._decide_block(numbers)
        found: list[Decision] = []
        for start in range(0, len(numbers), block):
            decision = self._decide_block(numbers[start : start + block])
            if decision is None:
                return None
            found.append(decision)
        return concatenate_decisions(found)

    def _decide_block(self, numbers: NDArray[np.float64]) -> Decision | None:
        if not np.vdot(numbers, numbers) < _MAX_SQUARES:
            return None
        return self._model.decide_unchecked(self._preprocess.scale(numbers))

    def _decide(self, table: Table) -> Decision:
        """Predict any table, or raise an error that says what is wrong with it."""
        table = self._aligned(table)
        with np.errstate(over="ignore", invalid="ignore"):
            inputs = self._preprocess.transform(table)
            _require_bounded(inputs, LARGEST_VALUE)
            decision = self._model.decide_unchecked(inputs)
        # The distance to a degenerate plane is about 1e153, which is valid; infinity is not.
        _require_bounded(decision.scores, np.inf)
        return decision

    def _aligned(self, table: Table) -> Table:
        """Return the table with its columns in the order in which the model was trained."""
        if table.names is not None:
            table = self._by_name(table)
        if table.n_columns != self.n_columns:
            raise FeatureMismatch(
                f"The rows have {table.n_columns} features, but the model was trained on "
                f"{self.n_columns}. Send the same features in the same order.",
                flaws=[Flaw(f"The row must have {self.n_columns} features.", "X", 0)],
            )
        require_cells(table, impute=self._impute, one_hot=bool(self._preprocess.categories))
        self._require_kinds(table)
        return table

    def _by_name(self, table: Table) -> Table:
        if self.names is None:
            raise FeatureMismatch(
                "The model was trained without feature names. Send rows as lists, not as objects.",
                flaws=[Flaw("The row must be a list.", "X", 0)],
            )
        given, known = set(table.names or ()), set(self.names)
        flaws = [Flaw("The feature is missing.", "X", 0, name) for name in sorted(known - given)]
        flaws += [Flaw("The feature is unknown.", "X", 0, name) for name in sorted(given - known)]
        if flaws:
            problem = flaws[0].detail.removeprefix("The feature is ")
            raise FeatureMismatch(
                f"The feature {flaws[0].column!r} is {problem} The model was trained on the "
                f"features {', '.join(self.names[:20])} (at most 20 are listed).",
                flaws=flaws[:10],
            )
        return table.reordered(self.names)

    def _require_kinds(self, table: Table) -> None:
        for column in range(self.n_columns):
            wants_text = column in self._preprocess.categories
            if wants_text != (column in table.texts):
                if wants_text and np.isnan(table.numbers[:, column]).all():
                    continue  # all cells are missing
                name = self.names[column] if self.names else column
                detail = (
                    f"The column must contain {'text' if wants_text else 'numbers'}, as in the "
                    "training data."
                )
                raise invalid([Flaw(detail, "X", 0, name)])


def _array_of(classes: list[Any]) -> NDArray[Any]:
    """Return the classes as an array of int64 if they are integers, else of objects."""
    if all(type(label) is int for label in classes):
        numbers = np.array(classes)
        if numbers.dtype == np.int64:
            return numbers
    found = np.empty(len(classes), dtype=object)
    found[:] = classes
    return found


def _require_bounded(values: NDArray[np.float64], limit: float) -> None:
    """Raise `InvalidRequest` for rows on which arithmetic would overflow."""
    bounded = np.abs(values) < limit
    if not bounded.all():
        row = int(np.argwhere(~bounded)[0, 0])
        detail = (
            "The row is too far from the training data: computing its scores would overflow. "
            "Check its values and their units."
        )
        raise invalid([Flaw(detail, "X", row)])
