"""A2: a corpus of hostile requests on raw sockets, to one worker and to two."""

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

#: Seconds until an answer must be there or the line closed.
HANGS = 10.0
#: Beyond what a process keeps on purpose.
RESIDENT = 50 * 1024**2 + KEPT_BYTES


def violations_of(server: Server, case: Hostile) -> list[str]:
    """What is wrong with the answer to one request."""
    reply = send(server.port, case.raw, HANGS)
    found = []
    if reply.hung:
        found.append(f"I3: no answer within {HANGS:g} s")
    elif reply.status not in case.allowed:
        found.append(f"I3: answered {reply.status}: {reply.body[:200]!r}")
    if reply.status >= 400 and len(reply.body) > MAX_BYTES:
        found.append(f"I3: an error of {len(reply.body)} bytes")
    return found


def small_server(run: Run, workers: int) -> Server:
    """A server with little patience, so that half a request does not take long."""
    return make_server(
        run.new_folder("home"), workers=workers, header_timeout=1, body_timeout=1, queue_size=64
    )


@row("A2", "hostile requests on raw sockets, to one worker and to two", full=482, quick=241)
def hostile_requests(run: Run) -> None:
    """All of the corpus to one worker; the full programme sends it to two as well."""
    cases = corpus()
    for workers in (1, 2)[: max(1, round(run.wanted / len(cases)))]:
        with small_server(run, workers) as server, server.client() as client:
            assert client.post("/train", json=training("m")).status_code == 201
            with ThreadPoolExecutor(8) as pool:
                before = None
                for _ in range(2):  # once to warm up, once to see that memory does not grow
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
                run.add_violations("I3: not ready afterwards")
            answer = client.post("/predict", json={"model": "m", "X": [[0.0, 0.0]]})
            if answer.status_code != 200:
                run.add_violations("I3: does not predict afterwards")
