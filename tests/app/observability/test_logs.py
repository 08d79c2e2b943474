"""One event, one line."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from app.observability.context import request_id
from app.observability.logs import EventLog, JsonFormatter, TextFormatter, configure_logging

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


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tests configure the logging of the whole process."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    for name in ("logThreads", "logProcesses", "logMultiprocessing", "_srcfile"):
        monkeypatch.setattr(logging, name, getattr(logging, name))
    yield
    root.handlers[:] = before
    root.setLevel(level)


@pytest.mark.parametrize("style", ["json", "text"])
@pytest.mark.parametrize("path", ["/predict", *NASTY])
def test_events_are_lines_as_any_other(
    capsys: pytest.CaptureFixture[str], style: str, path: str
) -> None:
    configure_logging(style, "info")
    token = request_id.set("abc")
    try:
        EventLog("frtsvm.access", "request").write(path=path, status=200)
        logging.getLogger("frtsvm.access").info("request", extra={"path": path, "status": 200})
    finally:
        request_id.reset(token)
    event, usual = capsys.readouterr().err.split("\n")[:-1]
    assert event[40:] == usual[40:]  # but for the milliseconds
    assert "status" in event


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


def test_a_log_that_nobody_reads_stops_no_request() -> None:
    configure_logging("json", "info")
    (handler,) = logging.getLogger().handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.stream = io.StringIO()
    handler.stream.close()
    EventLog("frtsvm.access", "request").write(status=200)
