"""What the service needs of whatever runs its jobs."""

from __future__ import annotations

from typing import Protocol


class JobRunner(Protocol):
    """The row of the job is the truth, a runner only hurries it."""

    def submit(self, job: str) -> None:
        """There is a new job."""
        ...

    def cancel(self, job: str) -> None:
        """The job was asked to end."""
        ...

    def capacity(self) -> int:
        """Jobs that could start now."""
        ...


class JobEngine(JobRunner, Protocol):
    """A runner with a beginning and an end."""

    def start(self) -> None:
        """Begin to take jobs."""
        ...

    def stop(self, grace: float) -> None:
        """Take nothing new, and be gone after that many seconds at the latest."""
        ...
