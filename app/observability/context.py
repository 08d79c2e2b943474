"""The id of the current request, for log lines and problem responses."""

from __future__ import annotations

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("frtsvm_request_id", default="")
