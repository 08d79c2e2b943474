"""Drives `faultfs.c`, which stands between a program and its files."""

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
    """The library, compiled now."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NotPossible("there is no C compiler for the file system shim")
    library = folder / "faultfs.so"
    if not library.exists():
        command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotPossible(f"the file system shim does not compile: {done.stderr[-300:]}")
    return library


@dataclass(frozen=True)
class Watched:
    """A folder whose changes are counted, and the environment of programs that change it."""

    root: Path
    environment: dict[str, str]
    control: Control
    trace: Path
    disk: Path


def watch(
    root: Path, working: Path, *, trace: bool = False, disk: bool = False, sync: bool = True
) -> Watched:
    """Prepare to watch `root`; `disk` keeps what a power cut would leave."""
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
    if not sync:  # nobody pulls the plug of the real disk
        environment["FAULTFS_NO_SYNC"] = "1"
    return Watched(root, environment, control, working / "trace", working / "disk")


class Control:
    """The memory that the shim looks at before every change."""

    def __init__(self, path: Path, *, keep: bool = False) -> None:
        if not keep:
            path.write_bytes(bytes(_SIZE))
        descriptor = os.open(path, os.O_RDWR)
        try:
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def arm(self, kind: str, target: int, *, lasting: bool = False) -> None:
        """From now on the `target`-th change, counted from 1, does not go well."""
        self._memory[: _LAYOUT.size] = _LAYOUT.pack(0, target, KINDS[kind], int(lasting), 0)

    def disarm(self) -> None:
        """All is well again, and counting begins anew."""
        self._memory[: _LAYOUT.size] = bytes(_LAYOUT.size)

    def set_clock(self, seconds: int) -> None:
        """The clock on the wall jumps, for all processes at once."""
        _CLOCK.pack_into(self._memory, _LAYOUT.size, seconds)

    @property
    def count(self) -> int:
        """Changes since then."""
        count: int = _LAYOUT.unpack_from(self._memory)[0]
        return count

    @property
    def hits(self) -> int:
        """Changes that did not go well."""
        hits: int = _LAYOUT.unpack_from(self._memory)[4]
        return hits


def restore_after_power_cut(disk: Path, folder: Path, target: Path) -> None:
    """Build what a disk holds that keeps nothing but what it was told to keep.

    Names are there if their folder was made durable after they were given, contents as they were
    when the file was made durable last: the least that a file system promises. Real ones keep more.
    """
    # All is read before anything is made: a new file may have the number of one that is kept, and then
    # the shim forgets what it knew under that number.
    kept = list(_kept(disk, folder.stat().st_ino, target))
    target.mkdir()
    for path, contents in kept:
        if contents is None:
            path.mkdir(mode=0o700)
        else:
            path.write_bytes(contents)
            path.chmod(0o600)


def _kept(disk: Path, inode: int, target: Path) -> Iterator[tuple[Path, bytes | None]]:
    """The files under a folder with their contents, and the folders before what is in them."""
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
    """After a power cut, what is there was on the disk."""
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
