"""One line per event. As JSON, every line is one object, whatever the caller put into it."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson

from app.observability.context import request_id

#: What every record has; anything beyond it came with `extra=`.
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "color_message"}

Fields = dict[str, Any]


@lru_cache(maxsize=2)
def _second(whole: int) -> str:
    return datetime.fromtimestamp(whole, UTC).isoformat()[:-6]


def _head(created: float, level: str, logger: str, message: str) -> Fields:
    """How every line begins."""
    whole = int(created)
    stamp = f"{_second(whole)}.{int(1000 * (created - whole)):03}Z"
    fields: Fields = {"time": stamp, "level": level, "logger": logger, "message": message}
    current = request_id.get()
    if current:
        fields["request_id"] = current
    return fields


def fields_of(record: logging.LogRecord) -> Fields:
    """The parts of a log record that are worth a field."""
    fields = _head(record.created, record.levelname.lower(), record.name, record.getMessage())
    fields.update({k: v for k, v in record.__dict__.items() if k not in _STANDARD})
    return fields


class LineFormatter(logging.Formatter, ABC):
    """A line per event, given its fields."""

    @abstractmethod
    def line(self, fields: Fields) -> str:
        """The fields on one line, whatever is in them."""


class JsonFormatter(LineFormatter):
    """A JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Whatever is in the record, on one line."""
        fields = fields_of(record)
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return self.line(fields)

    def line(self, fields: Fields) -> str:
        """One object."""
        try:
            return orjson.dumps(fields, default=str).decode()
        except (TypeError, orjson.JSONEncodeError):  # lone surrogates, mostly
            safe = {k: ascii(v) if isinstance(v, str) else str(v) for k, v in fields.items()}
            return orjson.dumps(safe).decode()


class TextFormatter(LineFormatter):
    """For people who watch."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it what was raised."""
        line = self.line(fields_of(record))
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line

    def line(self, fields: Fields) -> str:
        """Time, level, message, then the fields."""
        fields = dict(fields)
        head = f"{fields.pop('time')} {fields.pop('level'):7} {fields.pop('message')}"
        fields.pop("logger")
        tail = " ".join(f"{key}={value!r}" for key, value in fields.items())
        return f"{head}  {tail}".rstrip().replace("\n", "\\n").replace("\r", "\\r")


class EventLog:
    """Lines about one kind of event that comes thousands of times a second.

    Where our own handler is the only one, a line is written without a log record, which would be most
    of its cost; else it is logged as any other.
    """

    def __init__(self, name: str, message: str) -> None:
        self._logger = logging.getLogger(name)
        self._message = message

    def write(self, **fields: Any) -> None:
        """One has happened."""
        if not self._logger.isEnabledFor(logging.INFO):
            return
        handler = _only_handler()
        if handler is None:
            self._logger.info(self._message, extra=fields)
            return
        found = _head(time.time(), "info", self._logger.name, self._message)
        found.update(fields)
        formatter = handler.formatter
        assert isinstance(formatter, LineFormatter)
        line = formatter.line(found) + "\n"
        unread = contextlib.suppress(OSError, ValueError)  # a log that is closed stops no request
        with handler.lock, unread:
            handler.stream.write(line)
            handler.flush()


class _Lines(logging.StreamHandler[Any]):
    """Ours, so that it is known again."""

    lock: Any


def _only_handler() -> _Lines | None:
    handlers = logging.root.handlers
    first = handlers[0] if len(handlers) == 1 else None
    return first if isinstance(first, _Lines) else None


def configure_logging(style: str, level: str) -> None:
    """Send everything, the web server's lines included, to standard error."""
    # What no line of ours tells is not looked up: it would be most of the cost of a line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    handler = _Lines(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = name != "uvicorn.access"  # the middleware has a better line
