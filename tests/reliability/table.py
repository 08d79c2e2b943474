"""Format the results as a table, and write it into docs/reliability.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.reliability.programme import Row

BEGIN = "<!-- table: make test-reliability -->"
END = "<!-- end of table -->"


def table(rows: Mapping[str, Row], results: Mapping[str, list[dict[str, Any]]]) -> str:
    """Table in Markdown, with one line per row."""
    lines = [
        "| row | test | cases | seconds | violations | other counts |",
        "|---|---|---:|---:|---:|---|",
    ]
    for key, row in rows.items():
        parts = results.get(key, [])
        lines.append(f"| {key} | {row.title} | {_cells(parts)} |")
    return "\n".join(lines)


def _cells(parts: list[dict[str, Any]]) -> str:
    missing = {part["missing"] for part in parts if part["missing"]}
    if not parts or missing:
        return f"| | not run | {'; '.join(sorted(missing))}"
    cases = sum(part["cases"] for part in parts)
    seconds = sum(part["seconds"] for part in parts)
    wrong = sum(part["violations"] for part in parts)
    return f"{cases:,} | {seconds:,.0f} | {wrong} | {_facts(parts)}"


def _facts(parts: list[dict[str, Any]]) -> str:
    """Combine the facts of all parts: maximum if the name begins with `largest`, else sum."""
    totals: dict[str, float] = {}
    for part in parts:
        for name, amount in part["facts"].items():
            known = totals.get(name, 0)
            totals[name] = max(known, amount) if name.startswith("largest") else known + amount
    return ", ".join(f"{name} {amount:,.6g}" for name, amount in totals.items())


def write_into(page: Path, text: str, circumstances: str) -> None:
    """Replace the table in the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    block = f"{BEGIN}\n{circumstances}.\n\n{text}\n{END}"
    page.write_text(before + block + after, encoding="utf-8")
