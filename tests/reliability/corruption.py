"""B1: stored files with a changed bit, a missing part, or the contents of another model."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from app.store.store import Store
from tests.reliability.invariants import Ledger, violations
from tests.reliability.operations import train
from tests.reliability.over_store import StoreView, expected_digest
from tests.reliability.programme import Run, row

STEP = 64


def _damages(
    chance: random.Random, contents: bytes, other: bytes, wanted: int
) -> Iterator[tuple[str, bytes]]:
    """Damaged contents: changed bits, cuts at every multiple of 64 bytes, and six special cases."""
    cuts = range(0, len(contents), STEP)
    for at in chance.sample(range(len(contents)), min(wanted - len(cuts) - 6, len(contents))):
        changed = bytearray(contents)
        changed[at] ^= 1 << chance.randrange(8)
        yield f"bit at {at}", bytes(changed)
    for at in cuts:
        yield f"cut at {at}", contents[:at]
    yield "another model's file", other
    yield "empty", b""
    yield "one byte added", contents + b"\0"
    yield "zeros", bytes(len(contents))
    yield "contents twice", contents * 2
    yield "first page zeroed", bytes(4096) + contents[4096:]


@row("B1", "stored files changed, truncated or exchanged", full=2500, quick=300)
def damaged_files(run: Run) -> None:
    """Each damaged file is refused and never loaded; the other version is still served."""
    from tests.reliability.planted import plant_from_environment

    plant_from_environment()
    chance = random.Random(run.seed)
    home = run.new_folder("home")
    with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
        ledger = Ledger(expected={seed: expected_digest(seed) for seed in (0, 1)})
        for seed, model in enumerate(("damaged", "whole")):
            ledger.trained[train(store, model, seed)] = seed
        assert violations(StoreView(store), ledger) == []
        damaged, whole = (store.registry.resolve(name) for name in ("damaged", "whole"))
        for seal in (damaged.predictor, damaged.evidence):
            path = _path(home, seal.sha256)
            contents = path.read_bytes()
            other = _path(home, whole.predictor.sha256).read_bytes()
            for name, changed in _damages(chance, contents, other, run.wanted // 2):
                path.write_bytes(changed)
                run.add_case(_violations_of(store, ledger), name)
            path.write_bytes(contents)
        if violations(StoreView(store), ledger):
            run.add_violations("I1: the repaired version is not served")


def _path(home: Path, sha256: str) -> Path:
    return home / "artifacts" / f"{sha256}.joblib"


def _violations_of(store: Store, ledger: Ledger) -> list[str]:
    found = []
    view = StoreView(store)
    try:
        given = view.fingerprint(("damaged", 1))
    except Exception as error:  # any other exception is not a refusal
        given = repr(error).encode()
    if given is None or not given.startswith(b"The file "):
        found.append(f"I2: the damaged version gives {given!r}")
    if view.fingerprint(("whole", 1)) != ledger.expected[1]:
        found.append("I2: the other version is damaged too")
    return found
