"""`parse_with_rows` gives exactly the result of the regular parser, or None."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest

from app.errors import ServiceError
from app.schemas.prediction import PredictionRequest
from app.schemas.validation import parse_json, validate
from app.wire import json_rows
from app.wire.json_rows import parse_with_rows
from tests.app.wire.documents import Documents


@pytest.fixture(params=["in pieces", "whole"])
def eager(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Read small documents with simdjson too, in pieces of a few rows or as a whole."""
    monkeypatch.setattr(json_rows, "SMALL_BYTES", 0)
    monkeypatch.setattr(json_rows, "PIECE_BYTES", 24)
    if request.param == "in pieces":
        monkeypatch.setattr(json_rows, "WHOLE_BYTES", 0)


def read(value: Any) -> tuple[Any, ...]:
    """Return everything that the service uses of a request."""
    request = validate(PredictionRequest, value)
    table = request.X
    fields = (request.model, request.version, request.alias, table.names, sorted(table.texts))
    return (*fields, table.numbers.shape, table.numbers.tobytes())


def disagreement(body: bytes) -> str:
    """Return "left" (None), "read", "refused" (with equal errors), or the document that differs."""
    fast = parse_with_rows(body)
    if fast is None:
        return "left"
    try:
        expected: Any = read(parse_json(body))
    except ServiceError as error:
        expected = (type(error), error.detail, error.flaws)
    try:
        found: Any = read(fast)
    except ServiceError as error:
        found = (type(error), error.detail, error.flaws)
    if found != expected:
        return f"DIFFERS {body!r}"
    return "refused" if isinstance(expected[0], type) else "read"


def compare(seed: int, count: int) -> Counter[str]:
    documents = Documents(seed)
    return Counter(disagreement(documents()) for _ in range(count))


@pytest.mark.parametrize("seed", [1, 2])
def test_no_document_is_read_differently(eager: None, seed: int) -> None:
    seen = compare(seed, 4000)
    assert set(seen) <= {"left", "read", "refused"}, [k for k in seen if k.startswith("DIFF")][:3]
    assert seen["read"] > 400
    assert seen["refused"] > 50
    assert seen["left"] > 800


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_no_document_is_read_differently_at_length(eager: None, seed: int) -> None:
    seen = compare(seed, 100_000)
    assert set(seen) <= {"left", "read", "refused"}, [k for k in seen if k.startswith("DIFF")][:3]


GUARDS = {
    # check in the source of `json_rows`, and its replacement
    "widths": ("widths.count(width) != rows", "False"),
    "brackets": ("_brackets(matrix) != rows + 1", "False"),
    "width of pieces": ("piece.shape[1] != (pieces or [piece])[0].shape[1]", "False"),
    "token": ('value.get("X") != _TOKEN', '"X" not in value'),
    "closing": ("closing is None or closing.end() != end", "False"),
}


@pytest.mark.parametrize("guard", GUARDS)
def test_without_a_guard_the_comparison_finds_documents(
    guard: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison must fail if a check is removed; otherwise it would prove nothing."""
    with open(json_rows.__file__, encoding="utf-8") as file:
        source = file.read()
    old, new = GUARDS[guard]
    assert source.count(old) == 1
    weakened: dict[str, Any] = {"__name__": "weakened"}
    exec(compile(source.replace(old, new), "weakened", "exec"), weakened)
    weakened["SMALL_BYTES"], weakened["PIECE_BYTES"], weakened["WHOLE_BYTES"] = 0, 24, 0
    monkeypatch.setitem(globals(), "parse_with_rows", weakened["parse_with_rows"])
    documents = Documents(3)
    for _ in range(20_000):
        try:
            if disagreement(documents()).startswith("DIFF"):
                return
        except (ValueError, IndexError):  # also a difference
            return
    pytest.fail(f"nothing was noticed without the guard: {guard}")


@pytest.mark.parametrize(
    "text",
    ["[[1,2],[3]]", "[[1,[2,3]],[[],4]]", "[[],[]]", "[]", "[[]]", "[[1,2],[3,4],]", "[[1,2]][[3,4]]",
     "[[1],[true]]", "[[1],[null]]", '[[1],["2"]]', "[[1],[{}]]", "[[1],[1e400]]", "[[1],[NaN]]",
     "[[1],[18446744073709551616]]", "[[1 2]]", "[1,2]", "[[1],2]", "[" * 5000 + "]" * 5000],
)  # fmt: skip
def test_other_values_are_left_to_the_regular_parser(eager: None, text: str) -> None:
    assert parse_with_rows(f'{{"X": {text}, "model": "m"}}'.encode()) is None


@pytest.mark.parametrize(
    "body",
    [b'\xef\xbb\xbf{"X":[[1]]}', b'{"X":[[1]]}x', b'{"X":[[1]]', b'{"X":[[1]],"X":[[2,3],[4]]}',
     b'{"a":{"X":[[1]]}}', b'{"model":"\xff","X":[[1]]}', b'{"X":[[1]],"X":null}', b'[{"X":[[1]]}]'],
)  # fmt: skip
def test_doubtful_documents_are_left_to_the_regular_parser(eager: None, body: bytes) -> None:
    assert parse_with_rows(body) is None


def test_the_last_of_repeated_keys_counts(eager: None) -> None:
    value = parse_with_rows(b'{"model":"a","X":[[1,2]],"model":"b"}')
    assert value is not None
    assert value["model"] == "b"
    assert parse_json(b'{"X":[[1]],"X":[[2]]}')["X"] == [[2]]


def test_a_large_matrix_is_read_in_pieces() -> None:
    rows = np.random.default_rng(0).normal(size=(20_000, 7)) * 10.0 ** np.arange(-3, 4)
    body = json.dumps({"X": rows.tolist(), "model": "m"}, indent=1).encode()
    value = parse_with_rows(body)
    assert value is not None
    assert value["model"] == "m"
    assert value["X"].numbers.tobytes() == rows.tobytes()
    ragged = re.sub(rb"\]\s*\]", b",1]]", body)
    assert parse_with_rows(ragged) is None


def test_threads_do_not_share_a_parser() -> None:
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(400 + i, 5)) for i in range(4)]
    bodies = [json.dumps({"X": m.tolist()}).encode() for m in matrices]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(50):
            value = parse_with_rows(bodies[i])
            if value is None or value["X"].numbers.tobytes() != matrices[i].tobytes():
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
