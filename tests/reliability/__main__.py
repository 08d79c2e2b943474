"""Run all rows of the reliability tests and print their table (`make test-reliability`).

Each row runs in parts. The results of complete parts are stored in a file, so that an interrupted
run continues where it stopped. After a change of the code the run starts from the beginning, unless
`--keep` is given, and then the table names the rows that ran on older code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.reliability.programme import NotPossible, Row, Run, all_rows
from tests.reliability.table import table, write_into

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".reliability" / "results.json"
PAGE = ROOT / "docs" / "reliability.md"


def main() -> int:
    """Run the parts that have no result yet; return 1 if there are violations."""
    options = _options()
    results = _Results(options.results, options.counts, fresh=options.fresh, keep=options.keep)
    rows = all_rows()
    chosen = [rows[key] for key in (options.rows.split(",") if options.rows else rows)]
    if not options.table_only:
        with ExitStack() as stack:
            databases = _Databases(stack)
            for row in chosen:
                _execute(row, options.counts, results, databases)
    print(table(rows, results.by_row()))
    if options.write:
        write_into(PAGE, table(rows, results.by_row()), _circumstances(results))
    return 1 if results.n_violations() else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument(
        "--counts",
        choices=("full", "quick"),
        default="full",
        help="number of cases: full, or quick as in `make test` (default full)",
    )
    parser.add_argument("--rows", help="keys of rows, separated by commas (default: all)")
    parser.add_argument(
        "--results",
        type=Path,
        default=RESULTS,
        help="file of the results (default .reliability/results.json)",
    )
    parser.add_argument("--fresh", action="store_true", help="discard the stored results")
    parser.add_argument(
        "--keep", action="store_true", help="keep results of older code, and mark them"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reliability.md"
    )
    parser.add_argument(
        "--table-only", action="store_true", help="run nothing, only print the table"
    )
    return parser.parse_args()


def _execute(row: Row, counts: str, results: _Results, databases: _Databases) -> None:
    total = row.full if counts == "full" else row.quick
    size = row.part if counts == "full" else max(1, total)
    for number, start in enumerate(range(0, total, size)):
        if results.has(row.key, number):
            continue
        with tempfile.TemporaryDirectory(prefix=f"frtsvm-{row.key}-") as folder:
            run = Run(min(size, total - start), number, Path(folder), databases.new)
            began, before = time.monotonic(), _cpu_seconds()
            missing = ""
            try:
                row.execute(run)
            except NotPossible as why:
                missing = str(why)
            except KeyboardInterrupt:
                raise
            except Exception:  # a row that raises has not passed
                run.add_violations(f"The row raised an exception: {traceback.format_exc()[-1500:]}")
            seconds, cpu = time.monotonic() - began, _cpu_seconds() - before
        results.add(row.key, number, run, seconds, missing)
        said = f"not run: {missing}" if missing else f"{run.n_violations} violations"
        spent = f"{seconds:.0f} s ({cpu:.0f} s CPU time)"
        print(f"{row.key} part {number}: {run.cases} cases, {spent}, {said}", flush=True)
        for text in run.violations:
            print(f"    {text}", flush=True)


def _cpu_seconds() -> float:
    """CPU time of this process and of its ended children, in seconds."""
    return sum(os.times()[:4])


class _Databases:
    """One PostgreSQL server, started when a row first needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._postgres: Any = None

    def new(self) -> str:
        """Create an empty database and return its URL."""
        if self._postgres is None:
            from tests.app.postgres import Postgres

            self._postgres = self._stack.enter_context(Postgres())
        url: str = self._postgres.new_database()
        return url


class _Results:
    """The file of results, with one entry per part of a row."""

    def __init__(self, path: Path, counts: str, *, fresh: bool, keep: bool) -> None:
        self._path = path
        self._code = _digest_of_code()
        self._known: dict[str, Any] = {"code": self._code, "counts": counts, "parts": {}}
        if path.exists() and not fresh:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["counts"] == counts and (keep or found["code"] == self._code):
                for part in found["parts"].values():
                    part.setdefault("code", found["code"])
                self._known = {**found, "code": self._code}
            else:
                print(
                    "the code or the counts have changed; starting from the beginning",
                    flush=True,
                )

    def has(self, key: str, number: int) -> bool:
        """Whether a part is complete."""
        return f"{key}/{number}" in self._known["parts"]

    def add(self, key: str, number: int, run: Run, seconds: float, missing: str) -> None:
        """Store the result of a part."""
        self._known["parts"][f"{key}/{number}"] = {
            "cases": run.cases,
            "seconds": round(seconds, 2),
            "violations": run.n_violations,
            "examples": run.violations,
            "facts": run.facts,
            "missing": missing,
            "code": self._code,
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".partial")
        partial.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
        partial.replace(self._path)

    def by_row(self) -> dict[str, list[dict[str, Any]]]:
        """Results of the parts of each row."""
        found: dict[str, list[dict[str, Any]]] = {}
        for name, part in self._known["parts"].items():
            found.setdefault(name.split("/")[0], []).append(part)
        return found

    def of_other_code(self) -> list[str]:
        """Rows that ran, at least partly, on older code."""
        parts = self._known["parts"].items()
        return sorted({name.split("/")[0] for name, part in parts if part["code"] != self._code})

    def n_violations(self) -> int:
        """Number of violations of all parts."""
        return sum(part["violations"] for part in self._known["parts"].values())


def _digest_of_code() -> str:
    """Digest of the source of the service and of the reliability tests."""
    digest = hashlib.sha256()
    for folder in ("app", "frtsvm_core", "tests/reliability"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".c", ".toml"):
                digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


def _circumstances(results: _Results) -> str:
    seconds = sum(part["seconds"] for parts in results.by_row().values() for part in parts)
    done = subprocess.run(
        ["git", "log", "-1", "--format=%h of %cs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    python = ".".join(map(str, sys.version_info[:2]))
    said = f"{seconds / 60:.0f} minutes, Python {python}, commit {done.stdout.strip()}"
    before = results.of_other_code()
    return f"{said}. Rows that ran on older code: {', '.join(before)}" if before else said


if __name__ == "__main__":
    sys.exit(main())
