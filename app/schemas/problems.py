"""RFC 9457 problem details."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ProblemFlaw(BaseModel):
    """One thing that is wrong, and where."""

    model_config = ConfigDict(extra="forbid")

    detail: str
    field: str | None = None
    row: int | None = None
    column: int | str | None = None


class Problem(BaseModel):
    """The body of every answer that is not a success, `application/problem+json`."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    """The id of the request, as in the log."""
    errors: list[ProblemFlaw] | None = None
