"""The results that are committed: one JSON file, one line per cell.

Cells of one kind have the same few shapes of result, so a line has the values only:
"key": [digest, CPU seconds, number of the shape, value, value, ...].
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper.cells import Cell, Result

_SEPARATOR = "/"

# Digest, CPU seconds, result.
Line = tuple[str, float, Result]


class ResultFile:
    """Results by kind and key, and the records of the runs that made them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: dict[str, Any] = {}
        self._lines: dict[str, dict[str, Line]] = {}
        if path.is_file():
            stored = json.loads(path.read_text())
            self.runs = stored["runs"]
            for kind, part in stored["cells"].items():
                self._lines[kind] = {
                    key: (digest, seconds, _unfolded(part["shapes"][shape], values))
                    for key, (digest, seconds, shape, *values) in part["lines"].items()
                }

    def get(self, cell: Cell) -> Line | None:
        return self._lines.get(type(cell).__name__, {}).get(cell.key())

    def put(self, cell: Cell, digest: str, cpu_seconds: float, result: Result) -> None:
        lines = self._lines.setdefault(type(cell).__name__, {})
        lines[cell.key()] = (digest, cpu_seconds, result)

    def write(self, wanted: Sequence[Cell]) -> None:
        """Everything that belongs to the wanted cells, in their order."""
        kept: dict[str, dict[str, Line]] = {}
        for cell in wanted:
            line = self.get(cell)
            if line is not None:
                kept.setdefault(type(cell).__name__, {})[cell.key()] = line
        self._lines = kept
        partial = self.path.with_suffix(".partial")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(_document(self.runs, kept))
        partial.replace(self.path)


def _document(runs: dict[str, Any], lines_of: dict[str, dict[str, Line]]) -> str:
    kinds = []
    for kind, lines in lines_of.items():
        shapes: list[list[str]] = []
        texts = []
        for key, (digest, seconds, result) in lines.items():
            paths, values = zip(*_folded(result), strict=True)
            if list(paths) not in shapes:
                shapes.append(list(paths))
            line = [digest, seconds, shapes.index(list(paths)), *values]
            texts.append(f"{json.dumps(key)}: {_short(line)}")
        body = ",\n".join(texts)
        kinds.append(f'{json.dumps(kind)}: {{"shapes": {_short(shapes)}, "lines": {{\n{body}}}}}')
    return f'{{"runs": {_short(runs)},\n"cells": {{{",".join(kinds)}}}}}\n'


def _short(value: Any) -> str:
    return json.dumps(_whole(value), separators=(",", ":"))


def _whole(value: Any) -> Any:
    """16.0 as 16: half of the parameters are such numbers."""
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _folded(result: Result, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in result.items():
        if isinstance(value, dict):
            yield from _folded(value, f"{before}{name}{_SEPARATOR}")
        else:
            yield f"{before}{name}", value


def _unfolded(paths: Sequence[str], values: Sequence[Any]) -> Result:
    result: Result = {}
    for path, value in zip(paths, values, strict=True):
        *folders, name = path.split(_SEPARATOR)
        place = result
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = value
    return result
