"""Arrays as bodies, valid and malicious."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

from app.errors import DataTooLarge, InvalidRequest, MalformedBody
from app.services.limits import DataLimits
from app.wire.numbers import read_doubles, read_npy, write_doubles, write_npy

LIMITS = DataLimits(rows=100, features=10, cells=500, classes=2)
ROWS = np.arange(12.0).reshape(4, 3)


def saved(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<f2", "<i8", ">i2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_any_number_type(dtype: str, order: Any) -> None:
    table = read_npy(saved(np.asarray(ROWS.astype(dtype), order=order)), LIMITS.require_size)
    np.testing.assert_array_equal(table.numbers, ROWS)
    assert table.numbers.dtype == np.float64
    assert table.numbers.flags.c_contiguous


def test_doubles() -> None:
    table = read_doubles(ROWS.astype("<f8").tobytes(), 3, LIMITS.require_size)
    np.testing.assert_array_equal(table.numbers, ROWS)


@pytest.mark.parametrize("size", [0, 8, 23, 25])
def test_doubles_that_are_not_whole_rows(size: int) -> None:
    with pytest.raises(MalformedBody, match="3 features"):
        read_doubles(bytes(size), 3, LIMITS.require_size)


def test_infinities_are_named_and_nan_is_a_missing_cell() -> None:
    rows = ROWS.copy()
    rows[2, 1], rows[3, 0], rows[0, 0] = np.inf, -np.inf, np.nan
    for read in (
        lambda: read_npy(saved(rows), LIMITS.require_size),
        lambda: read_doubles(rows.tobytes(), 3, LIMITS.require_size),
    ):
        with pytest.raises(InvalidRequest) as found:
            read()
        assert [(flaw.row, flaw.column) for flaw in found.value.flaws] == [(2, 1), (3, 0)]
    rows[np.isinf(rows)] = 1e300  # finite, although its square overflows
    assert np.isnan(read_npy(saved(rows), LIMITS.require_size).numbers[0, 0])


@pytest.mark.parametrize(
    "array", [np.arange(3.0), np.zeros((2, 2, 2)), np.zeros((0, 3)), np.zeros((3, 0)), np.array("a"),
              np.array([["a"]]), np.array([[1j]]), np.array([[True]]), np.zeros((2, 2), "M8[s]"),
              np.zeros(2, [("a", "f8")])],
)  # fmt: skip
def test_arrays_other_than_a_matrix_of_numbers(array: Any) -> None:
    with pytest.raises((InvalidRequest, MalformedBody)):
        read_npy(saved(array), LIMITS.require_size)


def header(text: str) -> bytes:
    raw = text.encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(raw).to_bytes(2, "little") + raw


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x93NUMPY",
        b"PK\x03\x04",
        saved(ROWS)[:-1],
        saved(ROWS) + b"\0",
        saved(np.array([[{}]], dtype=object), allow_pickle=True),
        pickle.dumps(ROWS),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 'a')}"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}") + bytes(8),
        header("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}") + bytes(8),
        header("__import__('os').abort()"),
        header("(" * 500 + ")" * 500),
        header("{" * 900),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)" + " " * 60_000 + "}"),
        b"\x93NUMPY\x03\x00" + saved(ROWS)[8:],
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
    ],
)
def test_malicious_files(body: bytes) -> None:
    with pytest.raises((MalformedBody, InvalidRequest)):
        read_npy(body, LIMITS.require_size)


def test_a_huge_declared_size_is_refused() -> None:
    claim = header("{'descr': '<f8', 'fortran_order': False, 'shape': (10**0 and 999999999999, 2)}")
    with pytest.raises(MalformedBody):
        read_npy(claim, LIMITS.require_size)
    claim = header("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 2)}")
    with pytest.raises(DataTooLarge):
        read_npy(claim, LIMITS.require_size)
    with pytest.raises(DataTooLarge):
        read_doubles(bytes(8 * 3 * 101), 3, LIMITS.require_size)


def test_written_arrays_can_be_read() -> None:
    np.testing.assert_array_equal(np.load(io.BytesIO(write_npy(ROWS))), ROWS)
    assert np.load(io.BytesIO(write_npy(np.array(["no", "yes"])))).tolist() == ["no", "yes"]
    np.testing.assert_array_equal(
        np.frombuffer(write_doubles(ROWS[:, ::-1])), ROWS[:, ::-1].ravel()
    )
