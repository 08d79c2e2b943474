"""Prediction responses in the format that the caller accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.responses import Response

from app.api.bodies import ARROW, CSV, JSON, NPY, OCTETS
from app.api.responses import BytesResponse
from app.errors import Flaw, NotAcceptable
from app.schemas.validation import invalid
from app.services.prediction import PredictionResult
from app.wire import arrow
from app.wire.columns import columns_of, write_csv
from app.wire.json_answers import write_answer
from app.wire.negotiate import choose
from app.wire.numbers import write_doubles, write_npy

#: Response formats in the order in which the service prefers them. The first is the default.
OFFERED = (JSON, ARROW, CSV, NPY, OCTETS)
#: Formats that hold a single array, which the query parameter `output` selects.
ARRAY_FORMATS = (NPY, OCTETS)

_WITHOUT_ARROW = tuple(kind for kind in OFFERED if kind != ARROW)


def format_for(accept: bytes | None) -> str:
    """Return the response format that an `Accept` header asks for, or raise `NotAcceptable`."""
    if accept is None or accept == b"*/*" or accept == b"application/json":
        return JSON
    offered = OFFERED if arrow.is_installed() else _WITHOUT_ARROW
    chosen = choose(accept.decode("latin-1"), offered)
    if chosen is None:
        more = "" if ARROW in offered else f" Arrow {arrow.MISSING}."
        raise NotAcceptable(
            "No media type in the `Accept` header is available. "
            f"Accept one of {', '.join(offered)}.{more}"
        )
    return chosen


def json_response(answer: PredictionResult) -> Response:
    """Return the requested outputs as JSON, with model and version."""
    head = {"model": answer.model, "version": answer.version}
    n_rows = len(answer.prediction.codes)
    return BytesResponse(b"application/json", *write_answer(head, answer.requested, n_rows))


def response_in(kind: str, answer: PredictionResult, output: str | None) -> Response:
    """Return the response in format `kind`; unless it is JSON, headers name model and version."""
    if kind == JSON:
        return json_response(answer)
    headers = [
        (b"x-frtsvm-model", answer.model.encode()),
        (b"x-frtsvm-version", str(answer.version).encode()),
    ]
    content_type = b"text/csv; charset=utf-8" if kind == CSV else kind.encode()
    return BytesResponse(content_type, _content(kind, answer, output), headers=headers)


def _content(kind: str, answer: PredictionResult, output: str | None) -> bytes:
    if kind == NPY:
        return write_npy(_array(answer, output or _only(answer) or "labels"))
    if kind == OCTETS:
        return write_doubles(_numbers(answer, output or _only(answer) or "scores"))
    columns = columns_of(answer.requested, answer.classes)
    if not columns:
        detail = (
            f"This model version does not provide {' or '.join(answer.outputs)}. "
            "Request other outputs."
        )
        raise invalid([Flaw(detail, "outputs")])
    if kind == CSV:
        return write_csv(columns)
    return arrow.write_stream(columns, {"model": answer.model, "version": str(answer.version)})


def _only(answer: PredictionResult) -> str | None:
    """Return the requested output if the body requests exactly one."""
    return answer.outputs[0] if len(answer.outputs) == 1 else None


def _array(answer: PredictionResult, output: str) -> NDArray[Any]:
    if output == "labels":
        return np.array(answer.prediction.labels)
    return _numbers(answer, output)


def _numbers(answer: PredictionResult, output: str) -> NDArray[np.float64]:
    if output == "labels":
        detail = (
            f"{OCTETS} holds numbers only, so it cannot hold labels. "
            "Request `scores`, or accept another format."
        )
        raise invalid([Flaw(detail, "output")])
    found = answer.prediction
    if output == "scores":
        return found.scores
    if output == "distances":
        return _given(
            found.distances,
            "A one-vs-one model has no distances per class. Request another output.",
        )
    detail = (
        "This model version has no probabilities, because it was trained without a calibration. "
        "Request another output."
    )
    return _given(found.probabilities, detail)


def _given(values: NDArray[np.float64] | None, reason: str) -> NDArray[np.float64]:
    if values is None:
        raise invalid([Flaw(reason, "output")])
    return values
