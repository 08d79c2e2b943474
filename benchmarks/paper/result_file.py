"""The committed results: one JSON file, one line per cell.

Results of one kind of cell have the same few sets of keys ("shapes"), so a line has the values only:
"key": [digest, CPU seconds, index of the shape, value, value, ...].
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.paper.cells import Cell, Result

_SEPARATOR = "/"

# Digest, CPU seconds, result.
StoredResult = tuple[str, float, Result]


class ResultFile:
    """Results by kind and key of the cell, and the records of the runs that computed them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: dict[str, Any] = {}
        self._lines: dict[str, dict[str, StoredResult]] = {}
        if path.is_file():
            stored = json.loads(path.read_text())
            self.runs = stored["runs"]
            for kind, part in stored["cells"].items():
                self._lines[kind] = {
                    key: (digest, seconds, _nested(part["shapes"][shape], values))
                    for key, (digest, seconds, shape, *values) in part["lines"].items()
                }

    def get(self, cell: Cell) -> StoredResult | None:
        return self._lines.get(type(cell).__name__, {}).get(cell.key())

    def put(self, cell: Cell, digest: str, cpu_seconds: float, result: Result) -> None:
        lines = self._lines.setdefault(type(cell).__name__, {})
        lines[cell.key()] = (digest, cpu_seconds, result)

    def write(self, wanted: Sequence[Cell]) -> None:
        """Write the results of the wanted cells, in their order; other results are dropped."""
        selected: dict[str, dict[str, StoredResult]] = {}
        for cell in wanted:
            line = self.get(cell)
            if line is not None:
                selected.setdefault(type(cell).__name__, {})[cell.key()] = line
        self._lines = selected
        partial = self.path.with_suffix(".partial")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(_document(self.runs, selected))
        partial.replace(self.path)


def _document(runs: dict[str, Any], lines_of: dict[str, dict[str, StoredResult]]) -> str:
    kinds = []
    for kind, lines in lines_of.items():
        shapes: list[list[str]] = []
        texts = []
        for key, (digest, seconds, result) in lines.items():
            paths, values = zip(*_flattened(result), strict=True)
            if list(paths) not in shapes:
                shapes.append(list(paths))
            line = [digest, seconds, shapes.index(list(paths)), *values]
            texts.append(f"{json.dumps(key)}: {_compact_json(line)}")
        body = ",\n".join(texts)
        kinds.append(
            f'{json.dumps(kind)}: {{"shapes": {_compact_json(shapes)}, "lines": {{\n{body}}}}}'
        )
    return f'{{"runs": {_compact_json(runs)},\n"cells": {{{",".join(kinds)}}}}}\n'


def _compact_json(value: Any) -> str:
    return json.dumps(_integral(value), separators=(",", ":"))


def _integral(value: Any) -> Any:
    """Replace 16.0 by 16, which shortens the file: half of the parameters are integers."""
    if isinstance(value, list):
        return [_integral(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _flattened(result: Result, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in result.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{before}{name}{_SEPARATOR}")
        else:
            yield f"{before}{name}", value


def _nested(paths: Sequence[str], values: Sequence[Any]) -> Result:
    result: Result = {}
    for path, value in zip(paths, values, strict=True):
        *folders, name = path.split(_SEPARATOR)
        place = result
        for folder in folders:
            place = place.setdefault(folder, {})
        place[name] = value
    return result
