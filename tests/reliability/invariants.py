"""Invariants that must hold after every fault, and the function that checks them for all tests.

    I1  every acknowledged change is present, and no older state has replaced it
    I2  every response comes from one complete version, to the byte, never from a mixture
    I3  the service is ready again within ten seconds and returns only documented status codes
    I4  temporary files, descriptors, memory and rows do not accumulate; every job ends exactly once

A test views a store from outside (`tests.reliability.over_http`) or from inside
(`tests.reliability.over_store`); both implement `View`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

#: Seconds within which a server must be ready again.
READY_SECONDS = 10.0
ENDED = ("succeeded", "failed", "cancelled")

Version = tuple[str, int]


@dataclass
class Ledger:
    """Record of the requested and acknowledged changes, shared by the clients of a test."""

    expected: dict[int, bytes] = field(default_factory=dict)
    """Seed of the data -> response of a version that was trained on them."""
    trained: dict[Version, int] = field(default_factory=dict)
    """Acknowledged versions -> seed of their data."""
    asked_to_delete: set[Version] = field(default_factory=set)
    deleted: set[Version] = field(default_factory=set)
    cancelled: set[str] = field(default_factory=set)
    """Jobs whose cancellation was acknowledged; they must not create a version."""
    queued: set[str] = field(default_factory=set)
    """Jobs that were acknowledged as queued; none may disappear."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class View(Protocol):
    """View of a store, from outside or inside."""

    def versions(self) -> set[Version]:
        """All listed versions."""
        ...

    def fingerprint(self, version: Version) -> bytes | None:
        """Response or digest of a version, a problem description if incomplete, None if missing."""
        ...

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs with id, state, model and version (or None)."""
        ...

    def leftovers(self) -> list[str]:
        """Files that no version or job refers to."""
        ...


def violations(view: View, ledger: Ledger, *, settled: bool = True) -> list[str]:
    """Check the invariants; `settled` means that no request or job is in progress."""
    found = [*_versions(view, ledger), *_jobs(view, ledger, settled)]
    if settled:
        found += [f"I4: leftover file: {name}" for name in view.leftovers()]
    return found


def _versions(view: View, ledger: Ledger) -> Iterable[str]:
    whole = set(ledger.expected.values())
    listed = view.versions()
    for version in sorted(listed | ledger.trained.keys() | ledger.deleted):
        given = view.fingerprint(version)
        if version in ledger.deleted:
            if given is not None or version in listed:
                yield f"I1: {version} was deleted, but is present"
        elif version in ledger.asked_to_delete and given is None and version not in listed:
            continue
        elif given is None:
            yield f"I1: {version} was acknowledged, but is missing"
        elif version not in listed:
            yield f"I1: {version} responds, but is not listed"
        elif given not in whole:
            yield f"I2: {version} gives {given[:60]!r}, which no complete version gives"
        elif version in ledger.trained and given != ledger.expected[ledger.trained[version]]:
            yield f"I2: {version} gives the response of another version"


def _jobs(view: View, ledger: Ledger, settled: bool) -> Iterable[str]:
    jobs = view.jobs()
    ids = Counter(job["id"] for job in jobs)
    yield from (f"I4: job {job} is listed {n} times" for job, n in ids.items() if n > 1)
    yield from (f"I1: job {job} was queued, but is missing" for job in ledger.queued - ids.keys())
    made = Counter((job["model"], job["version"]) for job in jobs if job["version"] is not None)
    yield from (f"I4: {version} was created by {n} jobs" for version, n in made.items() if n > 1)
    for job in jobs:
        state, version = job["state"], job["version"]
        if settled and state not in ENDED:
            yield f"I4: job {job['id']} has not ended: {state}"
        if (version is not None) != (state == "succeeded"):
            yield f"I4: job {job['id']} is {state} with version {version}"
        if job["id"] in ledger.cancelled and state != "cancelled":
            yield f"I1: job {job['id']} was cancelled, but is {state}"
    known = made.keys() | ledger.asked_to_delete
    yield from (f"I4: {version} was not created by any job" for version in view.versions() - known)


@dataclass(frozen=True)
class Resources:
    """Resources of a server."""

    descriptors: int
    resident: int
    """Bytes."""
    files: int
    """Number of temporary and spooled files."""


def growth(
    before: Resources, after: Resources, *, descriptors: int = 8, resident: int = 64 * 1024**2
) -> list[str]:
    """Check I4: report resources that have grown by more than the limit."""
    limits: Mapping[str, int] = {"descriptors": descriptors, "resident": resident, "files": 0}
    return [
        f"I4: {name} grew from {getattr(before, name)} to {getattr(after, name)}"
        for name, limit in limits.items()
        if getattr(after, name) > getattr(before, name) + limit
    ]
