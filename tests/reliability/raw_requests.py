"""A2: a corpus of hostile requests on raw sockets, sent to one worker and to two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from app.api.problems import MAX_BYTES
from app.memory import KEPT_BYTES
from tests.app.data import training
from tests.app.server import Server
from tests.reliability.corpus import Hostile, corpus
from tests.reliability.invariants import growth
from tests.reliability.over_http import resources_of
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server
from tests.reliability.wire import send

#: Seconds until the server must have responded or closed the connection.
HANGS = 10.0
#: Maximum memory growth in bytes, in addition to the memory that a process keeps deliberately.
RESIDENT = 50 * 1024**2 + KEPT_BYTES


def violations_of(server: Server, case: Hostile) -> list[str]:
    """Violations in the response to one request."""
    reply = send(server.port, case.raw, HANGS)
    found = []
    if reply.hung:
        found.append(f"I3: no response within {HANGS:g} s")
    elif reply.status not in case.allowed:
        found.append(f"I3: responds with {reply.status}: {reply.body[:200]!r}")
    if reply.status >= 400 and len(reply.body) > MAX_BYTES:
        found.append(f"I3: error response of {len(reply.body)} bytes")
    return found


def small_server(run: Run, workers: int) -> Server:
    """Server with short timeouts, so that incomplete requests end quickly."""
    return make_server(
        run.new_folder("home"), workers=workers, header_timeout=1, body_timeout=1, queue_size=64
    )


@row("A2", "hostile requests on raw sockets, to one worker and to two", full=482, quick=241)
def hostile_requests(run: Run) -> None:
    """Send the whole corpus to one worker; a full run also sends it to two."""
    cases = corpus()
    for workers in (1, 2)[: max(1, round(run.wanted / len(cases)))]:
        with small_server(run, workers) as server, server.client() as client:
            assert client.post("/train", json=training("m")).status_code == 201
            with ThreadPoolExecutor(8) as pool:
                before = None
                for _ in range(
                    2
                ):  # the first round warms up, the second checks that memory does not grow
                    results = list(pool.map(lambda case: violations_of(server, case), cases))
                    for case, found in zip(cases, results, strict=True):
                        if before is None:
                            run.add_case(found, case.name)
                        else:
                            run.add_violations(*(f"{case.name}: {text}" for text in found))
                    now = resources_of(server)
                    if before is not None:
                        run.add_violations(*growth(before, now, resident=RESIDENT))
                    before = now
            if client.get("/readyz").status_code != 200:
                run.add_violations("I3: the server is not ready afterwards")
            response = client.post("/predict", json={"model": "m", "X": [[0.0, 0.0]]})
            if response.status_code != 200:
                run.add_violations("I3: the server does not predict afterwards")
