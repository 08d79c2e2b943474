"""Base classes and types shared by all request and response schemas."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from app.errors import Flaw

#: Pattern of model and alias names, for every route, log line and store. In Pydantic's patterns,
#: `$` matches only at the very end, not before a final newline.
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"

Name = Annotated[str, StringConstraints(strict=True, pattern=NAME_PATTERN)]

#: A class label.
Label = str | int | bool


def _whole(value: Any) -> Any:
    """Convert a float such as 3.0, which JSON Schema counts as an integer, to an integer."""
    return int(value) if type(value) is float and value.is_integer() else value


#: Accepts floats such as 3.0 as integers. Must be the last item of an annotation: before the
#: bounds, it would hide them from the JSON Schema.
WHOLE = BeforeValidator(_whole)

#: Type of the Pydantic error for a field that the request class does not have.
UNKNOWN_FIELD = "unknown_field"

#: Largest integer that fits into an array or a database column.
INT64 = 2**63 - 1


class RequestModel(BaseModel):
    """Base of all requests: strict types, no unknown fields, only finite numbers."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        frozen=True,
        arbitrary_types_allowed=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _reject_unknown_field(cls, value: Any) -> Any:
        """Report one unknown field only: Pydantic would report each of them, possibly a million."""
        if isinstance(value, dict):
            unknown = value.keys() - cls.model_fields.keys()
            if unknown:
                name = min(unknown)[:64]
                detail = (
                    f"Unknown field. The allowed fields are {', '.join(sorted(cls.model_fields))}."
                )
                flaw = Flaw(detail, name)
                raise PydanticCustomError(UNKNOWN_FIELD, "unknown field", {"flaws": (flaw,)})
        return value


class ResponseModel(BaseModel):
    """Base of all responses: strict types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
