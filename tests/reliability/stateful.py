"""A4: random sequences of calls, compared with a simple model of the expected state."""

from __future__ import annotations

from typing import Any

import httpx
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.invariants import Ledger, Version, violations
from tests.reliability.over_http import (
    N_SEEDS,
    PROBE,
    HttpView,
    response_bytes,
    response_part,
    restart,
    wait_until_settled,
)
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

NAMES = st.sampled_from(["a", "b"])
STEPS = 30


class Calls(RuleBasedStateMachine):
    """Calls of one client, each with the expected response."""

    server: Server
    expected: dict[int, bytes]
    numbers = 0
    examples = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).examples += 1
        Calls.numbers += 1
        self._prefix = f"r{Calls.numbers}-"  # each example uses its own models
        self.client = self.server.client()
        self.ledger = Ledger(expected=self.expected)
        self.alive: dict[str, dict[int, int]] = {}
        self.last: dict[str, int] = {}
        self.production: dict[str, int] = {}

    @rule(name=NAMES, seed=st.integers(0, N_SEEDS - 1))
    def train(self, name: str, seed: int) -> None:
        """Train: the new version has the next number."""
        model = self._prefix + name
        found = self.client.post("/train", json=training(model, seed=seed))
        assert found.status_code == 201, found.text
        version = found.json()["version"]
        assert version == self.last.get(model, 0) + 1
        self.last[model] = version
        self.alive.setdefault(model, {})[version] = seed
        self.ledger.trained[model, version] = seed

    @rule(name=NAMES)
    def predict(self, name: str) -> None:
        """Predict: the version with the alias `production` responds, or else the newest."""
        model = self._prefix + name
        found = self.client.post("/predict", json={"model": model, "X": PROBE})
        alive = self.alive.get(model)
        if not alive:
            assert found.status_code == 404
            return
        serving = self.production.get(model, max(alive))
        assert found.json()["version"] == serving
        assert response_part(found.content) == self.expected[alive[serving]]

    @precondition(lambda self: any(self.alive.values()))
    @rule(data=st.data())
    def promote(self, data: st.DataObject) -> None:
        """Move the alias `production`."""
        model, version = self._choose(data)
        body = {"version": version}
        found = self.client.put(f"/models/{model}/aliases/production", json=body)
        assert found.status_code == 200
        self.production[model] = version

    @precondition(lambda self: any(self.alive.values()))
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete a version; refused if it has the alias `production`."""
        model, version = self._choose(data)
        found = self.client.delete(f"/models/{model}/versions/{version}")
        if self.production.get(model) == version:
            assert found.status_code == 409
            return
        assert found.status_code == 204
        del self.alive[model][version]
        self.ledger.asked_to_delete.add((model, version))
        self.ledger.deleted.add((model, version))

    @rule(name=NAMES)
    def delete_model(self, name: str) -> None:
        """Delete a model with all versions and aliases; its version numbers are not used again."""
        model = self._prefix + name
        found = self.client.delete(f"/models/{model}")
        alive = self.alive.pop(model, {})
        assert found.status_code == (204 if alive else 404)
        self.production.pop(model, None)
        gone = {(model, version) for version in alive}
        self.ledger.asked_to_delete |= gone
        self.ledger.deleted |= gone

    @rule(name=NAMES, seed=st.integers(0, N_SEEDS - 1))
    def cancel(self, name: str, seed: int) -> None:
        """Cancel a job: it creates no version, unless it has succeeded before the cancellation."""
        model = self._prefix + name
        headers = {"prefer": "respond-async"}
        job = self.client.post("/train", json=training(model, seed=seed), headers=headers)
        assert job.status_code == 202
        name_of_job = job.json()["id"]
        asked = self.client.delete(f"/jobs/{name_of_job}")
        assert asked.status_code in (200, 202, 204, 409), asked.text
        ended = _ended(self.client, name_of_job)
        assert ended["state"] in ("cancelled", "succeeded")
        if ended["state"] == "cancelled":
            self.ledger.cancelled.add(name_of_job)
            return
        version = ended["result"]["version"]
        assert version == self.last.get(model, 0) + 1
        self.last[model] = version
        self.alive.setdefault(model, {})[version] = seed
        self.ledger.trained[model, version] = seed

    def _choose(self, data: st.DataObject) -> Version:
        known = [(model, v) for model, alive in sorted(self.alive.items()) for v in sorted(alive)]
        return data.draw(st.sampled_from(known))

    def teardown(self) -> None:
        """Check all invariants for the models of this example."""
        assert wait_until_settled(self.server) == []
        view = _OwnModels(HttpView(self.client, self.server.home), self._prefix)
        found = violations(view, self.ledger)
        self.client.close()
        assert found == []


class _OwnModels:
    """View of the models of one example."""

    def __init__(self, view: HttpView, prefix: str) -> None:
        self._view = view
        self._prefix = prefix
        self.fingerprint = view.fingerprint
        self.leftovers = view.leftovers

    def versions(self) -> set[Version]:
        return {v for v in self._view.versions() if v[0].startswith(self._prefix)}

    def jobs(self) -> list[dict[str, Any]]:
        return [job for job in self._view.jobs() if job["model"].startswith(self._prefix)]


def _ended(client: httpx.Client, job: str) -> dict[str, Any]:
    import time

    deadline = time.monotonic() + 30
    while True:
        found: dict[str, Any] = client.get(f"/jobs/{job}").json()
        if found["state"] in ("succeeded", "failed", "cancelled"):
            return found
        assert time.monotonic() < deadline
        time.sleep(0.02)


class CallsAndRestarts(Calls):
    """The same calls, with a server that is stopped or killed at random."""

    @precondition(lambda self: any(self.alive.values()))
    @rule(kill=st.booleans())
    def restart(self, kill: bool) -> None:
        """Restart the server: the state does not change."""
        if kill:
            self.server.kill()
        else:
            self.server.stop()
        assert restart(self.server) == []


@row(
    "A4",
    "random sequences of calls, stops and kills, compared with the expected state",
    full=400,
    quick=5,
    part=50,
)
def sequences(run: Run) -> None:
    """Three quarters run on one worker; one quarter on two workers that are restarted at random."""
    few = max(1, run.wanted // 4)
    plan = [(Calls, 1, run.wanted - few), (CallsAndRestarts, 2, few)]
    for number, (machine, workers, wanted) in enumerate(plan):
        server = make_server(run.new_folder("home"), workers, shutdown_grace=2, job_history=100_000)
        with server:
            expected = _train_reference_versions(server)
            kind = type(machine.__name__, (machine,), {"server": server, "expected": expected})
            kind.examples = 0  # type: ignore[attr-defined]
            chosen = settings(
                max_examples=wanted,
                stateful_step_count=STEPS if run.wanted >= 50 else 10,
                deadline=None,
                database=None,
                derandomize=False,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
                print_blob=False,
            )
            found = []
            try:
                _seeded(run.seed * 2 + number, kind, chosen)
            except Exception as error:
                found = [f"{type(error).__name__}: {str(error)[:1000]}"]
            for _ in range(kind.examples):  # type: ignore[attr-defined]
                run.add_case()
            run.add_violations(*found)


def _seeded(seed: int, kind: Any, chosen: settings) -> None:
    import random

    from hypothesis import seed as seeded

    random.seed(seed)
    test = kind.TestCase
    test.settings = chosen
    run_state_machine_as_test(seeded(seed)(kind), settings=chosen)


def _train_reference_versions(server: Server) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    with server.client() as client:
        for seed in range(N_SEEDS):
            made = client.post("/train", json=training("reference", seed=seed)).json()
            response = response_bytes(client, "reference", made["version"])
            assert isinstance(response, bytes)
            found[seed] = response
    return found
