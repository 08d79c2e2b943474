"""The documentation pages: links work, paragraphs are short, and the README fits on two screens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")]
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
#: Lines that begin something other than a paragraph: headings, tables, code, pictures, quotes.
NOT_PROSE = re.compile(r"^(#|\||    |!\[|>)")
LIST_ITEM = re.compile(r"^\s*([-*]|\d+\.)\s")
MAX_LINES = 6


def text_of(page: Path) -> str:
    """The page without its fenced code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """The explicit anchors, and those of the headings as GitHub makes them."""
    found = set(re.findall(r'<a id="([^"]+)">', text_of(page)))
    for heading in re.findall(r"^#+ (.+)$", text_of(page), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        numbered = anchor
        count = 0
        while numbered in found:
            count += 1
            numbered = f"{anchor}-{count}"
        found.add(numbered)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_pages_and_headings_that_exist(page: Path) -> None:
    broken = []
    for target in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", target):
            continue  # another site
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.exists() or (anchor and anchor not in anchors(other)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_paragraph_is_longer_than_six_lines(page: Path) -> None:
    long = []
    paragraph: list[str] = []
    for line in [*text_of(page).splitlines(), ""]:
        if line.strip() and not NOT_PROSE.match(line) and not LIST_ITEM.match(line):
            paragraph.append(line)
            continue
        if len(paragraph) > MAX_LINES:
            long.append(paragraph[0])
        # The lines below a list item belong to it.
        paragraph = [line] if LIST_ITEM.match(line) else []
    assert not long


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
