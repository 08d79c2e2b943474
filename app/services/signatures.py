"""Input and output tensors of a model version, derived from its `StoredInfo` in the database."""

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

#: Name of the input tensor that holds all features.
MATRIX = "X"
LABEL = "label"


@dataclass(frozen=True)
class Output:
    """An output of doubles, in addition to the label."""

    name: str
    values: Callable[[Prediction], NDArray[np.float64] | None]
    """Return the values, or None if the model does not have this output."""
    row_shape: Callable[[StoredInfo], list[int] | None]
    """Return the shape of one row, or None if the model does not have this output."""


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
    """Return one tensor per feature if the features have names, else one for all features."""
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
    """Return the label and the other outputs that the model has."""
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
    """Return the requested outputs in the requested order, or all outputs if none is requested."""
    available: dict[str, NDArray[np.float64] | Labels] = {LABEL: Labels(prediction.codes, classes)}
    for output in OUTPUTS:
        values = output.values(prediction)
        if values is not None:
            available[output.name] = values
    if wanted is None:
        return [OutputTensor(name, values, binary) for name, values in available.items()]
    for output_wanted in wanted:
        if output_wanted.name not in available:
            detail = (
                f"The model has no output {output_wanted.name[:64]!r}. Its outputs are "
                f"{', '.join(available)}."
            )
            raise invalid([Flaw(detail, "outputs")])
    return [OutputTensor(each.name, available[each.name], each.binary) for each in wanted]
