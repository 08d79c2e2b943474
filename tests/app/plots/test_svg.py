"""SVG elements: the document is valid XML for any text."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from app.plots.svg import drawing, element, number, text

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], max_codepoint=0xFFFD))


@given(WORDS, WORDS, WORDS)
def test_text_cannot_add_elements(title: str, subtitle: str, description: str) -> None:
    root = ET.fromstring(drawing(title, subtitle, description, [text(1, 2, title)]).encode())
    assert len(root) == 7  # title, desc, style, paper, two lines of text, and the one given
    assert (root[0].text or "") == title
    assert (root[6].text or "") == title
    assert root.get("role") == "img"


def test_attributes_are_quoted() -> None:
    assert element("a", class_='"><b>', text_anchor="end") == (
        '<a class=\'"&gt;&lt;b&gt;\' text-anchor="end"/>'
    )


def test_coordinates_have_two_decimals_at_most() -> None:
    assert [number(value) for value in (1.0, 0.1 + 0.2, -0.001, 12.345678)] == [
        "1",
        "0.3",
        "0",
        "12.35",
    ]
