"""What all wire types have in common."""

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

#: Names of models and aliases: one rule for every route, every log line and the store. `$` is the
#: very end here (pydantic's patterns have no "or before a final newline").
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"

Name = Annotated[str, StringConstraints(strict=True, pattern=NAME_PATTERN)]

#: A label is a string, an integer or a boolean, and comes back as it was sent.
Label = str | int | bool


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 3.0 is an integer there, and a strict check would refuse it."""
    return int(value) if type(value) is float and value.is_integer() else value


#: Comes last in an annotation: before the bounds it would hide them from the JSON Schema.
WHOLE = BeforeValidator(_whole)

#: Integers beyond 64 bits fit no array and no database column.
INT64 = 2**63 - 1


class RequestModel(BaseModel):
    """A request: strict types, no unknown fields, no infinities."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        frozen=True,
        arbitrary_types_allowed=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _few_unknown_fields(cls, value: Any) -> Any:
        """Stop at the first unknown field: pydantic would report each of a million of them."""
        if isinstance(value, dict):
            unknown = value.keys() - cls.model_fields.keys()
            if unknown:
                name = min(unknown)[:64]
                flaw = Flaw(f"unknown field, expected one of {sorted(cls.model_fields)}", name)
                raise PydanticCustomError("unknown_field", "unknown field", {"flaws": (flaw,)})
        return value


class ResponseModel(BaseModel):
    """A response; the server builds it, so nothing is coerced either."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
