"""Conversion of JSON to tables: the fast and the slow path agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.schemas.cells import CellError, read_labels, read_rows, read_weights
from app.schemas.table import MISSING, Table

NUMBERS = st.one_of(
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.integers(min_value=-5, max_value=5),
)
ANYTHING = st.one_of(NUMBERS, st.none(), st.booleans(), st.text(max_size=3), st.lists(NUMBERS))


def finite(cell: Any) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except OverflowError:
        return False


def attempt(value: Any) -> Table | CellError:
    try:
        return read_rows(value)
    except CellError as error:
        return error


@given(st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=1, max_size=4))
def test_numbers_are_exact_or_refused_with_their_place(rows: list[list[Any]]) -> None:
    bad = {(i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if not finite(cell)}
    found = attempt(rows)
    if isinstance(found, CellError):
        assert {(flaw.row, flaw.column) for flaw in found.flaws} == bad
    else:
        assert not bad
        assert found.numbers.tolist() == [[float(cell) for cell in row] for row in rows]


@given(st.recursive(ANYTHING, lambda inner: st.lists(inner, max_size=4), max_leaves=20))
def test_any_value_is_a_table_or_a_cell_error(value: Any) -> None:
    found = attempt(value)
    if isinstance(found, CellError):
        assert 1 <= len(found.flaws) <= 10
    else:
        assert not np.isinf(found.numbers).any()


def test_mixed_columns() -> None:
    table = read_rows([{"a": 1, "b": "x"}, {"b": None, "a": None}, {"a": 3, "b": "w"}])
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.numbers[:, 0], [1, np.nan, 3])
    assert table.texts[1].vocabulary == ("w", "x")
    assert table.texts[1].codes.tolist() == [1, MISSING, 0]
    turned = table.reordered(["b", "a"])
    assert list(turned.texts) == [0]
    np.testing.assert_array_equal(turned.numbers[:, 1], [1, np.nan, 3])


@pytest.mark.parametrize("value", [[], None, "x", [1, "1"], [True, 1], [1.5], [None], [2**63]])
def test_bad_labels(value: Any) -> None:
    with pytest.raises(CellError):
        read_labels(value)


@pytest.mark.parametrize("value", [[], [-1], ["1"], [None], [float("nan")], [True]])
def test_bad_weights(value: Any) -> None:
    with pytest.raises(CellError):
        read_weights(value)
