"""A loaded version: rows in, labels out."""

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

#: Numbers whose squares sum to less are all below 1e60, and none is missing: NaN is less than
#: nothing. One product of a vector with itself checks them all.
_MAX_SQUARES = 1e120
#: With such rows, a model whose own numbers stay below this cannot leave the range of doubles.
_MAX_MAGNITUDE = 1e60
#: Numbers that are worked on at a time: few enough to stay in the cache from one step to the next.
_BLOCK_NUMBERS = 32 * 1024
#: But rows enough for a product of matrices to be worth its name.
_BLOCK_ROWS = 256


@dataclass(frozen=True)
class Prediction:
    """Row by row."""

    codes: NDArray[np.intp]
    """Numbers of the classes."""
    classes: NDArray[Any]
    scores: NDArray[np.float64]
    distances: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None = None

    @property
    def labels(self) -> list[Any] | NDArray[np.int64]:
        """The classes themselves; whole numbers in an array, which is written without a list of them."""
        found = self.classes.take(self.codes)
        return found.tolist() if found.dtype == object else found


class Predictor:
    """What one version answers. Its arrays may be mapped read-only; nothing writes to them."""

    def __init__(self, state: dict[str, Any]) -> None:
        if state.get("format") not in KNOWN_FORMATS:
            raise ArtifactDamaged(f"artifact format {state.get('format')!r} is not known")
        self.classes: list[Any] = state["classes"]
        self._labels = _array_of(self.classes)
        self.names: tuple[str, ...] | None = (
            None if state["names"] is None else tuple(state["names"])
        )
        self.n_columns: int = state["n_columns"]
        self._impute: bool = state["impute"]
        self._preprocess = Preprocessor.from_state(state["preprocess"])
        self._model: FittedPredictor = from_arrays(state["model"])
        self._plain = (
            not self._impute
            and not self._preprocess.categories
            and self._preprocess.largest < _MAX_MAGNITUDE
            and self._model.is_bounded(_MAX_MAGNITUDE)
        )
        #: Bytes made of the model for prediction, beyond what is stored.
        self.prepared_bytes: int = self._model.prepare()
        #: Multiplications for one row.
        self.work_per_row: int = self._model.work_per_row
        calibration = state.get("calibration")
        self._calibration = None if calibration is None else Calibration.from_arrays(calibration)

    def predict(self, table: Table) -> Prediction:
        """Labels, scores, distances and probabilities of the rows."""
        decision = self._decide_plain(table) or self._decide(table)
        probabilities = None
        if self._calibration is not None:
            probabilities = self._calibration.probabilities(decision.scores)
        return Prediction(
            decision.codes, self._labels, decision.scores, decision.distances, probabilities
        )

    def _decide_plain(self, table: Table) -> Decision | None:
        """The usual case, numbers in the order of the training; None if it is any other."""
        numbers = table.numbers
        if not self._plain or table.texts or numbers.shape[1] != self.n_columns:
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
        """Any table, or what is wrong with it."""
        table = self._aligned(table)
        with np.errstate(over="ignore", invalid="ignore"):
            inputs = self._preprocess.transform(table)
            _require_moderate(inputs, LARGEST_VALUE)
            decision = self._model.decide_unchecked(inputs)
        # A plane without direction is 1e153 away from every row, which is an answer; infinity is not.
        _require_moderate(decision.scores, np.inf)
        return decision

    def _aligned(self, table: Table) -> Table:
        """The columns in the order of the training, or what is wrong with them."""
        if table.names is not None:
            table = self._by_name(table)
        if table.n_columns != self.n_columns:
            raise FeatureMismatch(
                f"the rows have {table.n_columns} features, the model has {self.n_columns}",
                flaws=[Flaw(f"expected {self.n_columns} features", "X", 0)],
            )
        require_cells(table, impute=self._impute, one_hot=bool(self._preprocess.categories))
        self._require_kinds(table)
        return table

    def _by_name(self, table: Table) -> Table:
        if self.names is None:
            raise FeatureMismatch(
                "the model was trained without feature names, send rows as lists",
                flaws=[Flaw("rows must be lists", "X", 0)],
            )
        given, known = set(table.names or ()), set(self.names)
        flaws = [Flaw("feature is missing", "X", 0, name) for name in sorted(known - given)]
        flaws += [Flaw("feature is not known", "X", 0, name) for name in sorted(given - known)]
        if flaws:
            raise FeatureMismatch(
                f"feature {flaws[0].column!r} is {flaws[0].detail.removeprefix('feature is ')}",
                flaws=flaws[:10],
            )
        return table.reordered(self.names)

    def _require_kinds(self, table: Table) -> None:
        for column in range(self.n_columns):
            wants_text = column in self._preprocess.categories
            if wants_text != (column in table.texts):
                if wants_text and np.isnan(table.numbers[:, column]).all():
                    continue  # every cell is missing
                name = self.names[column] if self.names else column
                detail = "expected text" if wants_text else "expected numbers"
                raise invalid([Flaw(detail, "X", 0, name)])


def _array_of(classes: list[Any]) -> NDArray[Any]:
    """Of whole numbers if they are, else of the very objects: text, truth."""
    if all(type(label) is int for label in classes):
        numbers = np.array(classes)
        if numbers.dtype == np.int64:
            return numbers
    found = np.empty(len(classes), dtype=object)
    found[:] = classes
    return found


def _require_moderate(values: NDArray[np.float64], limit: float) -> None:
    """Refuse rows so far out that arithmetic on them leaves the range of doubles."""
    moderate = np.abs(values) < limit
    if not moderate.all():
        row = int(np.argwhere(~moderate)[0, 0])
        raise invalid([Flaw("the row is too far from the training data to compute with", "X", row)])
