"""Array-valued Pydantic fields, validated by `app.schemas.cells` and described as JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.schemas.cells import MAX_TEXT, CellError, read_labels, read_rows, read_weights
from app.schemas.table import Table


def _as_field(read: Callable[[Any], Any]) -> PlainValidator:
    """Return a validator that passes flaws, with rows and columns, through Pydantic's error."""

    def validate(value: Any) -> Any:
        try:
            return read(value)
        except CellError as error:
            context = {"flaws": error.flaws}
            raise PydanticCustomError("cells", "bad cells", context) from error

    return PlainValidator(validate)


_CELL = {"anyOf": [{"type": "number"}, {"type": "string", "maxLength": MAX_TEXT}, {"type": "null"}]}
_ROWS = {
    "description": "The rows: lists of equal length, or objects with the same feature names as "
    "keys. A `null` is a missing cell, which requires that the model is trained with `impute` set "
    "to `median`. Text requires that it is trained with `one_hot`.",
    "anyOf": [
        {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1, "items": _CELL}},
        {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"maxLength": MAX_TEXT},
                "additionalProperties": _CELL,
            },
        },
    ],
}
_INT64 = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
_LABELS = {
    "description": "One label per row: all strings, all integers or all booleans.",
    "anyOf": [
        {"type": "array", "minItems": 1, "items": {"type": "string", "maxLength": MAX_TEXT}},
        {"type": "array", "minItems": 1, "items": _INT64},
        {"type": "array", "minItems": 1, "items": {"type": "boolean"}},
    ],
}
_WEIGHTS = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "number", "minimum": 0},
}

Rows = Annotated[Table, _as_field(read_rows), WithJsonSchema(_ROWS)]
Labels = Annotated[
    list[str] | list[int] | list[bool], _as_field(read_labels), WithJsonSchema(_LABELS)
]
Weights = Annotated[NDArray[np.float64], _as_field(read_weights), WithJsonSchema(_WEIGHTS)]
