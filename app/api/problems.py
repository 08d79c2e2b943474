"""Problem details (RFC 9457): the status of each error class, and the response body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson

from app import errors
from app.observability.context import request_id
from app.schemas.problems import Problem

MEDIA_TYPE = "application/problem+json"
#: Maximum size of a problem body in bytes: a request with huge values gets no huge response.
MAX_BYTES = 16 * 1024
MAX_DETAIL = 1000
MAX_ERRORS = 10

STATUS: dict[type[errors.ServiceError], int] = {
    errors.MalformedBody: 400,
    errors.HeadersTooLarge: 431,
    errors.NotAuthenticated: 401,
    errors.NotPermitted: 403,
    errors.ModelNotFound: 404,
    errors.VersionNotFound: 404,
    errors.AliasNotFound: 404,
    errors.SearchNotFound: 404,
    errors.JobNotFound: 404,
    errors.NotAcceptable: 406,
    errors.BodyTooSlow: 408,
    errors.VersionInUse: 409,
    errors.NothingToRollBack: 409,
    errors.JobFinished: 409,
    errors.TrainingCancelled: 409,
    errors.BodyTooLarge: 413,
    errors.DataTooLarge: 413,
    errors.MemoryBudgetExceeded: 413,
    errors.TrainingOutOfMemory: 413,
    errors.UnsupportedMediaType: 415,
    errors.InvalidRequest: 422,
    errors.OneClassOnly: 422,
    errors.TooFewRows: 422,
    errors.FeatureMismatch: 422,
    errors.TrainingRejected: 422,
    errors.QueueFull: 429,
    errors.TooManyBytesInFlight: 429,
    errors.ArtifactDamaged: 500,
    errors.TrainingCrashed: 500,
    errors.StoreUnavailable: 503,
    errors.TrainingInterrupted: 503,
    errors.ShuttingDown: 503,
    errors.TrainingTimedOut: 504,
    errors.StoreFull: 507,
}


def slug(kind: type[errors.ServiceError]) -> str:
    """Return the problem name of an error class: ModelNotFound -> model-not-found."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def type_uri(name: str) -> str:
    """Return the `type` URI of a problem; docs/api.md lists them."""
    return f"urn:frtsvm:problem:{name}"


@dataclass(frozen=True)
class ProblemResponse:
    """Status, headers and body of a problem."""

    status: int
    headers: dict[str, str]
    body: bytes


def problem(
    status: int,
    name: str,
    title: str,
    detail: str,
    *,
    flaws: tuple[errors.Flaw, ...] = (),
    numbers: dict[str, Any] | None = None,
    retry_after: int | None = None,
) -> ProblemResponse:
    """Return a problem response whose body has at most `MAX_BYTES` bytes."""
    content: dict[str, Any] = {
        "type": type_uri(name),
        "title": title,
        "status": status,
        "detail": _clean(detail),
        **(numbers or {}),
    }
    current = request_id.get()
    if current:
        content["instance"] = f"urn:frtsvm:request:{current}"
    if flaws:
        content["errors"] = [_clean_flaw(flaw) for flaw in flaws[:MAX_ERRORS]]
    body = orjson.dumps(content)
    while len(body) > MAX_BYTES and content.get("errors"):
        content["errors"].pop()
        body = orjson.dumps(content)
    headers = {"content-type": MEDIA_TYPE, "cache-control": "no-store"}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    if status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = "Bearer"
    return ProblemResponse(status, headers, body)


def problem_of(error: errors.ServiceError) -> ProblemResponse:
    """Return the problem for a service error.

    A class that is not in `STATUS` is reported as its nearest base class that is.
    """
    kind = next(kind for kind in type(error).__mro__ if kind in STATUS)
    return problem(
        STATUS[kind],
        slug(kind),
        title_of(kind),
        error.detail,
        flaws=error.flaws,
        numbers=error.numbers,
        retry_after=error.retry_after,
    )


def http_problem(status: int, detail: str | None = None) -> ProblemResponse:
    """Return a problem without an error class: unknown route, wrong method, unexpected error."""
    phrase = HTTPStatus(status).phrase
    return problem(status, phrase.lower().replace(" ", "-"), phrase, detail or phrase)


def title_of(kind: type[errors.ServiceError]) -> str:
    """Return the title of an error class: ModelNotFound -> Model not found."""
    words = slug(kind).replace("-", " ")
    return words[0].upper() + words[1:]


def documented(*kinds: type[errors.ServiceError]) -> dict[int | str, dict[str, Any]]:
    """Return the part of `responses=` that describes the problems that a route can return."""
    by_status: dict[int, list[dict[str, str]]] = {}
    for kind in kinds:
        about = (kind.__doc__ or "").strip().split("\n")[0]
        by_status.setdefault(STATUS[kind], []).append(
            {"type": type_uri(slug(kind)), "about": about}
        )
    return {
        status: {
            "description": " ".join(found["about"] for found in problems),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            "x-problem-types": problems,
        }
        for status, problems in sorted(by_status.items())
    }


def problem_schema() -> dict[str, Any]:
    """Return the schema `Problem` to which `documented` refers, with its definitions."""
    return Problem.model_json_schema(ref_template="#/components/schemas/{model}")


def _clean(text: str) -> str:
    """Shorten a text and replace characters that UTF-8 cannot encode."""
    return text[:MAX_DETAIL].encode("utf-8", "replace").decode()


def _clean_flaw(flaw: errors.Flaw) -> dict[str, Any]:
    return {
        key: _clean(value) if isinstance(value, str) else value
        for key, value in flaw.as_dict().items()
    }
