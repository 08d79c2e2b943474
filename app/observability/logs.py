"""Log lines on standard error: one line per event, as JSON or as text.

As text, a traceback follows on indented lines. Neither format lets a caller forge a line: line
breaks and other control characters in a message or a value are escaped.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import time
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

import orjson

from app.observability.context import request_id

#: Attributes of every log record; all others were passed with `extra=`.
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "color_message"}
#: Loggers of libraries that have handlers of their own unless these are removed.
_LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "distributed")

#: The logger of requests, and the fields that text lines show as `POST /predict 200 in 1.3 ms`.
_ACCESS = "frtsvm.access"
_ACCESS_FIELDS = ("method", "path", "status", "ms")
_access_values = itemgetter(*_ACCESS_FIELDS)
#: Fields that the text format does not repeat as `key=value`.
_IN_HEAD = frozenset({"time", "level", "logger", "message"})
_IN_ACCESS_HEAD = _IN_HEAD | set(_ACCESS_FIELDS)
#: The field with the traceback of another process.
_TRACE = "trace"
#: Matches values that need no quotes: printable, without spaces, quotes and backslashes.
_matches_bare = re.compile(r"[!#-&(-\[\]-~]+|[^\W_]+").fullmatch

Fields = dict[str, Any]


@lru_cache(maxsize=2)
def _utc_second(whole: int) -> str:
    return datetime.fromtimestamp(whole, UTC).isoformat()[:-6]


@lru_cache(maxsize=2)
def _local_second(whole: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(whole))


def _standard_fields(stamp: str, level: str, logger: str, message: str) -> Fields:
    """Fields that every line starts with."""
    fields: Fields = {"time": stamp, "level": level, "logger": logger, "message": message}
    current = request_id.get()
    if current:
        fields["request_id"] = current
    return fields


class LineFormatter(logging.Formatter, ABC):
    """Formats an event, given as fields, as one line."""

    @abstractmethod
    def stamp(self, created: float) -> str:
        """Return the time of an event, given in seconds since the epoch."""

    @abstractmethod
    def line(self, fields: Fields) -> str:
        """Return one line without a line break, whatever the fields contain."""

    def fields_of(self, record: logging.LogRecord) -> Fields:
        """Return the fields to log: the standard ones, then those passed with `extra=`."""
        fields = _standard_fields(
            self.stamp(record.created), record.levelname.lower(), record.name, record.getMessage()
        )
        fields.update({k: v for k, v in record.__dict__.items() if k not in _STANDARD})
        return fields


class JsonFormatter(LineFormatter):
    """One JSON object per line, with the time in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record, with its traceback in the field `exception`."""
        fields = self.fields_of(record)
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return self.line(fields)

    def stamp(self, created: float) -> str:
        """Return date and time in UTC, to the millisecond."""
        whole = int(created)
        return f"{_utc_second(whole)}.{int(1000 * (created - whole)):03}Z"

    def line(self, fields: Fields) -> str:
        """Return the fields as a JSON object."""
        try:
            return orjson.dumps(fields, default=str).decode()
        except (TypeError, orjson.JSONEncodeError):  # usually a lone surrogate
            safe = {k: ascii(v) if isinstance(v, str) else str(v) for k, v in fields.items()}
            return orjson.dumps(safe).decode()


class TextFormatter(LineFormatter):
    """Lines for a terminal: local time, level, message, then the other fields as `key=value`.

    `19:33:49 INFO     POST /predict 200 in 1.3 ms  request_id=5f3c9c21d0aa17be`
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and, indented below it, the traceback."""
        fields = self.fields_of(record)
        traces = [str(fields.pop(_TRACE))] if _TRACE in fields else []
        if record.exc_info:
            traces.append(self.formatException(record.exc_info))
        lines = [self.line(fields)]
        # Indented and escaped, so that the text of an exception cannot look like another event.
        lines += [f"    {_escaped(line)}" for trace in traces for line in trace.splitlines()]
        return "\n".join(lines)

    def stamp(self, created: float) -> str:
        """Return the local time of day."""
        return _local_second(int(created))

    def line(self, fields: Fields) -> str:
        """Return a message followed by `key=value` pairs; fields that are None are left out."""
        message, in_head = None, _IN_ACCESS_HEAD
        if fields["logger"] == _ACCESS:
            message = _access_message(fields)
        if message is None:
            message, in_head = _escaped(fields["message"]), _IN_HEAD
        pairs = [
            f"{key}={_plain(value)}"
            for key, value in fields.items()
            if key not in in_head and value is not None
        ]
        tail = f"  {' '.join(pairs)}" if pairs else ""
        return f"{fields['time']} {fields['level'].upper():8} {message}{tail}"


def _access_message(fields: Fields) -> str | None:
    """Describe a request, or return None if a field is missing."""
    try:
        method, path, status, ms = _access_values(fields)
    except KeyError:
        return None
    duration = f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"
    return f"{_plain(method)} {_plain(path)} {status} in {duration} ms"


def _plain(value: object) -> str:
    """Return a value as it is, or in double quotes where that could be misread."""
    text = str(value)
    if _matches_bare(text):
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_escaped(quoted)}"'


def _escaped(text: str) -> str:
    """Escape control characters, line breaks and everything else that is not printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class EventLog:
    """Log for one kind of event that occurs thousands of times per second.

    If the service's own handler is the only one, the line is written without creating a log record,
    which would double the cost of the line. Otherwise the event is logged like any other.
    """

    def __init__(self, name: str, message: str) -> None:
        self._logger = logging.getLogger(name)
        self._message = message

    def write(self, **fields: Any) -> None:
        """Log one event at level INFO."""
        if not self._logger.isEnabledFor(logging.INFO):
            return
        handler = _only_handler()
        if handler is None:
            self._logger.info(self._message, extra=fields)
            return
        formatter = handler.formatter
        assert isinstance(formatter, LineFormatter)
        stamp = formatter.stamp(time.time())
        found = _standard_fields(stamp, "info", self._logger.name, self._message)
        found.update(fields)
        line = formatter.line(found) + "\n"
        closed = contextlib.suppress(OSError, ValueError)  # a closed log must not fail the request
        with handler.lock, closed:
            handler.stream.write(line)
            handler.flush()


class _StderrHandler(logging.StreamHandler[Any]):
    """The handler that `configure_logging` installs; a class of its own to recognize it by."""

    lock: Any


def _only_handler() -> _StderrHandler | None:
    handlers = logging.root.handlers
    first = handlers[0] if len(handlers) == 1 else None
    return first if isinstance(first, _StderrHandler) else None


def configure_logging(style: str, level: str) -> None:
    """Send all log lines, those of the web server and of Dask included, to standard error.

    `style` is `json`, `text`, or `auto`: text if standard error is a terminal, JSON otherwise.
    """
    if style == "auto":
        style = "text" if sys.stderr.isatty() else "json"
    # No line contains these, so do not look them up for each log record: that takes microseconds.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    handler = _StderrHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = name != "uvicorn.access"  # `app.api.recording` logs requests instead
