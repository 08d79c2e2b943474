"""The color scale."""

from __future__ import annotations

from itertools import pairwise

from app.plots.colours import colour


def brightness(text: str) -> float:
    red, green, blue = (int(text[k : k + 2], 16) for k in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_larger_values_are_brighter() -> None:
    scale = [brightness(colour(k / 50)) for k in range(51)]
    assert all(one < two for one, two in pairwise(scale))


def test_values_outside_the_range_are_clipped() -> None:
    assert colour(-1.0) == colour(0.0)
    assert colour(2.0) == colour(1.0)
