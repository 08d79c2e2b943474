"""A5: slightly changed files with correct digests, given to the loader."""

from __future__ import annotations

import io
import pickletools
import random
import resource
import warnings
from pathlib import Path

import joblib
import numpy as np

from app.errors import ArtifactDamaged
from app.store.files import load_verified
from app.store.plain import digest_of
from tests.reliability.over_store import state_of
from tests.reliability.programme import Run, row

#: A load that uses more bytes has allocated memory for contents that the file only declares.
RESIDENT = 512 * 1024**2
#: Opcodes that import, call or build objects, and opcodes of numbers, which may be sizes.
_SIGNIFICANT_OPCODES = (
    b"c",
    b"R",
    b"i",
    b"o",
    b"\x81",
    b"\x92",
    b"\x93",
    b"b",
    b"\x8a",
    b"\x8b",
    b"J",
    b"M",
)


def _seeds() -> list[bytes]:
    found = []
    for state in (
        state_of(0, "predictor"),
        {"a": 1, "b": [1.5, None, "x"], "c": {"d": True}},
        {"w": np.arange(6).reshape(2, 3), "flags": np.array([True]), "none": np.zeros((0, 3))},
    ):
        for level in (0, 3):
            file = io.BytesIO()
            joblib.dump(state, file, compress=level)
            found.append(file.getvalue())
    return found


def mutate(chance: random.Random, seeds: list[bytes]) -> bytes:
    """Change a randomly chosen seed file in a few places."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(data)) if data else 0
        kind = chance.randrange(7)
        if kind == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and data:
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            data[at:at] = chance.choice(_SIGNIFICANT_OPCODES)
        elif kind == 3:
            del data[at : at + chance.randrange(1, 64)]
        elif kind == 4:
            other = chance.choice(seeds)
            start = chance.randrange(len(other))
            data[at:at] = other[start : start + chance.randrange(1, 200)]
        elif kind == 5:
            data = data[:at]
        else:
            data[at:at] = chance.choice(_SNIPPETS)
    return bytes(data)


_SNIPPETS = (
    b"cos\nsystem\n(S'touch canary'\ntR",
    b'cbuiltins\neval\n(S\'open("canary","w")\'\ntR',
    b"(S'touch canary'\nios\nsystem\n",
    b"\x8c\x05posix\x8c\x06system\x93\x8c\x0ctouch canary\x85R",
    b"cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81",
    b"cnumpy\ndtype\n(X\x02\x00\x00\x00O8K\x00K\x01tR",
    b"cnumpy\nndarray\n(L1000000000000L\ntR",
    b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"X\xff\xff\xff\x7f",
    b"\x80\x05\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"(" * 200,
)


@row(
    "A5",
    "mutated files with correct digests, given to the loader",
    full=400_000,
    quick=4000,
    part=100_000,
)
def mutated_files(run: Run) -> None:
    """The loader returns plain data or raises `ArtifactDamaged`, and runs no code."""
    chance = random.Random(run.seed)
    seeds = _seeds()
    folder = run.new_folder("files")
    path = folder / "file"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about arrays that are not aligned
        for _ in range(run.wanted):
            run.add_case(_violations_of(path, mutate(chance, seeds)))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    run.keep_maximum("largest growth in MB", round(grown / 1024**2))
    if grown > RESIDENT:
        run.add_violations(f"I4: loading used {grown // 1024**2} MB")
    if Path("canary").exists() or (folder / "canary").exists():
        run.add_violations("code in a file was executed")


def _violations_of(path: Path, contents: bytes) -> list[str]:
    path.write_bytes(contents)
    with path.open("rb") as file:
        sha256 = digest_of(file)
    try:
        state = load_verified(path, sha256)
        if type(state) is not dict:
            return ["something other than a dict was loaded"]
        return _unexpected_objects(state)
    except ArtifactDamaged:
        return []
    except BaseException as error:
        where = next(pickletools.genops(contents[:1] + b"."), None)
        return [f"{type(error).__name__}: {error} {where and where[0].name}"]


def _unexpected_objects(value: object) -> list[str]:
    """Describe all objects in a loaded state that are not plain data."""
    if isinstance(value, dict):
        return [text for item in (*value, *value.values()) for text in _unexpected_objects(item)]
    if isinstance(value, list | tuple | set | frozenset):
        return [text for item in value for text in _unexpected_objects(item)]
    plain = (str, bytes, int, float, complex, bool, type(None), bytearray, np.dtype)
    if isinstance(value, np.ndarray):
        return [] if not value.dtype.hasobject else ["an array of objects was loaded"]
    known = isinstance(value, plain) or value in (np.ndarray, np.dtype)
    return [] if known else [f"a {type(value).__name__} was loaded"]
