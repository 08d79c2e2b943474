"""Parsing and validation of request bodies, with errors of the service's own classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from app.errors import Flaw, InvalidRequest, MalformedBody
from app.schemas.base import UNKNOWN_FIELD
from app.schemas.cells import MAX_FLAWS

MAX_DETAIL = 300
#: How Pydantic begins the messages that name the expected value.
EXPECTATION = "Input should be "
#: Messages in terms of JSON, where those of Pydantic name Python types.
JSON_MESSAGES = {
    "dict_type": "Input should be a JSON object",
    "model_type": "Input should be a JSON object",
    "list_type": "Input should be a JSON array",
    "none_required": "Input should be null",
}
#: Fields whose lists have one item per column, not one per row.
LISTS = {"feature_names"}

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
        raise invalid(flaws_of(error, value)) from None


def invalid(flaws: Iterable[Flaw]) -> InvalidRequest:
    """Return an error whose detail is that of the first flaw, after its field, row and column."""
    found = tuple(flaws)[:MAX_FLAWS]
    first = found[0]
    place = f"{first.field}: " if first.field else ""
    if first.row is not None:
        what = "item" if first.field in LISTS or place.startswith("search.grid.") else "row"
        place += f"{what} {first.row} (counted from 0): "
    if first.column is not None:
        place += f"column {first.column}: "
    return InvalidRequest(place + first.detail, flaws=found)


def flaws_of(error: ValidationError, value: Any) -> list[Flaw]:
    """Return the first `MAX_FLAWS` errors of the request `value`, without the offending values.

    The values may be huge, not finite or not encodable.
    """
    flaws: list[Flaw] = []
    #: Branches of unions that did not match, by place: their messages are joined to one flaw.
    branches: dict[tuple[int | str, ...], list[str]] = {}
    for item in error.errors(include_url=False, include_input=False):
        place, in_union = _place(item["loc"], value, item["type"] == "missing")
        message = JSON_MESSAGES.get(item["type"], item["msg"])
        if item["type"] == UNKNOWN_FIELD:
            flaws.extend(
                flaw_at((*place, flaw.field), flaw.detail) for flaw in item["ctx"]["flaws"]
            )
        elif "flaws" in item.get("ctx", {}):
            flaws.extend(item["ctx"]["flaws"])
        elif in_union:
            branches.setdefault(place, []).append(message)
        else:
            flaws.append(flaw_at(place, message))
        if len(flaws) + len(branches) > MAX_FLAWS:
            break
    for place, messages in branches.items():
        # A branch that matched further is what the caller meant.
        if not any(other[: len(place)] == place for other in branches if other != place):
            rest = [message.removeprefix(EXPECTATION) for message in messages[1:]]
            flaws.append(flaw_at(place, ", or ".join([messages[0], *rest])))
    return flaws[:MAX_FLAWS]


def _place(
    loc: tuple[int | str, ...], value: Any, missing: bool
) -> tuple[tuple[int | str, ...], bool]:
    """Return a Pydantic location without the names of union branches, and whether it had any."""
    place: list[int | str] = []
    for part in loc:
        if _has(value, part):
            value = value[part]
        elif not (missing and part == loc[-1]):
            continue  # the name of a union branch, such as "constrained-float"
        place.append(part)
    return tuple(place), len(place) < len(loc)


def _has(value: Any, part: int | str) -> bool:
    """Whether a JSON object has the key, or an array the index."""
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def flaw_at(loc: tuple[int | str, ...], detail: str) -> Flaw:
    """Convert a Pydantic location such as ("params", "c1") or ("feature_names", 3) to a flaw."""
    names = [str(part)[:64] for part in loc if isinstance(part, str)]
    numbers = [part for part in loc if isinstance(part, int)]
    row = numbers[0] if numbers else None
    return Flaw(f"{detail[:MAX_DETAIL].removesuffix('.')}.", ".".join(names) or None, row)
