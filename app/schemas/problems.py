"""RFC 9457 problem details."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ProblemFlaw(BaseModel):
    """One error in a request, and its position."""

    model_config = ConfigDict(extra="forbid")

    detail: str = Field(description="Description of the error.")
    field: str | None = Field(None, description="Field or parameter, e.g. `params.c1`.")
    row: int | None = Field(None, description="Row or list element, counted from 0.")
    column: int | str | None = Field(
        None, description="Column: its name, or its position counted from 0."
    )


class Problem(BaseModel):
    """Body of every error response (`application/problem+json`, RFC 9457).

    Some problem types have further fields with numbers, for example `max_body_bytes`.
    """

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="URI of the problem type, e.g. `urn:frtsvm:problem:queue-full`.")
    title: str = Field(description="Name of the problem type.")
    status: int = Field(description="HTTP status code.")
    detail: str = Field(description="Description of this occurrence and what to do about it.")
    instance: str | None = Field(
        None, description="URN with the request id, as in the log and in `X-Request-Id`."
    )
    errors: list[ProblemFlaw] | None = Field(
        None, description="Errors in the request, at most 10. Left out if no position is known."
    )
