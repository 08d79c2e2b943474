"""D7, L: a soak test, and requests at a constant rate."""

from __future__ import annotations

import asyncio
import time

import httpx
import numpy as np

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.over_http import PROBE, resources_of
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

MIB = 1024**2
#: Maximum memory growth in bytes per 10,000 predictions, after the warm-up.
SLOPE = 1.0 * MIB
DESCRIPTORS = 8
#: Number of predictions between two trainings, whose model is deleted again.
EVERY = 200


@row(
    "D7",
    "soak test; a case is a prediction, with a training every 200",
    full=100_000,
    quick=1000,
)
def soak(run: Run) -> None:
    """After the warm-up, neither memory nor the numbers of descriptors and files grow."""
    with (
        make_server(run.new_folder("home"), access_log="false") as server,
        server.client() as client,
    ):
        assert client.post("/train", json=training("kept")).status_code == 201
        samples: list[tuple[int, int]] = []
        first = None
        for number in range(run.wanted):
            found = client.post("/predict", json={"model": "kept", "X": PROBE})
            run.add_case(
                [] if found.status_code == 200 else [f"I3: a prediction gets {found.status_code}"]
            )
            if number % EVERY == EVERY - 1:
                run.add_violations(*_come_and_go(client, number))
            if number % (run.wanted // 20) == 0:
                now = resources_of(server)
                samples.append((number, now.resident))
                if number >= run.wanted // 4 and first is None:
                    first = now
                if first is not None and now.descriptors > first.descriptors + DESCRIPTORS:
                    run.add_violations(f"I4: descriptors {first.descriptors} -> {now.descriptors}")
        warm = samples[len(samples) // 4 :]
        slope = float(np.polyfit(*zip(*warm, strict=True), 1)[0]) * 10_000
        run.facts["largest growth in MB per 10,000 predictions"] = round(slope / MIB, 3)
        # A short run consists of warm-up only, so its growth is not limited.
        if slope > SLOPE and run.wanted >= 20_000:
            run.add_violations(f"I4: memory grows by {slope / MIB:.2f} MB per 10,000 predictions")


def _come_and_go(client: httpx.Client, number: int) -> list[str]:
    trained = client.post("/train", json=training("passing", seed=number % 4))
    deleted = client.delete("/models/passing")
    statuses = trained.status_code, deleted.status_code
    return [] if statuses == (201, 204) else [f"I3: training and deletion get {statuses}"]


#: Predictions per second.
RATES = (50, 100, 200)
#: Limit of the 99th percentile of the latency in seconds, measured from the scheduled time.
P99 = 0.25


@row("L", "predictions at a constant rate; a case is a request", full=10_500, quick=100)
def constant_rate(run: Run) -> None:
    """Every request gets a response; latency is measured from the scheduled time of a request."""
    with make_server(run.new_folder("home"), workers=2, access_log="false") as server:
        with server.client() as client:
            assert client.post("/train", json=training("m")).status_code == 201
            for _ in range(50):
                client.post("/predict", json={"model": "m", "X": PROBE})
        full = run.wanted > 1000
        for rate in RATES if full else RATES[:1]:
            seconds = run.wanted / sum(RATES) if full else run.wanted / rate
            waits = asyncio.run(_send(server, rate, seconds))
            for wait in waits:
                run.add_case([] if wait is not None else ["I3: no response with 200"], f"{rate}/s")
            known = sorted(wait for wait in waits if wait is not None)
            p99 = known[int(0.99 * len(known))] if known else float("inf")
            run.facts[f"p99 in ms at {rate}/s"] = round(1000 * p99, 1)
            if full and p99 > P99:
                run.add_violations(f"I3: p99 at {rate}/s is {1000 * p99:.0f} ms")


async def _send(server: Server, rate: int, seconds: float) -> list[float | None]:
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(
        base_url=server.url, timeout=30, limits=limits, verify=False
    ) as client:

        async def one(due: float) -> float | None:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            try:
                found = await client.post("/predict", json={"model": "m", "X": PROBE})
            except httpx.TransportError:
                return None
            return time.monotonic() - due if found.status_code == 200 else None

        began = time.monotonic() + 0.2
        count = int(rate * seconds)
        return await asyncio.gather(*(one(began + i / rate) for i in range(count)))
