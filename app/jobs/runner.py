"""Interfaces of the job engines."""

from __future__ import annotations

from typing import Protocol


class JobRunner(Protocol):
    """Receives notifications about jobs.

    The database row of a job is authoritative; a notification only makes the engine react sooner.
    """

    def submit(self, job: str) -> None:
        """Notify the engine that a job was queued."""
        ...

    def cancel(self, job: str) -> None:
        """Notify the engine that the cancellation of a job was requested."""
        ...

    def capacity(self) -> int:
        """Return the number of jobs that could start now."""
        ...


class JobEngine(JobRunner, Protocol):
    """A job runner that can be started and stopped."""

    def start(self) -> None:
        """Start running jobs."""
        ...

    def stop(self, grace: float) -> None:
        """Start no more jobs; stop after at most `grace` seconds."""
        ...
