"""B2, B3: files that contain code, and files that would exhaust the memory."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib import numpy_pickle
from sqlalchemy import update

from app.errors import ArtifactDamaged
from app.store.files import load_verified
from app.store.schema import versions
from app.store.store import Store
from tests.reliability.operations import train
from tests.reliability.programme import Run, row

BOMB_BYTES = 10**9
RESIDENT = 100 * 1024**2


class _Calls:
    """An object whose pickle calls a function when it is loaded."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self.call = function, args

    def __reduce__(self) -> Any:
        return self.call


def _joblib(state: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    joblib.dump(state, file, **options)
    return file.getvalue()


def pickles(canary: Path) -> dict[str, bytes]:
    """Payloads that would create the file `canary`, each with another technique."""
    shell = f"touch {canary}"
    call = _Calls(os.system, shell)
    text = shell.encode()
    inner = canary.with_name("inner.joblib")
    inner.write_bytes(pickle.dumps(call))
    short = bytes([len(text)])
    found = {f"protocol {n}": pickle.dumps({"a": call}, protocol=n) for n in range(6)}
    found |= {
        "REDUCE": b"cposix\nsystem\n(S'" + text + b"'\ntR.",
        "INST": b"(S'" + text + b"'\niposix\nsystem\n.",
        "OBJ": b"(cposix\nsystem\nS'" + text + b"'\no.",
        "STACK_GLOBAL": b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c" + short + text + b"\x85R.",
        "NEWOBJ": b"\x80\x02csubprocess\nPopen\n(]S'touch'\naS'"
        + str(canary).encode()
        + b"'\nat\x81.",
        "BUILD": b"\x80\x02cnumpy\nndarray\n(K\x01\x85R}S'__setstate__'\ncos\nsystem\nsb.",
        "eval": pickle.dumps(_Calls(eval, f"__import__('os').system({shell!r})")),
        "exec": pickle.dumps(_Calls(exec, f"open({str(canary)!r}, 'w')")),
        "getattr chain": pickle.dumps(_Calls(getattr, _Calls(__import__, "os"), "system")),
        "nested load": pickle.dumps(_Calls(joblib.load, str(inner))),
        "array of objects": _joblib({"a": np.array([call], dtype=object)}),
        "nested array of objects": _joblib({"a": [{"b": np.array([[call]], dtype=object)}]}),
        "as a key": b"\x80\x04}(cposix\nsystem\n\x8c" + short + text + b"\x85RK\x01u.",
        "persistent id": b"\x80\x04\x8c" + short + text + b"Q.",
        "extension": b"\x80\x02\x82\x01.",
    }
    for method in ("zlib", "gzip", "bz2", "lzma", "xz"):
        found[f"compressed with {method}"] = _joblib({"a": call}, compress=(method, 3))
    return found


@row(
    "B2",
    "files that contain code, with correct digests and valid or invalid MACs",
    full=79,
    quick=79,
)
def files_with_code(run: Run) -> None:
    """Load each payload with the loader alone, and from a store with a valid and an invalid MAC."""
    from tests.reliability.planted import plant_from_environment

    plant_from_environment()
    home = run.new_folder("home")
    canary = run.new_folder("canary") / "fired"
    payloads = pickles(canary)
    with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
        train(store, "m", 0)

        def load() -> Any:
            return store.registry.load_predictor(store.registry.resolve("m"))

        for kind, contents in payloads.items():
            path = canary.with_name("file")
            path.write_bytes(contents)
            sha256 = hashlib.sha256(contents).hexdigest()
            run.add_case(_refused(load_verified, path, sha256), f"{kind}, correct digest")
            _put(store, home, contents, sealed=True)
            found = _refused(load)
            run.add_case(found, f"{kind}, valid MAC")
            _put(store, home, contents, sealed=False)
            found = _refused(load)
            run.add_case(found, f"{kind}, correct digest and invalid MAC")
            if canary.exists():
                run.add_violations(f"{kind}: The code was executed.")
                canary.unlink()
        # The MAC also protects against harmless files that the service did not write.
        _put(store, home, _joblib({"format": 1}), sealed=False)
        found = _refused(load)
        run.add_case(found, "plain data without a valid MAC")


def _put(store: Store, home: Path, contents: bytes, *, sealed: bool) -> None:
    """Replace the file of the only version, as an attacker with write access could."""
    sha256 = hashlib.sha256(contents).hexdigest()
    (home / "artifacts" / f"{sha256}.joblib").write_bytes(contents)
    mac = store.files._sealer.mac("predictor", sha256) if sealed else "0" * 64
    values = {"predictor_sha256": sha256, "predictor_bytes": len(contents), "predictor_mac": mac}
    with store.database.write() as connection:
        connection.execute(update(versions).values(**values))


def _refused(load: Callable[..., Any], *args: Any) -> list[str]:
    try:
        loaded = load(*args)
    except ArtifactDamaged:
        return []
    except BaseException as error:
        return [f"{type(error).__name__} instead of ArtifactDamaged: {error}"]
    return [f"the file was loaded: {str(loaded)[:80]}"]


def bombs() -> dict[str, bytes]:
    """Small files that declare large contents."""
    found = {
        f"zeros compressed with {method}": _joblib(
            {"a": np.zeros(BOMB_BYTES // 80)}, compress=(method, 9)
        )
        for method in ("zlib", "xz", "bz2")
    }
    for name, shape in {
        "10 GB declared": (1_250_000_000,),
        "overflow": (2**33, 2**33),
        "negative": (-1, -(10**9)),
        "many axes": (10,) * 40,
    }.items():
        wrapper = numpy_pickle.NumpyArrayWrapper(
            np.ndarray, shape, "C", np.dtype("f8"), allow_mmap=False
        )
        file = io.BytesIO()
        numpy_pickle.NumpyPickler(file).dump({"a": wrapper})
        found[name] = file.getvalue()
    found["text of 2 GB declared"] = b"\x80\x04\x8e" + (2 * 10**9).to_bytes(8, "little") + b"x."
    found["deeply nested lists"] = b"\x80\x02]" + b"(" * 10_000 + b"e" * 10_000 + b"."
    return found


@row("B3", "files that would exhaust the memory", full=9, quick=9)
def files_that_fill(run: Run) -> None:
    """Each file is refused before the memory is allocated."""
    path = run.new_folder("files") / "file"
    for name, contents in bombs().items():
        path.write_bytes(contents)
        sha256 = hashlib.sha256(contents).hexdigest()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = _refused(load_verified, path, sha256)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        run.keep_maximum("largest growth in MB", round(grown / 1024**2))
        if grown > RESIDENT:
            found.append(f"I4: loading used {grown // 1024**2} MB")
        run.add_case(found, name)
