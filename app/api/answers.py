"""Predictions in the format that the caller asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.responses import Response

from app.api.bodies import ARROW, CSV, JSON, NPY, OCTETS
from app.api.responses import BytesResponse
from app.errors import Flaw, NotAcceptable
from app.schemas.validation import invalid
from app.services.prediction import Answer
from app.wire import arrow
from app.wire.columns import columns_of, write_csv
from app.wire.json_answers import write_answer
from app.wire.negotiate import choose
from app.wire.numbers import write_doubles, write_npy

#: The first one is what a caller gets who does not mind.
OFFERED = (JSON, ARROW, CSV, NPY, OCTETS)
#: Formats of one array, for which `output` says which one.
BARE = (NPY, OCTETS)

_WITHOUT_ARROW = tuple(kind for kind in OFFERED if kind != ARROW)


def format_for(accept: bytes | None) -> str:
    """The format to answer in, or `NotAcceptable`."""
    if accept is None or accept == b"*/*" or accept == b"application/json":
        return JSON
    offered = OFFERED if arrow.is_installed() else _WITHOUT_ARROW
    chosen = choose(accept.decode("latin-1"), offered)
    if chosen is None:
        more = "" if ARROW in offered else f"; Arrow {arrow.MISSING}"
        raise NotAcceptable(f"the answer can be {', '.join(offered)}{more}")
    return chosen


def json_response(answer: Answer) -> Response:
    """All that is asked for, with model and version."""
    head = {"model": answer.model, "version": answer.version}
    n_rows = len(answer.prediction.codes)
    return BytesResponse(b"application/json", *write_answer(head, answer.asked, n_rows))


def response_in(kind: str, answer: Answer, output: str | None) -> Response:
    """The answer in that format; where it has no place for model and version, headers name them."""
    if kind == JSON:
        return json_response(answer)
    headers = [
        (b"x-frtsvm-model", answer.model.encode()),
        (b"x-frtsvm-version", str(answer.version).encode()),
    ]
    content_type = b"text/csv; charset=utf-8" if kind == CSV else kind.encode()
    return BytesResponse(content_type, _content(kind, answer, output), headers=headers)


def _content(kind: str, answer: Answer, output: str | None) -> bytes:
    if kind == NPY:
        return write_npy(_array(answer, output or _only(answer) or "labels"))
    if kind == OCTETS:
        return write_doubles(_numbers(answer, output or _only(answer) or "scores"))
    columns = columns_of(answer.asked, answer.classes)
    if not columns:
        flaw = Flaw(f"the version has no {' or '.join(answer.outputs)}", "outputs")
        raise invalid([flaw])
    if kind == CSV:
        return write_csv(columns)
    return arrow.write_stream(columns, {"model": answer.model, "version": str(answer.version)})


def _only(answer: Answer) -> str | None:
    """The one output that the body asks for, if it is one."""
    return answer.outputs[0] if len(answer.outputs) == 1 else None


def _array(answer: Answer, output: str) -> NDArray[Any]:
    if output == "labels":
        return np.array(answer.prediction.labels)
    return _numbers(answer, output)


def _numbers(answer: Answer, output: str) -> NDArray[np.float64]:
    if output == "labels":
        detail = "bare numbers cannot say which labels; ask for scores, or accept another format"
        raise invalid([Flaw(detail, "output")])
    found = answer.prediction
    if output == "scores":
        return found.scores
    if output == "distances":
        return _given(found.distances, "a one-vs-one model has no distance per class")
    return _given(found.probabilities, "the version was trained without a calibration")


def _given(values: NDArray[np.float64] | None, reason: str) -> NDArray[np.float64]:
    if values is None:
        raise invalid([Flaw(reason, "output")])
    return values
