"""View of a store through the HTTP interface of a real server."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import httpx

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.invariants import (
    ENDED,
    READY_SECONDS,
    Ledger,
    Resources,
    Version,
    violations,
)

N_SEEDS = 4
PROBE = [[-2.0, -2.0], [0.1, -0.3], [2.0, 2.5], [0.0, 0.0]]
PAGE = 1000


def response_part(content: bytes) -> bytes:
    """Body of a prediction without the name and number of the version."""
    return content.partition(b'"labels"')[2]


def response_bytes(client: httpx.Client, model: str, version: int) -> bytes | int:
    """Response of a version to the probe, without name and number; the status if it is not 200."""
    found = client.post("/predict", json={"model": model, "version": version, "X": PROBE})
    return response_part(found.content) if found.status_code == 200 else found.status_code


class HttpView:
    """View of a store through HTTP, and through the home folder of the server."""

    def __init__(self, client: httpx.Client, home: Path) -> None:
        self._client = client
        self._home = home

    def versions(self) -> set[Version]:
        """All versions of all models."""
        found: set[Version] = set()
        for model in self._pages("/models"):
            name = model["model"]
            for item in self._pages(f"/models/{name}", "versions"):
                found.add((name, item["version"]))
        return found

    def fingerprint(self, version: Version) -> bytes | None:
        """Response to the probe, if the memberships are available too."""
        response = response_bytes(self._client, *version)
        evidence = self._client.get("/models/{}/versions/{}/memberships?limit=1".format(*version))
        if isinstance(response, bytes) and evidence.status_code == 200:
            return response
        if response == 404 and evidence.status_code == 404:
            return None
        return f"incomplete: prediction {response!r}, memberships {evidence.status_code}".encode()

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs in the job history."""
        return [
            {**job, "version": job["result"]["version"] if job["result"] else None}
            for job in self._pages("/jobs")
        ]

    def leftovers(self) -> list[str]:
        """Temporary files, data of ended jobs, and artifacts in excess of two per version."""
        waiting = {job["id"] for job in self._pages("/jobs") if job["state"] not in ENDED}
        found = [path for path in (self._home / "spool").iterdir() if path.stem not in waiting]
        found += [] if waiting else list((self._home / "tmp").iterdir())
        artifacts = list((self._home / "artifacts").iterdir())
        # Two files per version, or fewer, because versions share equal files.
        found += artifacts[2 * len(self.versions()) :]
        return [str(path.relative_to(self._home)) for path in found]

    def _pages(self, path: str, key: str = "items") -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        while True:
            found = self._client.get(path, params={"limit": PAGE, "offset": len(items)})
            if found.status_code == 404:
                return items
            page = found.raise_for_status().json()[key]
            items += page
            if len(page) < PAGE:
                return items


def train_reference_versions(server: Server, ledger: Ledger) -> None:
    """Train each data set once, and record the response of its version in the ledger."""
    with server.client() as client:
        for seed in range(N_SEEDS):
            found = client.post("/train", json=training("alpha", seed=seed))
            assert found.status_code == 201, found.text
            version = found.json()["version"]
            ledger.trained["alpha", version] = seed
            response = response_bytes(client, "alpha", version)
            deadline = time.monotonic() + 5
            while not isinstance(response, bytes) and time.monotonic() < deadline:
                time.sleep(0.05)  # the planted fault `naive_write` writes the files later
                response = response_bytes(client, "alpha", version)
            assert isinstance(response, bytes)
            ledger.expected[seed] = response


def wait_until_settled(server: Server, seconds: float = 40.0) -> list[str]:
    """Wait until every job has ended and all leftovers are removed; return a violation if not."""
    deadline = time.monotonic() + seconds
    with server.client() as client:
        view = HttpView(client, server.home)
        while True:
            open_jobs = [job["id"] for job in view.jobs() if job["state"] not in ENDED]
            if not open_jobs and not view.leftovers():
                return []
            if time.monotonic() > deadline:
                return [f"I4: jobs or leftovers remain after {seconds:g} s: {len(open_jobs)} jobs"]
            time.sleep(0.1)


def check(server: Server, ledger: Ledger) -> list[str]:
    """Wait until no job is in progress, then check all invariants from outside."""
    found = wait_until_settled(server)
    with server.client() as client:
        return found + violations(HttpView(client, server.home), ledger)


def restart(server: Server) -> list[str]:
    """Restart a killed server and check I3. Time spent waiting for a CPU core is subtracted."""
    began = time.monotonic()
    server.start()
    seconds = time.monotonic() - began - _waited(server.pid)
    seconds -= max(map(_waited, server.pids()[1:]), default=0.0)
    return (
        [f"I3: the server is ready only after {seconds:.1f} s"] if seconds > READY_SECONDS else []
    )


def _waited(pid: int) -> float:
    """Seconds that a process was runnable, but waited for a CPU core."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def resources_of(server: Server) -> Resources:
    """Resources of all serving processes, without those of trainings."""
    descriptors = resident = 0
    for pid in server.pids():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"forkserver" in command or b"resource_tracker" in command:
                continue
            descriptors += len(list(Path(f"/proc/{pid}/fd").iterdir()))
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
        resident += pages * 4096
    files = sum(1 for name in ("tmp", "spool") for _ in (server.home / name).iterdir())
    return Resources(descriptors, resident, files)


class StatusCodes:
    """Status codes that the OpenAPI document of a server allows (I3)."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._paths = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), operations)
            for path, operations in document["paths"].items()
        ]

    def allows(self, method: str, path: str, status: int) -> bool:
        """Whether the document allows this status for this call."""
        found = [operations for pattern, operations in self._paths if pattern.fullmatch(path)]
        if not found:
            return status in (404, 405)
        methods = {name: said for operations in found for name, said in operations.items()}
        if method.lower() not in methods:
            return status in (404, 405)
        return str(status) in methods[method.lower()]["responses"]
