"""One line per event. As JSON, every line is one object, whatever the caller put into it."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Any

import orjson

from app.observability.context import request_id

#: What every record has; anything beyond it came with `extra=`.
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "color_message"}


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The parts of a log record that are worth a field."""
    stamp = datetime.fromtimestamp(record.created, UTC)
    fields: dict[str, Any] = {
        "time": f"{stamp.isoformat(timespec='milliseconds')[:-6]}Z",
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": record.getMessage(),
    }
    current = request_id.get()
    if current:
        fields["request_id"] = current
    fields.update({k: v for k, v in record.__dict__.items() if k not in _STANDARD})
    return fields


class JsonFormatter(logging.Formatter):
    """A JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Whatever is in the record, on one line."""
        fields = fields_of(record)
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        try:
            return orjson.dumps(fields, default=str).decode()
        except (TypeError, orjson.JSONEncodeError):  # lone surrogates, mostly
            safe = {k: ascii(v) if isinstance(v, str) else str(v) for k, v in fields.items()}
            return orjson.dumps(safe).decode()


class TextFormatter(logging.Formatter):
    """For people who watch."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message, then the fields."""
        fields = fields_of(record)
        head = f"{fields.pop('time')} {fields.pop('level'):7} {fields.pop('message')}"
        fields.pop("logger")
        tail = " ".join(f"{key}={value!r}" for key, value in fields.items())
        line = f"{head}  {tail}".rstrip().replace("\n", "\\n").replace("\r", "\\r")
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def configure_logging(style: str, level: str) -> None:
    """Send everything, the web server's lines included, to standard error."""
    # What no line of ours tells is not looked up: it would be most of the cost of a line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = name != "uvicorn.access"  # the middleware has a better line
