"""One event, one line."""

from __future__ import annotations

import json
import logging

import pytest

from app.observability.context import request_id
from app.observability.logs import JsonFormatter, TextFormatter

NASTY = ["a\nb", 'x"}\n{"level":"error"', "\x00\x1b[31m", "\ud800", "\u2028", "%s %d", "é" * 500]


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("frtsvm", logging.INFO, "", 0, message, (), None)
    made.__dict__.update(extra)
    return made


@pytest.mark.parametrize("text", NASTY)
def test_json_lines_cannot_be_forged(text: str) -> None:
    line = JsonFormatter().format(record("request", path=text))
    assert "\n" not in line
    assert json.loads(line)["message"] in ("request", "'request'")
    line = JsonFormatter().format(record(text))
    assert "\n" not in line
    assert json.loads(line)["level"] in ("info", "'info'")


@pytest.mark.parametrize("text", NASTY)
def test_text_lines_stay_lines(text: str) -> None:
    assert "\n" not in TextFormatter().format(record(text, path=text))


def test_the_request_is_named() -> None:
    token = request_id.set("abc")
    try:
        assert json.loads(JsonFormatter().format(record("x")))["request_id"] == "abc"
    finally:
        request_id.reset(token)
