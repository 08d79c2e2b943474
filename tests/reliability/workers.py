"""E2: one of two workers is killed or suspended under load."""

from __future__ import annotations

import os
import signal
import threading
import time

import httpx

from app.api.server import WORKER_HEALTH_TIMEOUT
from tests.app.server import Server
from tests.reliability.invariants import Ledger
from tests.reliability.kills import victims
from tests.reliability.over_http import PROBE, check, response_part, train_reference_versions
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

CLIENTS = 4
#: Seconds until two workers must exist again, with a tolerance for a busy machine.
REPLACED = {"killed": 15.0, "suspended": WORKER_HEALTH_TIMEOUT + 20.0}


class _Clients:
    """Clients that send predictions, each only one at a time."""

    def __init__(self, server: Server, ledger: Ledger, pause: float) -> None:
        self._pause = pause
        self._server = server
        self._whole = set(ledger.expected.values())
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(CLIENTS)]
        self.n_responses = 0
        self.broken = 0
        self.violations: list[str] = []

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._server.client() as client:  # a new connection may reach the other worker
                    for _ in range(5):
                        found = client.post(
                            "/predict", json={"model": "alpha", "X": PROBE}, timeout=30
                        )
                        self.n_responses += 1
                        if (
                            found.status_code != 200
                            or response_part(found.content) not in self._whole
                        ):
                            self.violations.append(
                                f"I2: a prediction gets {found.status_code} or a wrong body"
                            )
                        time.sleep(self._pause)
            except httpx.TransportError:
                self.broken += 1

    def __enter__(self) -> _Clients:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


@row("E2", "one of two workers killed or suspended under load", full=50, quick=3, part=25)
def workers(run: Run) -> None:
    """The worker is replaced soon, and at most the requests in flight are lost."""
    ledger = Ledger()
    # A suspended worker is detected after 30 s. Short runs pause between requests to save CPU time.
    pause = 0.0 if run.wanted >= 10 else 0.02
    with make_server(run.new_folder("home"), workers=2, shutdown_grace=2) as server:
        train_reference_versions(server, ledger)
        for number in range(run.wanted):
            kind = ("killed", "suspended")[number % 2]
            with _Clients(server, ledger, pause) as clients:
                time.sleep(0.5)
                found = _lose_one(server, kind)
                time.sleep(0.5)
            found += clients.violations
            if clients.broken > CLIENTS:
                found.append(
                    f"I3: {clients.broken} requests were lost, but only {CLIENTS} were in flight"
                )
            run.count("predictions", clients.n_responses)
            run.count("requests lost in flight", clients.broken)
            run.add_case(found + check(server, ledger), f"{number}: {kind}")


def _lose_one(server: Server, kind: str) -> list[str]:
    before = set(_workers(server))
    victim = min(before)
    os.kill(victim, signal.SIGKILL if kind == "killed" else signal.SIGSTOP)
    began = time.monotonic()
    while len(now := set(_workers(server)) - {victim}) < 2:
        if time.monotonic() - began > REPLACED[kind]:
            return [
                f"I3: the worker was not replaced within {REPLACED[kind]:g} s: {before} -> {now}"
            ]
        time.sleep(0.05)
    server.wait_until_ready()
    return []


def _workers(server: Server) -> list[int]:
    return victims(server, "workers")
