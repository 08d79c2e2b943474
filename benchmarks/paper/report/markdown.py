"""Markdown: tables, figures, numbers, and line wrapping."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.paper.datasets import MissingDataset


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """A table; columns after the first are aligned to the right if they are `numbers`."""
    rule = "|---" + ("|---:" if numbers else "|---") * (len(header) - 1) + "|"
    lines = ["| " + " | ".join(header) + " |", rule]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def bold_best(values: Sequence[float], texts: Sequence[str], *, lowest: bool = False) -> list[str]:
    """Mark the best value in bold. A tie to two decimals is marked together, unless all values tie."""
    shown = [round(value, 2) for value in values]
    best = min(shown) if lowest else max(shown)
    if shown.count(best) == len(shown):
        return list(texts)
    return [
        f"**{text}**" if value == best else text for value, text in zip(shown, texts, strict=True)
    ]


def fastest(times: Sequence[float]) -> list[str]:
    return bold_best(times, [f"{value:.2f}" for value in times], lowest=True)


def figure(path: Path, draw: Callable[[Path], object], title: str, text: str) -> str:
    """Draw a figure, and return its Markdown with a caption.

    If its data set is not available, an existing file is kept.
    """
    try:
        draw(path)
    except MissingDataset:
        if not path.is_file():
            return ""
    return f"![{title}]({path.parent.name}/{path.name})\n\n{text}" if path.is_file() else ""


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")


_LINE = 100  # characters of a line of wrapped text
_UNWRAPPED = ("|", "#", "!", "<")  # tables, headings, images, HTML


def wrapped(text: str) -> str:
    """Wrap the paragraphs and lists of a Markdown page."""
    blocks = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(_wrapped_block(block.strip("\n")) for block in blocks) + "\n"


def _wrapped_block(block: str) -> str:
    if block.startswith(_UNWRAPPED):
        return block
    if block.startswith("- "):
        return "\n".join(_filled(item, "  ") for item in re.split(r"\n(?=- )", block))
    return _filled(block)


def _filled(text: str, indent: str = "") -> str:
    # Do not break a line within code, within brackets, before "%" and after "(p".
    unbroken = r"`[^`]*`|\[[^\]]*\]|\d %|\(p [<\d]"
    joined = re.sub(unbroken, lambda found: found[0].replace(" ", "\0"), " ".join(text.split()))
    lines = textwrap.fill(
        joined, _LINE, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\0", " ")
