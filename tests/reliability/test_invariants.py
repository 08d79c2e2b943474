"""The checker of the invariants reports every kind of violation, and none for a correct store."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reliability.invariants import Ledger, Resources, growth, violations

GOOD, OTHER = b"response of version 1", b"response of version 2"


class Fake:
    """A view of a store with the contents that a test sets."""

    def __init__(self, **changes: Any) -> None:
        self.served: dict[tuple[str, int], bytes] = {("m", 1): GOOD, ("m", 2): OTHER}
        self.made = [job("a", version=1), job("b", version=2), job("c", "cancelled")]
        self.left: list[str] = []
        self.__dict__.update(changes)

    def versions(self) -> set[tuple[str, int]]:
        return set(self.served)

    def fingerprint(self, version: tuple[str, int]) -> bytes | None:
        return self.served.get(version)

    def jobs(self) -> list[dict[str, Any]]:
        return self.made

    def leftovers(self) -> list[str]:
        return self.left


def job(name: str, state: str = "succeeded", version: int | None = None) -> dict[str, Any]:
    return {"id": name, "state": state, "model": "m", "version": version}


def ledger() -> Ledger:
    return Ledger(
        expected={0: GOOD, 1: OTHER},
        trained={("m", 1): 0, ("m", 2): 1},
        cancelled={"c"},
        queued={"a", "c"},
    )


def test_a_correct_store_has_no_violations() -> None:
    assert violations(Fake(), ledger()) == []


JOBS = [job("a", version=1), job("b", version=2)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Fake(served={("m", 1): GOOD}), "I1: ('m', 2) was acknowledged, but is missing"),
        (
            Fake(served={("m", 1): GOOD, ("m", 2): GOOD}),
            "I2: ('m', 2) gives the response of another",
        ),
        (Fake(served={("m", 1): GOOD, ("m", 2): b"mix"}), "I2: ('m', 2) gives b'mix'"),
        (Fake(served={**Fake().served, ("m", 3): GOOD}), "I4: ('m', 3) was not created by any job"),
        (Fake(made=[*JOBS, job("c", "cancelled"), job("d", "running")]), "I4: job d has not ended"),
        (Fake(made=[*JOBS, job("c", "failed")]), "I1: job c was cancelled, but is failed"),
        (Fake(made=JOBS), "I1: job c was queued, but is missing"),
        (Fake(made=[*Fake().made, job("d", version=2)]), "I4: ('m', 2) was created by 2 jobs"),
        (Fake(made=[*Fake().made, Fake().made[0]]), "I4: job a is listed 2 times"),
        (Fake(made=[*Fake().made, job("d", "succeeded")]), "I4: job d is succeeded with"),
        (Fake(left=["tmp/x"]), "I4: leftover file: tmp/x"),
    ],
)
def test_each_violation_is_reported(wrong: Fake, said: str) -> None:
    assert any(text.startswith(said) for text in violations(wrong, ledger()))


def test_a_deleted_version_must_be_gone() -> None:
    known = ledger()
    known.asked_to_delete.add(("m", 2))
    # Requested but not acknowledged: both states are allowed.
    assert violations(Fake(), known) == []
    assert violations(Fake(served={("m", 1): GOOD}), known) == []
    known.deleted.add(("m", 2))
    assert violations(Fake(), known) == ["I1: ('m', 2) was deleted, but is present"]


def test_growth() -> None:
    before = Resources(descriptors=20, resident=10**8, files=0)
    assert growth(before, before) == []
    assert len(growth(before, Resources(100, 10**9, 3))) == 3
