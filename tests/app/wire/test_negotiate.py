"""Content negotiation by the `Accept` header."""

from __future__ import annotations

import pytest

from app.wire.negotiate import choose

JSON, CSV, NPY = "application/json", "text/csv", "application/x-npy"
OFFERED = (JSON, CSV, NPY)


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("text/csv", CSV),
        ("TEXT/CSV", CSV),
        ("text/*", CSV),
        ("application/*", JSON),
        ("application/json;q=0.5, text/csv", CSV),
        ("application/json;q=0.5, text/csv;q=0.4", JSON),
        ("application/json; q=0.1, */*", CSV),
        ("*/*;q=0.1, application/x-npy", NPY),
        ("application/json;q=0, */*", CSV),
        ("text/*;q=0.9, text/csv;q=0", None),
        ("text/csv;q=0, text/*;q=1, application/x-npy;q=0.2", NPY),
        ("text/csv;charset=utf-8;q=0.2, application/x-npy;q=0.3", NPY),
        ("text/html, application/xhtml+xml", None),
        ("text/html, */*;q=0.8", JSON),
        ("image/png;q=1.0", None),
        ("text/csv ; q=1.000 , application/json;Q=0.999", CSV),
        ("nonsense", JSON),
        (", ,text/csv", CSV),
        ("text/csv;q=7", CSV),
    ],
)
def test_choice(accept: str | None, chosen: str | None) -> None:
    assert choose(accept, OFFERED) == chosen


def test_only_the_first_ranges_of_a_long_header_are_read() -> None:
    assert choose("a/b," * 10_000 + "text/csv", OFFERED) is None
