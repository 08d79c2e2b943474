"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


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


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
