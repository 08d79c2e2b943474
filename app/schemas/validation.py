"""Parsing and validation of request bodies, with errors of the service's own classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from app.errors import Flaw, InvalidRequest, MalformedBody
from app.schemas.cells import MAX_FLAWS

MAX_DETAIL = 300

Request = TypeVar("Request", bound=BaseModel)


def parse_json(body: bytes | bytearray) -> Any:
    """Parse a JSON body. Of repeated keys, the last one counts."""
    try:
        return from_json(body, cache_strings="keys")
    except ValueError as error:
        raise MalformedBody(f"The JSON text is not valid: {str(error)[:MAX_DETAIL]}.") from None


def validate(kind: type[Request], value: Any) -> Request:
    """Validate `value` as a request of class `kind`; raise `InvalidRequest` with all flaws."""
    if not isinstance(value, dict):
        raise InvalidRequest("The JSON text must be an object, in braces.")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise invalid(flaws_of(error)) from None


def invalid(flaws: Iterable[Flaw]) -> InvalidRequest:
    """Return an error whose detail is that of the first flaw, after its field, row and column."""
    found = tuple(flaws)[:MAX_FLAWS]
    first = found[0]
    place = f"{first.field}: " if first.field else ""
    if first.row is not None:
        place += f"row {first.row} (counted from 0): "
    if first.column is not None:
        place += f"column {first.column}: "
    return InvalidRequest(place + first.detail, flaws=found)


def flaws_of(error: ValidationError) -> list[Flaw]:
    """Return the first `MAX_FLAWS` errors, without the offending values.

    The values may be huge, not finite or not encodable.
    """
    flaws: list[Flaw] = []
    for item in error.errors(include_url=False, include_input=False):
        context = item.get("ctx", {})
        if "flaws" in context:
            flaws.extend(context["flaws"])
        else:
            flaws.append(flaw_at(item["loc"], item["msg"]))
        if len(flaws) >= MAX_FLAWS:
            break
    return flaws[:MAX_FLAWS]


def flaw_at(loc: tuple[int | str, ...], detail: str) -> Flaw:
    """Convert a Pydantic location such as ("params", "c1") or ("feature_names", 3) to a flaw."""
    names = [str(part)[:64] for part in loc if isinstance(part, str)]
    numbers = [part for part in loc if isinstance(part, int)]
    row = numbers[0] if numbers else None
    return Flaw(f"{detail[:MAX_DETAIL].removesuffix('.')}.", ".".join(names) or None, row)
