"""The tensors of a model: what goes in, what comes out, from what is stored about a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import Flaw
from app.pipeline.predict import Prediction
from app.schemas.models import StoredInfo
from app.schemas.v2 import TensorMetadata
from app.schemas.validation import invalid
from app.wire.v2.datatypes import BYTES, datatype_of_labels
from app.wire.v2.requests import Wanted
from app.wire.v2.responses import Labels, OutputTensor

#: The input that holds all features.
MATRIX = "X"
LABEL = "label"


@dataclass(frozen=True)
class Output:
    """An output of doubles beside the label."""

    name: str
    values: Callable[[Prediction], NDArray[np.float64] | None]
    """None: this model does not have it."""
    row_shape: Callable[[StoredInfo], list[int] | None]
    """The shape of one row of it."""


def _score_shape(info: StoredInfo) -> list[int]:
    n_classes = len(info["classes"])
    return [] if n_classes == 2 else [n_classes]


def _distances_shape(info: StoredInfo) -> list[int] | None:
    n_classes = len(info["classes"])
    one_plane_per_class = n_classes == 2 or info["params"]["multi_class"] == "ovr"
    return [n_classes] if one_plane_per_class else None


def _probabilities_shape(info: StoredInfo) -> list[int] | None:
    return [len(info["classes"])] if info.get("probability") is not None else None


OUTPUTS = (
    Output("score", lambda prediction: prediction.scores, _score_shape),
    Output("distances", lambda prediction: prediction.distances, _distances_shape),
    Output("probabilities", lambda prediction: prediction.probabilities, _probabilities_shape),
)


def inputs_of(info: StoredInfo) -> list[TensorMetadata]:
    """One tensor per feature if the features have names, else one for all."""
    if info["feature_names"] is not None:
        return [
            TensorMetadata(name=column["name"], datatype=_datatype(column), shape=[-1])
            for column in info["columns"]
        ]
    text = any(column["kind"] == "text" for column in info["columns"])
    datatype: Any = BYTES if text else "FP64"
    return [TensorMetadata(name=MATRIX, datatype=datatype, shape=[-1, info["n_features"]])]


def _datatype(column: dict[str, Any]) -> Any:
    return BYTES if column["kind"] == "text" else "FP64"


def outputs_of(info: StoredInfo) -> list[TensorMetadata]:
    """The label, and what else the model has."""
    label: Any = datatype_of_labels(info["classes"])
    found = [TensorMetadata(name=LABEL, datatype=label, shape=[-1])]
    for output in OUTPUTS:
        row = output.row_shape(info)
        if row is not None:
            found.append(TensorMetadata(name=output.name, datatype="FP64", shape=[-1, *row]))
    return found


def select_outputs(
    prediction: Prediction, classes: list[Any], wanted: Sequence[Wanted] | None, binary: bool
) -> list[OutputTensor]:
    """The outputs that were asked for, in that order; all of them if nothing was."""
    there: dict[str, NDArray[np.float64] | Labels] = {LABEL: Labels(prediction.codes, classes)}
    for output in OUTPUTS:
        values = output.values(prediction)
        if values is not None:
            there[output.name] = values
    if wanted is None:
        return [OutputTensor(name, values, binary) for name, values in there.items()]
    for output_wanted in wanted:
        if output_wanted.name not in there:
            detail = f"the model has no output {output_wanted.name[:64]!r}, it has {list(there)}"
            raise invalid([Flaw(detail, "outputs")])
    return [OutputTensor(each.name, there[each.name], each.binary) for each in wanted]
