"""Coordinates, ticks and numbers of axes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plots.axes import Axis, format_number, padded, padded_logarithmic


def test_values_have_coordinates() -> None:
    axis = Axis(0.01, 100.0, 10.0, 50.0, logarithmic=True)
    assert [axis.place(value) for value in (0.01, 1.0, 100.0)] == pytest.approx([10, 30, 50])
    assert Axis(0.0, 4.0, 100.0, 0.0).place(1.0) == pytest.approx(75.0)


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis(0.61, 0.94, 0, 1), [0.7, 0.8, 0.9]),
        (Axis(0.0, 1.0, 0, 1), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (Axis(0.01, 100, 0, 1, logarithmic=True), [0.01, 0.1, 1, 10, 100]),
        (Axis(0.3, 6, 0, 1, logarithmic=True), [0.5, 1, 2, 5]),
    ],
)
def test_ticks_are_round(axis: Axis, ticks: list[float]) -> None:
    assert axis.ticks() == pytest.approx(ticks)


@given(
    st.floats(1e-12, 1e12),
    st.floats(1.01, 1e12),
    st.booleans(),
)
def test_the_number_of_ticks_is_limited(low: float, ratio: float, logarithmic: bool) -> None:
    bounds = padded_logarithmic(low, low * ratio) if logarithmic else padded(low, low * ratio)
    axis = Axis(*bounds, 0.0, 100.0, logarithmic=logarithmic)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 12
    assert ticks == sorted(set(ticks))
    assert all(-0.01 <= axis.place(value) <= 100.01 for value in ticks)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (1234.5678, "1235"),
        (1e-6, "10⁻⁶"),
        (2.5e7, "2.5·10⁷"),
        (-3e-9, "-3·10⁻⁹"),
        (math.pi, "3.142"),
    ],
)
def test_numbers_are_formatted_for_readers(value: float, words: str) -> None:
    assert format_number(value) == words
