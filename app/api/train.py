"""POST /train."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from app import errors
from app.api.bodies import CSV, JSON, PARQUET, media_type_of, parse, thread_if_large
from app.api.deps import Jobs, Models, TrainCaller, Trainings, container_of
from app.api.problems import documented
from app.api.responses import JsonResponse
from app.observability.context import request_id
from app.schemas.base import NAME_PATTERN
from app.schemas.cells import MAX_TEXT
from app.schemas.jobs import JobInfo
from app.schemas.models import VersionInfo
from app.schemas.training import TrainingOptions, TrainingRequest
from app.schemas.validation import invalid
from app.services.jobs import failure_of, job_info
from app.services.tables import features_of, labels_of, read_csv, read_parquet, weights_of
from app.services.training import TrainingService
from app.store.jobs import JobRecord

router = APIRouter(tags=["train"])

_EXAMPLE = {
    "model": "churn",
    "X": [[39, 1.5], [52, 0.3], [41, 1.1], [58, 0.2]],
    "y": ["no", "yes", "no", "yes"],
    "params": {"kernel": "rbf", "c1": 1, "c3": 8},
    "scale": "minmax",
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            JSON: {
                "schema": {"$ref": "#/components/schemas/TrainingRequest"},
                "example": _EXAMPLE,
            },
            CSV: {"schema": {"type": "string"}, "example": "age,use,churn\n39,1.5,no\n"},
            PARQUET: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


def _links(*operations: str) -> dict[str, Any]:
    """Return the OpenAPI links from a new version to the operations on it."""
    parameters = {"name": "$response.body#/model", "version": "$response.body#/version"}
    return {name: {"operationId": name, "parameters": parameters} for name in operations}


Text = Annotated[str | None, Query(min_length=1, max_length=MAX_TEXT)]


@router.post(
    "/train",
    status_code=201,
    summary="Train a new version of a model",
    response_model=VersionInfo,
    responses={
        201: {
            "description": "The training succeeded. The body describes the new version.",
            "links": _links("get_version", "get_planes", "get_memberships", "delete_version"),
        },
        202: {
            "model": JobInfo,
            "description": "The job is queued or running. The client sent `Prefer: respond-async`, "
            "or the training took longer than `Prefer: wait=<seconds>` or the server's limit.",
            "links": {
                name: {"operationId": name, "parameters": {"job": "$response.body#/id"}}
                for name in ("get_job", "follow_job", "cancel_job")
            },
        },
        **documented(
            errors.MalformedBody,
            errors.NotAuthenticated,
            errors.NotPermitted,
            errors.BodyTooSlow,
            errors.TrainingCancelled,
            errors.BodyTooLarge,
            errors.DataTooLarge,
            errors.MemoryBudgetExceeded,
            errors.TrainingOutOfMemory,
            errors.UnsupportedMediaType,
            errors.InvalidRequest,
            errors.OneClassOnly,
            errors.TooFewRows,
            errors.TrainingRejected,
            errors.QueueFull,
            errors.TooManyBytesInFlight,
            errors.TrainingCrashed,
            errors.StoreUnavailable,
            errors.TrainingInterrupted,
            errors.ShuttingDown,
            errors.TrainingTimedOut,
            errors.StoreFull,
        ),
    },
    openapi_extra=_BODY,
)
async def train_version(
    request: Request,
    trainings: Trainings,
    jobs: Jobs,
    models: Models,
    caller: TrainCaller,
    target: Annotated[
        Text,
        Query(
            description="Name of the column with the labels. Required for CSV and Parquet bodies."
        ),
    ] = None,
    model: Annotated[
        str | None,
        Query(
            pattern=NAME_PATTERN,
            description="Name of the model, for CSV and Parquet bodies. Default: `default`.",
        ),
    ] = None,
    weight: Annotated[
        Text,
        Query(
            description="Name of a column with sample weights, for CSV and Parquet bodies. "
            "Default: every row has weight 1."
        ),
    ] = None,
    options: Annotated[
        str | None,
        Query(
            max_length=8192,
            description="The other options as a JSON object (schema `TrainingOptions`), for CSV "
            "and Parquet bodies. Default: `{}`.",
        ),
    ] = None,
) -> Response:
    """Train a model on the rows and labels of the body, and store it as a new version.

    The request waits until the training has ended, for at most `FRTSVM_TRAINING_WAIT` seconds (55
    by default), and returns the new version. The header `Prefer: wait=10` reduces this limit to 10
    seconds, and `Prefer: respond-async` to 0. If the training has not ended by then, the response
    is 202 with the job, and the training continues. A JSON body contains the options; for CSV and
    Parquet bodies they are query parameters.
    """
    # The size 2**31 below makes `thread_if_large` use a thread for every body: storing the data and
    # reading the database block.
    kind = media_type_of(request, JSON, CSV, PARQUET)
    await run_in_threadpool(trainings.require_room)
    body = await request.body()
    if kind == JSON:
        _require_no_query(target, model, weight, options)
        record = await thread_if_large(2**31, _submit_json, trainings, body)
    else:
        record = await thread_if_large(
            2**31, _submit_table, trainings, kind, body, target, model, weight, options
        )
    seconds, applied = wait_preference(request, container_of(request).settings.training_wait)
    ended = await jobs.wait_for(record.id, seconds) if seconds else record
    if not ended.state.ended:
        headers = {"location": f"/jobs/{record.id}"}
        if applied:
            headers["preference-applied"] = applied
        return JsonResponse(job_info(ended), 202, headers)
    failure = failure_of(ended)
    if failure is not None:
        raise failure
    assert ended.version is not None
    info = await thread_if_large(2**31, models.version, ended.model, ended.version)
    headers = {"location": f"/models/{ended.model}/versions/{ended.version}"}
    return JsonResponse(info, 201, headers)


def wait_preference(request: Request, most: float) -> tuple[float, str | None]:
    """Return the seconds to wait, and the `Prefer` value that was applied (RFC 7240), if any.

    `most` is the longest time that the server waits.
    """
    given = ",".join(request.headers.getlist("prefer")).lower()
    preferences = [part.split(";")[0].replace(" ", "").strip() for part in given.split(",")]
    for preference in preferences:
        name, _, seconds = preference.partition("=")
        if name == "wait" and seconds.isascii() and seconds.isdigit():
            preferred = int(seconds[:9])
            return (preferred, f"wait={preferred}") if preferred <= most else (most, None)
    return (0.0, "respond-async") if "respond-async" in preferences else (most, None)


def _require_no_query(*values: str | None) -> None:
    if any(value is not None for value in values):
        detail = (
            "The query parameters target, model, weight and options are for CSV and Parquet "
            "bodies only. Put their values into the fields of the JSON body."
        )
        raise invalid([errors.Flaw(detail, "query")])


def _submit_json(trainings: TrainingService, body: bytes) -> JobRecord:
    return trainings.submit(parse(TrainingRequest, body), request_id.get())


def _submit_table(
    trainings: TrainingService,
    kind: str,
    body: bytes,
    target: str | None,
    model: str | None,
    weight: str | None,
    options: str | None,
) -> JobRecord:
    if target is None:
        detail = (
            "The query parameter `target` is missing. Set it to the name of the column with the "
            "labels."
        )
        raise invalid([errors.Flaw(detail, "target")])
    chosen = parse(TrainingOptions, (options or "{}").encode())
    limits = trainings.limits.data
    columns = read_csv(body, limits) if kind == CSV else read_parquet(body, limits)
    labels = labels_of(columns.pop(target, "target"), target)
    weights = None if weight is None else weights_of(columns.pop(weight, "weight"), weight)
    table: Any = features_of(columns)
    return trainings.submit_table(
        model or "default", table, labels, weights, chosen, request_id.get()
    )
