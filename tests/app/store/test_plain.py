"""Plain data files: only data can be written, and loading cannot run code."""

from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from joblib import numpy_pickle

from app.errors import ArtifactDamaged
from app.store.files import load_verified, stage
from app.store.plain import NotPlain, dump_plain, load_plain, require_plain

STATE = {
    "format": 1,
    "matrix": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "flags": np.array([True, False]),
    "empty": np.zeros((0, 2)),
    "names": ["a", "é", None],
    "nested": {"x": 1.5, "y": [True, -3]},
}


class Canary:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (os.system, (f"touch {self.path}",))


def load_bytes(tmp_path: Path, contents: bytes) -> Any:
    path = tmp_path / "file"
    path.write_bytes(contents)
    with path.open("rb") as file:
        return load_plain(file, len(contents))


def test_round_trip_maps_the_arrays_read_only(tmp_path: Path) -> None:
    staged = stage(tmp_path, "p", STATE)
    found = load_verified(staged.path, staged.sha256)
    assert found.keys() == STATE.keys()
    for key, value in STATE.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[key], value)
            assert found[key].dtype == value.dtype
        else:
            assert found[key] == value
    assert isinstance(found["matrix"].base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        found["matrix"][0, 0] = 1


@pytest.mark.parametrize(
    "value",
    [
        {"a": object()},
        {"a": np.array([object()])},
        {"a": np.array(["text"])},
        {"a": (1, 2)},
        {1: "a"},
        {"a": [np.float64(1)]},
        {"a": {"b": {1, 2}}},
    ],
)
def test_values_that_are_not_plain_are_refused(value: Any) -> None:
    with pytest.raises(NotPlain):
        require_plain(value)


def test_pickled_code_does_not_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    payloads = [pickle.dumps({"a": Canary(canary)}, protocol=n) for n in range(6)]
    payloads.append(b"cos\nsystem\n(S'touch " + str(canary).encode() + b"'\ntR.")
    payloads.append(b"(S'touch " + str(canary).encode() + b"'\nios\nsystem\n.")
    nested = io.BytesIO()
    joblib.dump({"a": np.array([Canary(canary)], dtype=object)}, nested)
    payloads.append(nested.getvalue())
    for level in (0, 3):
        packed = tmp_path / "packed"
        joblib.dump({"a": Canary(canary)}, packed, compress=level)
        payloads.append(packed.read_bytes())
    for payload in payloads:
        with pytest.raises(Exception):  # noqa: B017  (almost any exception is possible)
            load_bytes(tmp_path, payload)
    assert not canary.exists()


def test_an_array_larger_than_its_file_is_refused_before_it_is_allocated(tmp_path: Path) -> None:
    wrapper = numpy_pickle.NumpyArrayWrapper(
        np.ndarray, (10**9,), "C", np.dtype("f8"), allow_mmap=False
    )
    contents = io.BytesIO()
    numpy_pickle.NumpyPickler(contents).dump({"a": wrapper})
    with pytest.raises(NotPlain, match="larger than its file"):
        load_bytes(tmp_path, contents.getvalue())


class _OddType:
    """Pickled as a NumPy dtype with a forged state."""

    def __init__(self, code: str, state: tuple[Any, ...]) -> None:
        self._code, self._state = code, state

    def __reduce__(self) -> tuple[Any, ...]:
        return np.dtype, (self._code, False, True), self._state


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("b1", (3, "|", 1313754772, -1, -1, 0)),  # would crash the process inside NumPy
        ("m8", (3, "<", None, None, None, -1, -1, 0)),  # so would this
        ("f8", (3, "<", None, ("a",), {"a": ("f8", 0)}, 8, 8, 0)),
        ("f8", (3, "N", None, None, None, -1, -1, 0)),
        ("f8", (4, "<", None, None, None, -1, -1, 0)),
        ("O8", (3, "|", None, None, None, -1, -1, 63)),
        ("f8,f8", (3, "|", None, None, None, -1, -1, 0)),
        (8, (3, "|", None, None, None, -1, -1, 0)),
    ],
)
def test_a_dtype_other_than_numbers_is_refused(
    tmp_path: Path, code: str, state: tuple[Any, ...]
) -> None:
    wrapper = numpy_pickle.NumpyArrayWrapper(
        np.ndarray, (1,), "C", _OddType(code, state), allow_mmap=False
    )
    contents = io.BytesIO()
    numpy_pickle.NumpyPickler(contents).dump({"a": wrapper})
    with pytest.raises(NotPlain, match="something other than numbers"):
        load_bytes(tmp_path, contents.getvalue() + bytes(64))
    alone = pickle.dumps({"a": _OddType(code, state)}, protocol=4)
    with pytest.raises(NotPlain):
        load_bytes(tmp_path, alone)


def test_every_changed_byte_is_detected(tmp_path: Path) -> None:
    staged = stage(tmp_path, "p", {"w": np.arange(8.0), "name": "x"})
    contents = bytearray(staged.path.read_bytes())
    for position in range(len(contents)):
        broken = contents.copy()
        broken[position] ^= 0x40
        staged.path.write_bytes(broken)
        with pytest.raises(ArtifactDamaged):
            load_verified(staged.path, staged.sha256)
    for length in range(0, len(contents), 16):
        staged.path.write_bytes(contents[:length])
        with pytest.raises(ArtifactDamaged):
            load_verified(staged.path, staged.sha256)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    staged = stage(tmp_path, "p", {"a": 1})
    link = tmp_path / "link"
    link.symlink_to(staged.path)
    with pytest.raises(ArtifactDamaged):
        load_verified(link, staged.sha256)


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotPlain):
        stage(tmp_path, "p", {"a": object()})
    assert list(tmp_path.iterdir()) == []


def test_the_digest_matches_the_file() -> None:
    import hashlib

    file = io.BytesIO()
    written = dump_plain(STATE, file)
    assert written.sha256 == hashlib.sha256(file.getvalue()).hexdigest()
    assert written.size == len(file.getvalue())
