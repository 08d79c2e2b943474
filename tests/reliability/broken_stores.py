"""B4: start of a server on a damaged store."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.app.data import training
from tests.app.server import Server
from tests.reliability.over_http import PROBE, response_part, restart
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server

Break = Callable[[Path, Path], None]
"""Damages a store, given the home folder and the predictor file of the model `broken`."""


def _empty(home: Path, file: Path) -> None:
    file.write_bytes(b"")


def _other_format(home: Path, file: Path) -> None:
    file.write_bytes(b"\x80\x05}\x94\x8c\x06format\x94Kcs." + bytes(100))


def _folder(home: Path, file: Path) -> None:
    file.unlink()
    file.mkdir()


def _link(home: Path, file: Path) -> None:
    """Replace the file by a link to a copy outside the store, which must not be followed."""
    outside = home.parent / "outside"
    shutil.copyfile(file, outside)
    file.unlink()
    file.symlink_to(outside)


def _unreadable(home: Path, file: Path) -> None:
    file.chmod(0)


def _missing(home: Path, file: Path) -> None:
    file.unlink()


def _pipe(home: Path, file: Path) -> None:
    """Replace the file by a named pipe: a process that opens it would block forever."""
    file.unlink()
    os.mkfifo(file)


#: Damages after which only the model `broken` cannot be served.
DAMAGED: dict[str, Break] = {
    "empty file": _empty,
    "file of another format": _other_format,
    "folder instead of a file": _folder,
    "link to a file outside the store": _link,
    "file without read permission": _unreadable,
    "missing file": _missing,
    "pipe instead of a file": _pipe,
}


def _orphans(home: Path, file: Path) -> None:
    (home / "tmp" / "0123456789abcdef.1").write_bytes(b"half")
    (home / "tmp" / "no-owner").write_bytes(b"half")
    (home / "spool" / f"{'0' * 32}.joblib").write_bytes(b"half")
    (home / "artifacts" / f"{'0' * 64}.joblib").write_bytes(b"half")


def _unrelated_files(home: Path, file: Path) -> None:
    for name in ("tmp", "spool", "artifacts", "processes"):
        (home / name / "a folder").mkdir()
        (home / name / "read me.txt").write_text("not ours")


def _no_folders(home: Path, file: Path) -> None:
    for name in ("tmp", "spool", "processes"):
        shutil.rmtree(home / name)


def _generation(home: Path, file: Path) -> None:
    (home / "generation").write_bytes(b"x")


def _journal(home: Path, file: Path) -> None:
    (home / "frtsvm.sqlite3-journal").write_bytes(os.urandom(5000))


#: Damages after which everything can be served.
HARMLESS: dict[str, Break] = {
    "files without references": _orphans,
    "unrelated files and folders": _unrelated_files,
    "missing folders": _no_folders,
    "truncated shared memory": _generation,
    "invalid journal": _journal,
}


def _database_empty(home: Path, file: Path) -> None:
    (home / "frtsvm.sqlite3").write_bytes(b"")


def _database_noise(home: Path, file: Path) -> None:
    (home / "frtsvm.sqlite3").write_bytes(os.urandom(8192))


def _other_secret(home: Path, file: Path) -> None:
    (home / "secret.key").write_bytes(os.urandom(32))


def _short_secret(home: Path, file: Path) -> None:
    (home / "secret.key").write_bytes(b"short")


def _no_store_id(home: Path, file: Path) -> None:
    (home / "store-id").unlink()


#: Damages after which serving could lose data: the server must report the problem and exit.
FATAL: dict[str, Break] = {
    "empty database": _database_empty,
    "database of random bytes": _database_noise,
    "another secret": _other_secret,
    "truncated secret": _short_secret,
    "artifacts without store id": _no_store_id,
}


@row("B4", "start on a damaged store", full=17, quick=10)
def broken_stores(run: Run) -> None:
    """The server is ready within ten seconds and serves the rest, or refuses without any change."""
    template = run.new_folder("template") / "home"
    expected = _prepare(template)
    kinds = {**DAMAGED, **HARMLESS, **FATAL}
    names = list(kinds)
    for name in (names[i * len(names) // run.wanted] for i in range(run.wanted)):
        home = run.new_folder("case") / "home"
        shutil.copytree(template, home)
        file = _file_of(home)
        kinds[name](home, file)
        server = make_server(home)
        check = _violations_when_refused if name in FATAL else _violations_when_served
        try:
            run.add_case(check(server, expected, damaged=name in DAMAGED), name)
        finally:
            if server.process is not None and server.process.poll() is None:
                server.kill()


def _prepare(home: Path) -> bytes:
    """Create a store with two models; return the response of the second."""
    with Server(home) as server, server.client() as client:
        for seed, model in enumerate(("broken", "whole")):
            assert client.post("/train", json=training(model, seed=seed)).status_code == 201
        return response_part(client.post("/predict", json={"model": "whole", "X": PROBE}).content)


def _file_of(home: Path) -> Path:
    """Predictor file of the model `broken`."""
    from app.store.store import Store

    with Store(home, f"sqlite:///{home}/frtsvm.sqlite3") as store:
        sha256 = store.registry.resolve("broken").predictor.sha256
    return home / "artifacts" / f"{sha256}.joblib"


def _violations_when_served(server: Server, expected: bytes, *, damaged: bool) -> list[str]:
    found = restart(server)
    with server.client() as client:
        whole = client.post("/predict", json={"model": "whole", "X": PROBE})
        if whole.status_code != 200 or response_part(whole.content) != expected:
            found.append(f"I2: the intact model responds with {whole.status_code}")
        broken = client.post("/predict", json={"model": "broken", "X": PROBE}, timeout=10)
        status = client.get("/models/broken").json()["versions"][0].get("status")
        if damaged and not _is_refused(broken, server.home):
            found.append(f"I2: the damaged model responds with {broken.status_code}")
        if not damaged and (broken.status_code != 200 or status == "damaged"):
            found.append(f"I1: a model is not served: {broken.status_code} {status}")
        if not damaged and client.post("/train", json=training("new", seed=2)).status_code != 201:
            found.append("I3: the server does not train")
    return found


def _is_refused(response: httpx.Response, home: Path) -> bool:
    readable = (
        os.geteuid() == 0 and response.status_code == 200 and not _all_files_have_permissions(home)
    )
    return readable or response.json().get("type") == "urn:frtsvm:problem:artifact-damaged"


def _all_files_have_permissions(home: Path) -> bool:
    """Whether no artifact has mode 000. Root can read a file of mode 000, so it may be served."""
    modes = [path.lstat().st_mode & 0o777 for path in (home / "artifacts").iterdir()]
    return 0 not in modes


def _violations_when_refused(server: Server, expected: bytes, *, damaged: bool) -> list[str]:
    before = _names(server.home)
    server.start(wait=False)
    assert server.process is not None
    deadline = time.monotonic() + 60
    while server.process.poll() is None:
        if time.monotonic() > deadline:
            return ["I3: the server neither becomes ready nor exits"]
        time.sleep(0.05)
    found = []
    if server.process.returncode == 0:
        found.append("I3: the server exited with code 0")
    lost = before - _names(server.home)
    found += [f"I1: {name} was removed" for name in sorted(lost)]
    if not server.log.read_text().strip():
        found.append("I3: the server exited without a message")
    return found


def _names(home: Path) -> set[str]:
    return {f"{path.parent.name}/{path.name}" for path in (home / "artifacts").iterdir()}
