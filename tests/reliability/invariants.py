"""What must hold after every fault, checked by the one function that all tests share.

    I1  what was acknowledged is there, and not older than what was acknowledged
    I2  what is served is what some version was trained to give, to the byte, never a mixture
    I3  ready again within ten seconds; only documented status codes
    I4  temporary files, descriptors, memory and rows do not grow; every job has one end

A test sees a store from outside (`tests.reliability.over_http`) or from inside
(`tests.reliability.over_store`); both are a `View`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

#: Seconds after which a server must be ready again.
READY_SECONDS = 10.0
ENDED = ("succeeded", "failed", "cancelled")

Version = tuple[str, int]


@dataclass
class Ledger:
    """What was acknowledged, and what was asked for."""

    expected: dict[int, bytes] = field(default_factory=dict)
    """Seed of the data -> what a version that was trained with them gives."""
    trained: dict[Version, int] = field(default_factory=dict)
    """Acknowledged versions -> seed of their data."""
    asked_to_delete: set[Version] = field(default_factory=set)
    deleted: set[Version] = field(default_factory=set)
    cancelled: set[str] = field(default_factory=set)
    """Jobs that were acknowledged to be cancelled: nothing may come of them."""
    queued: set[str] = field(default_factory=set)
    """Jobs that were acknowledged to be queued: none may vanish."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class View(Protocol):
    """A store, looked at from somewhere."""

    def versions(self) -> set[Version]:
        """All versions that are listed."""
        ...

    def fingerprint(self, version: Version) -> bytes | None:
        """What a version gives; None if there is no such version; b"" if it is not whole."""
        ...

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs: id, state, model, version (or None)."""
        ...

    def leftovers(self) -> list[str]:
        """Files that nothing refers to."""
        ...


def violations(view: View, ledger: Ledger, *, settled: bool = True) -> list[str]:
    """Everything that contradicts the invariants; `settled` if nothing is in flight any more."""
    found = [*_versions(view, ledger), *_jobs(view, ledger, settled)]
    if settled:
        found += [f"I4: left behind: {name}" for name in view.leftovers()]
    return found


def _versions(view: View, ledger: Ledger) -> Iterable[str]:
    whole = set(ledger.expected.values())
    listed = view.versions()
    for version in sorted(listed | ledger.trained.keys() | ledger.deleted):
        given = view.fingerprint(version)
        if version in ledger.deleted:
            if given is not None or version in listed:
                yield f"I1: {version} was deleted and is there"
        elif version in ledger.asked_to_delete and given is None and version not in listed:
            continue
        elif given is None:
            yield f"I1: {version} was acknowledged and is gone"
        elif version not in listed:
            yield f"I1: {version} answers and is not listed"
        elif given not in whole:
            yield f"I2: {version} gives {given[:60]!r}, which no data give"
        elif version in ledger.trained and given != ledger.expected[ledger.trained[version]]:
            yield f"I2: {version} gives what another version was trained to give"


def _jobs(view: View, ledger: Ledger, settled: bool) -> Iterable[str]:
    jobs = view.jobs()
    ids = Counter(job["id"] for job in jobs)
    yield from (f"I4: job {job} is there {n} times" for job, n in ids.items() if n > 1)
    yield from (f"I1: job {job} was queued and is gone" for job in ledger.queued - ids.keys())
    made = Counter((job["model"], job["version"]) for job in jobs if job["version"] is not None)
    yield from (f"I4: {version} was made by {n} jobs" for version, n in made.items() if n > 1)
    for job in jobs:
        state, version = job["state"], job["version"]
        if settled and state not in ENDED:
            yield f"I4: job {job['id']} has not ended: {state}"
        if (version is not None) != (state == "succeeded"):
            yield f"I4: job {job['id']} has {state} with version {version}"
        if job["id"] in ledger.cancelled and state != "cancelled":
            yield f"I1: job {job['id']} was cancelled and is {state}"
    known = made.keys() | ledger.asked_to_delete
    yield from (f"I4: {version} has no job that made it" for version in view.versions() - known)


@dataclass(frozen=True)
class Resources:
    """What a server holds."""

    descriptors: int
    resident: int
    """Bytes."""
    files: int
    """Temporary and spooled files."""


def growth(
    before: Resources, after: Resources, *, descriptors: int = 8, resident: int = 64 * 1024**2
) -> list[str]:
    """I4: what has grown by more than it may."""
    limits: Mapping[str, int] = {"descriptors": descriptors, "resident": resident, "files": 0}
    return [
        f"I4: {name} grew from {getattr(before, name)} to {getattr(after, name)}"
        for name, limit in limits.items()
        if getattr(after, name) > getattr(before, name) + limit
    ]
