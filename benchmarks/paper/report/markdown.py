"""Tables in Markdown."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.paper.datasets import MissingDataset


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """The first column to the left, the others, if they are numbers, to the right."""
    rule = "|---" + ("|---:" if numbers else "|---") * (len(header) - 1) + "|"
    lines = ["| " + " | ".join(header) + " |", rule]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def bold_best(values: Sequence[float], texts: Sequence[str], *, lowest: bool = False) -> list[str]:
    """Texts with the best value in bold; equals, to two decimals, together; all equal: none."""
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
    """The figure and what is said of it. Where its data are not there an earlier drawing stays."""
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
