"""Runs store operations in child processes that may crash, and checks the store after each."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from app.errors import ServiceError
from app.schemas.jobs import JobState
from app.store.store import Store
from tests.reliability.faultfs import Control
from tests.reliability.invariants import Ledger, violations
from tests.reliability.operations import N_SEEDS, Operation, train
from tests.reliability.over_store import StoreView, clean_up, expected_digest


class Driver:
    """A store and the changes that it has acknowledged."""

    def __init__(self, home: Path, url: str, control: Control) -> None:
        self.home = home
        self._given_url = url
        self._control = control
        self.promoted = 0
        self.broken: list[str] = []
        self.ledger = Ledger(expected={seed: expected_digest(seed) for seed in range(N_SEEDS)})

    def open(self) -> Store:
        """Open the store as a server does; without a URL, the database is in the home folder."""
        if self._given_url:  # as with several machines: artifacts in a separate folder
            return Store(self.home, self._given_url, artifacts=str(self.home / "files"))
        return Store(self.home, f"sqlite:///{self.home}/frtsvm.sqlite3")

    def execute(self, operation: Operation, number: int, kind: str, target: int) -> tuple[str, int]:
        """Run an operation in a child process; return its outcome and number of file changes."""
        self._make_room()
        reading, writing = os.pipe()
        self._control.disarm()
        if kind:
            self._control.arm(kind, target)
        child = os.fork()
        if child == 0:
            self._run_child(operation, number, writing)
        os.close(writing)
        with os.fdopen(reading) as said:
            lines = said.read().splitlines()
        _, status = os.waitpid(child, 0)
        count = self._control.count
        self._control.disarm()
        self._note(lines)
        if os.WIFSIGNALED(status):
            return "killed", count
        return ("refused" if os.WEXITSTATUS(status) == 3 else "survived"), count

    def _run_child(self, operation: Operation, number: int, writing: int) -> None:
        os.setpgid(0, 0)  # `faultfs` kills the process group, which must contain only this process
        code = 1

        def report(what: str, *values: Any) -> None:
            os.write(writing, (json.dumps([what, *values]) + "\n").encode())

        try:
            with self.open() as store:
                operation(store, random.Random(number), report)
            code = 0
        except (ServiceError, OSError) as error:
            code = 3
            report("error", f"{type(error).__name__}: {error}")
        except BaseException as error:
            report("broken", f"{type(error).__name__}: {error}")
        os._exit(code)

    def _note(self, lines: list[str]) -> None:
        self.broken = []
        for line in lines:
            what, *values = json.loads(line)
            if what == "trained":
                self.ledger.trained[tuple(values[0])] = values[1]  # type: ignore[index]
            elif what == "deleting":
                self.ledger.asked_to_delete.add(tuple(values[0]))
            elif what == "deleted":
                self.ledger.deleted.add(tuple(values[0]))
            elif what == "promoted":
                self.promoted = values[0][1]
            elif what in ("queued", "cancelled"):
                getattr(self.ledger, what).add(values[0])
            elif what == "broken":
                self.broken.append(values[0])

    def check(self) -> list[str]:
        """Open the store as the next server would; return all violations."""
        found = list(self.broken)
        try:
            with self.open() as store:
                clean_up(store)
                while store.jobs.claim(store.presence.id):  # end all queued jobs
                    pass
                for job in store.jobs.running():
                    store.jobs.end(job.id, job.fence, JobState.FAILED, {"code": "test"})
                found += violations(StoreView(store), self.ledger)
                aliases = store.registry.aliases_of("kept")
                if aliases.get("production", 0) < self.promoted:
                    found.append(
                        f"I1: production was moved to {self.promoted}, but aliases are {aliases}"
                    )
                store.require_ready()
        except Exception as error:
            found.append(f"I3: the store is not usable: {type(error).__name__}: {error}")
        return found

    def _make_room(self) -> None:
        """Keep a few versions to work with, but not so many that checks take long."""
        with self.open() as store:
            while len(_versions_of(store, "kept")) < 3:
                made = train(store, "kept", 0)
                self.ledger.trained[made] = 0
            models, _ = store.registry.page_of_models(1000, 0)
            for model in models:
                if model.name.startswith("model-") and len(models) > 4:
                    store.registry.delete_model(model.name)
                    gone = {v for v in self.ledger.trained if v[0] == model.name}
                    gone |= {(model.name, model.latest)}
                    self.ledger.asked_to_delete |= gone
                    self.ledger.deleted |= gone
            for version in _versions_of(store, "kept")[6:]:
                if version not in store.registry.aliases_of("kept").values():
                    store.registry.delete_version("kept", version)
                    self.ledger.asked_to_delete.add(("kept", version))
                    self.ledger.deleted.add(("kept", version))


def _versions_of(store: Store, model: str) -> list[int]:
    try:
        records, _, _ = store.registry.page_of_versions(model, 1000, 0)
    except ServiceError:
        return []
    return [record.version for record in records]
