"""Which request is being served, for whoever writes a log line."""

from __future__ import annotations

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("frtsvm_request_id", default="")
