"""Random JSON documents that are designed to mislead a parser that takes shortcuts."""

from __future__ import annotations

import json
import random

#: Cells: numbers in all notations, and texts that are not JSON numbers.
NUMBERS = (
    "0", "-0", "-0.0", "1", "-7", "0.1", "1e5", "1E-7", "2.5e+3", "1e308", "5e-324", "1e-400",
    "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
    "18446744073709551615", "0.30000000000000004", "1.7976931348623157e308", "123456789.123456789",
)  # fmt: skip
ODD = (
    "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "18446744073709551616", "1" + "0" * 400,
    "true", "false", "null", '"1"', '"a]b"', '"["', '""', "[]", "[1]", "[1,2]", "{}", '{"X":[[1]]}',
    "01", "1.", ".5", "+1", "-", "1e", "1 2", "0x10", "1_000", "", "nul", "e", "--1", "1e5e5",
    "\u00a0", "/*1*/", '"\\u0041"', '"\ud800"', "\ufeff1", "[[[[[[1]]]]]]",
)  # fmt: skip
BLANKS = ("", "", "", " ", "\n", "\t", "\r\n", "  ", "\u00a0", "\x0b")
FIELDS = (
    '"model":"m"', '"version":1', '"alias":"a"', '"alias":null', '"model":"a\\"X\\":[[1]]"',
    '"X":[[9]]', '"x":[[1,2]]', '"unknown":{"X":[[1,2],[3,4]]}', '"model":1', '"model":"X"',
    '"\\u0058":[[5]]', '"version":1.0', '"model":"caf\u00e9"', '"version":NaN',
    '"outputs":["labels"]', '"outputs":[]',
)  # fmt: skip


class Documents:
    """Creates bodies of POST /predict; many are valid, most others almost valid."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def __call__(self) -> bytes:
        """Return the next body."""
        fields = self._chance.choices(FIELDS, k=self._chance.choice((0, 0, 1, 2)))
        if self._chance.random() < 0.97:
            place = self._chance.randint(0, len(fields))
            fields.insert(place, f'"X"{self._blank()}:{self._blank()}{self._rows()}')
        text = "{" + ",".join(fields) + "}"
        if self._chance.random() < 0.05:
            text = self._chance.choice(
                (f"[{text}]", text[:-1], text + "}", text + ",", "\ufeff" + text)
            )
        body = text.encode("utf-8", "surrogatepass")
        return self._damaged(body) if self._chance.random() < 0.15 else body

    def _rows(self) -> str:
        """Return a matrix, about half of them with an error."""
        n_rows, width = self._chance.randint(1, 6), self._chance.randint(1, 4)
        rows = [[self._chance.choice(NUMBERS) for _ in range(width)] for _ in range(n_rows)]
        if self._chance.random() < 0.35:
            self._chance.choice(rows)[self._chance.randrange(width)] = self._chance.choice(ODD)
        if self._chance.random() < 0.15:
            row = self._chance.choice(rows)
            row.append("1") if self._chance.random() < 0.5 else row.pop()
        if self._chance.random() < 0.1:
            # One row is too long and one too short, so the total is right.
            rows += [["1"] * (width + 1), ["1"] * (width - 1)]
        written = [self._list(row) for row in rows]
        if self._chance.random() < 0.08:
            written[self._chance.randrange(len(written))] = self._chance.choice(
                ("1", "[]", "[[1]]", '{"a":1}', "null", "", "[1],", '"[1]"')
            )
        if self._chance.random() < 0.05:
            return json.dumps([{"a": 1, "b": 2.5} for _ in rows])
        return self._list(written)

    def _list(self, items: list[str]) -> str:
        joined = ",".join(f"{self._blank()}{item}{self._blank()}" for item in items)
        return f"[{joined}]"

    def _blank(self) -> str:
        return self._chance.choice(BLANKS) if self._chance.random() < 0.1 else ""

    def _damaged(self, body: bytes) -> bytes:
        """Remove, insert or change a byte, or move a few bytes."""
        at = self._chance.randrange(len(body))
        kind = self._chance.randrange(4)
        if kind == 0:
            return body[:at] + body[at + 1 :]
        if kind == 1:
            more = self._chance.choice(
                (b"[", b"]", b",", b'"', b"\\", b"\xff", b"0", b" ", b"{", b"\x00")
            )
            return body[:at] + more + body[at:]
        if kind == 2:
            return body[:at] + bytes([self._chance.randrange(256)]) + body[at + 1 :]
        end = at + self._chance.randint(1, 8)
        return body[:at] + body[end:] + body[at:end]
