"""Log lines: one per event, in both formats, whatever a caller sends."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import re
import select
import sys
from collections.abc import Iterator

import pytest

from app.observability.context import request_id
from app.observability.logs import EventLog, JsonFormatter, TextFormatter, configure_logging

NASTY = ["a\nb", 'x"}\n{"level":"error"', "\x00\x1b[31m", "\ud800", "\u2028", "%s %d", "é" * 500]


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("frtsvm", logging.INFO, "", 0, message, (), None)
    made.__dict__.update(extra)
    return made


def raised(error: Exception) -> logging.LogRecord:
    made = record("failed")
    made.exc_info = (type(error), error, None)
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
def test_text_lines_cannot_be_forged(text: str) -> None:
    assert TextFormatter().format(record(text, path=text)).isprintable()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("/predict", "/predict"),
        (0.25, "0.25"),
        (True, "True"),
        ("no such file", '"no such file"'),
        ("", '""'),
        ('a "b"', r'"a \"b\""'),
        ("a\nb", r'"a\nb"'),
        (r"a\nb", r'"a\\nb"'),
        ("\x1b[31mé\u2028", r'"\x1b[31mé\u2028"'),
        (["a", 1], "\"['a', 1]\""),
    ],
)
def test_text_values_have_quotes_only_where_they_could_be_misread(
    value: object, written: str
) -> None:
    line = TextFormatter().format(record("job queued", job="abc", value=value, error=None))
    assert re.fullmatch(r"\d\d:\d\d:\d\d INFO     job queued  job=abc value=.*", line)
    assert line.partition("value=")[2] == written


def test_text_lines_describe_a_request_in_a_sentence() -> None:
    line = TextFormatter().line(
        {
            "time": "19:33:49",
            "level": "info",
            "logger": "frtsvm.access",
            "message": "request",
            "request_id": "5f3c9c21d0aa17be",
            "method": "POST",
            "path": "/predict",
            "status": 200,
            "ms": 1.27,
        }
    )
    assert line == "19:33:49 INFO     POST /predict 200 in 1.3 ms  request_id=5f3c9c21d0aa17be"


def test_a_path_cannot_look_like_the_rest_of_the_sentence() -> None:
    path = "/ 200 in 1.0 ms  request_id=1\x1b[2J"
    made = record("request", method="GET", path=path, status=404, ms=0.034)
    made.name = "frtsvm.access"
    line = TextFormatter().format(made)
    assert line[9:] == r'INFO     GET "/ 200 in 1.0 ms  request_id=1\x1b[2J" 404 in 0.03 ms'


def test_text_has_tracebacks_indented_below_the_line() -> None:
    first, *trace = (
        TextFormatter().format(raised(ValueError("bad\n12:00:00 INFO  \x1b"))).split("\n")
    )
    assert first.endswith("INFO     failed")
    assert trace == ["    ValueError: bad", r"    12:00:00 INFO  \x1b"]
    first, *trace = (
        TextFormatter().format(record("job failed", job="a", trace="x:\n  y")).split("\n")
    )
    assert first.endswith("INFO     job failed  job=a")
    assert trace == ["    x:", "      y"]


def test_json_has_tracebacks_in_a_field() -> None:
    assert json.loads(JsonFormatter().format(raised(ValueError("bad"))))["exception"] == (
        "ValueError: bad"
    )


def test_the_request_is_named() -> None:
    token = request_id.set("abc")
    try:
        assert json.loads(JsonFormatter().format(record("x")))["request_id"] == "abc"
    finally:
        request_id.reset(token)


@pytest.fixture(autouse=True)
def restored_logging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo the configuration, which is that of the whole process."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    for name in ("logThreads", "logProcesses", "logMultiprocessing", "_srcfile"):
        monkeypatch.setattr(logging, name, getattr(logging, name))
    yield
    root.handlers[:] = before
    root.setLevel(level)


@pytest.mark.parametrize(("style", "first"), [("auto", r"\d"), ("text", r"\d"), ("json", r"\{")])
def test_the_format_for_a_terminal(monkeypatch: pytest.MonkeyPatch, style: str, first: str) -> None:
    master, slave = pty.openpty()
    with open(slave, "w", encoding="utf-8") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        configure_logging(style, "info")
        logging.getLogger("frtsvm").info("started")
        assert select.select([master], [], [], 10)[0]
        line = os.read(master, 4096).decode()
    os.close(master)
    assert re.match(first, line)
    assert "started" in line


@pytest.mark.parametrize(("style", "first"), [("auto", r"\{"), ("text", r"\d"), ("json", r"\{")])
def test_the_format_without_a_terminal(
    capsys: pytest.CaptureFixture[str], style: str, first: str
) -> None:
    configure_logging(style, "info")
    logging.getLogger("frtsvm").info("started")
    line = capsys.readouterr().err
    assert re.match(first, line)
    assert "started" in line


@pytest.mark.parametrize(("style", "stamp"), [("json", 40), ("text", 8)])
@pytest.mark.parametrize("path", ["/predict", *NASTY])
def test_events_are_written_like_any_other_record(
    capsys: pytest.CaptureFixture[str], style: str, stamp: int, path: str
) -> None:
    configure_logging(style, "info")
    fields = {"method": "GET", "path": path, "status": 200, "ms": 1.5}
    token = request_id.set("abc")
    try:
        EventLog("frtsvm.access", "request").write(**fields)
        logging.getLogger("frtsvm.access").info("request", extra=fields)
    finally:
        request_id.reset(token)
    event, usual = capsys.readouterr().err.split("\n")[:-1]
    assert event[stamp:] == usual[stamp:]  # all but the time
    assert "200" in event


def test_events_below_the_level_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json", "warning")
    EventLog("frtsvm.access", "request").write(status=200)
    assert capsys.readouterr().err == ""


def test_other_handlers_get_events_as_records(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    configure_logging("json", "info")
    logging.getLogger().addHandler(caplog.handler)
    EventLog("frtsvm.access", "request").write(status=204)
    assert [(each.message, vars(each)["status"]) for each in caplog.records] == [("request", 204)]
    assert json.loads(capsys.readouterr().err)["status"] == 204


def test_a_closed_log_does_not_fail_requests() -> None:
    configure_logging("json", "info")
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.stream = io.StringIO()
    handler.stream.close()
    EventLog("frtsvm.access", "request").write(status=200)
