"""Python interface of `faultfs.c`, which injects faults into file system calls of a program."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.reliability.programme import NotPossible

SOURCE = Path(__file__).with_name("faultfs.c")
KINDS = {"kill before": 1, "kill after": 2, "no space": 3, "i/o error": 4, "short write": 5}
_LAYOUT = struct.Struct("=QQIIQ")
_CLOCK = struct.Struct("=q")
_SIZE = 64


def build(folder: Path) -> Path:
    """Compile the library, if necessary, and return its path."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NotPossible("no C compiler for faultfs.c")
    library = folder / "faultfs.so"
    if not library.exists():
        command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotPossible(f"faultfs.c does not compile: {done.stderr[-300:]}")
    return library


@dataclass(frozen=True)
class Watched:
    """A watched folder, and the environment for programs that change it."""

    root: Path
    environment: dict[str, str]
    control: Control
    trace: Path
    disk: Path


def watch(
    root: Path, working: Path, *, trace: bool = False, disk: bool = False, sync: bool = True
) -> Watched:
    """Prepare to watch `root`.

    `trace` logs every change. `disk` keeps a copy of the synced data, which a power cut would
    leave. Without `sync`, fsync only updates this copy.
    """
    library = build(working)
    control = Control(working / "control")
    environment = {
        "LD_PRELOAD": str(library),
        "FAULTFS_ROOT": str(root),
        "FAULTFS_CONTROL": str(working / "control"),
    }
    if trace:
        environment["FAULTFS_TRACE"] = str(working / "trace")
    if disk:
        for name in ("inode", "folder"):
            (working / "disk" / name).mkdir(parents=True)
        environment["FAULTFS_DISK"] = str(working / "disk")
    if not sync:  # the tests do not cut the power of the real disk
        environment["FAULTFS_NO_SYNC"] = "1"
    return Watched(root, environment, control, working / "trace", working / "disk")


class Control:
    """Shared memory that `faultfs` reads before every change."""

    def __init__(self, path: Path, *, keep: bool = False) -> None:
        if not keep:
            path.write_bytes(bytes(_SIZE))
        descriptor = os.open(path, os.O_RDWR)
        try:
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def arm(self, kind: str, target: int, *, lasting: bool = False) -> None:
        """Make the `target`-th change (from 1) fail; with `lasting`, also all later changes."""
        self._memory[: _LAYOUT.size] = _LAYOUT.pack(0, target, KINDS[kind], int(lasting), 0)

    def disarm(self) -> None:
        """Inject no more faults, and reset the counters."""
        self._memory[: _LAYOUT.size] = bytes(_LAYOUT.size)

    def set_clock(self, seconds: int) -> None:
        """Shift the system clock of all watched processes by this number of seconds."""
        _CLOCK.pack_into(self._memory, _LAYOUT.size, seconds)

    @property
    def count(self) -> int:
        """Number of changes since the last reset."""
        count: int = _LAYOUT.unpack_from(self._memory)[0]
        return count

    @property
    def hits(self) -> int:
        """Number of changes into which a fault was injected."""
        hits: int = _LAYOUT.unpack_from(self._memory)[4]
        return hits


def restore_after_power_cut(disk: Path, folder: Path, target: Path) -> None:
    """Build the folder that remains after a power cut, if the disk keeps only synced data.

    A name is present if its folder was synced after the name was created. Contents are those of the
    last sync of the file. This is the minimum that a file system guarantees; real ones keep more.
    """
    # Read everything before creating files: a new file may get the inode number of a kept file, and
    # `faultfs` then deletes the synced contents stored under that number.
    kept = list(_kept(disk, folder.stat().st_ino, target))
    target.mkdir()
    for path, contents in kept:
        if contents is None:
            path.mkdir(mode=0o700)
        else:
            path.write_bytes(contents)
            path.chmod(0o600)


def _kept(disk: Path, inode: int, target: Path) -> Iterator[tuple[Path, bytes | None]]:
    """Synced files under a folder with their contents; each folder comes before its files."""
    listing = disk / "folder" / str(inode)
    if not listing.exists():
        return
    for line in listing.read_text(encoding="utf-8").splitlines():
        number, kind, name = line.split(" ", 2)
        path = target / name
        if kind == "d":
            yield path, None
            yield from _kept(disk, int(number), path)
        else:
            contents = disk / "inode" / number
            yield path, contents.read_bytes() if contents.exists() else b""


def mark_all_durable(disk: Path, folder: Path) -> None:
    """Mark all present files as synced, as they are after a power cut."""
    lines = []
    for path in folder.iterdir():
        inode = path.stat().st_ino
        lines.append(f"{inode} {'d' if path.is_dir() else 'f'} {path.name}\n")
        if path.is_dir():
            mark_all_durable(disk, path)
        else:
            shutil.copyfile(path, disk / "inode" / str(inode))
    listing = disk / "folder" / str(folder.stat().st_ino)
    listing.write_text("".join(lines), encoding="utf-8")
