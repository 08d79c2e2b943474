"""Benchmarks of the parameter search; prints its tables and stores them in benchmarks/results.

Usage: `python -m benchmarks.search [table]`; without a table, all of them. `--sets heart,pima` with
`auto`, `penalty` or `newcomer` measures these data sets only and stores no table. The measurements
of these three tables are cached per data set in .cache/search until the code changes.
"""

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.search import automatic, grid, large, newcomer, service
from benchmarks.search.datasets import ALL_SETS, SMALL_SETS

RESULTS = Path(__file__).parents[1] / "results"


def grid_table() -> list[str]:
    return ["## The paper's grid", "", *_printed(grid.HEADER), *grid.rows()]


def auto_table(names: Sequence[str] = SMALL_SETS) -> list[str]:
    return _nested_table(names, automatic.FULL)


def penalty_table(names: Sequence[str] = SMALL_SETS) -> list[str]:
    return _nested_table(names, automatic.PAPER_PENALTY)


def _nested_table(names: Sequence[str], other: automatic.Comparison) -> list[str]:
    if not os.environ.get("FRTSVM_DATA_DIR"):
        return [f"FRTSVM_DATA_DIR is not set; search='auto' was not compared with {other.name}."]
    title = f'## search="auto" against {other.name}, nested cross-validation'
    return [title, "", *_printed(other.header), *automatic.rows(names, other)]


def newcomer_table(names: Sequence[str] = ALL_SETS, budget: float | None = None) -> list[str]:
    if not os.environ.get("FRTSVM_DATA_DIR"):
        return ["FRTSVM_DATA_DIR is not set; the comparison with a tuned SVC was skipped."]
    title = '## "params": "auto" against a tuned SVC'
    return [title, "", *_printed(newcomer.HEADER), *newcomer.rows(names, budget)]


def large_table() -> list[str]:
    title = '## search="auto" on 100,000 rows of two moons'
    return [title, "", *_printed(large.HEADER), *large.rows()]


def service_table() -> list[str]:
    if not os.environ.get("FRTSVM_DATA_DIR"):
        return ["FRTSVM_DATA_DIR is not set; the searches of the service were skipped."]
    title = '## "params": "auto" in the service, within the default budget of 30 s'
    return [title, "", *_printed(service.HEADER), *service.rows()]


TABLES: dict[str, Callable[[], list[str]]] = {
    "grid": grid_table,
    "auto": auto_table,
    "penalty": penalty_table,
    "newcomer": newcomer_table,
    "large": large_table,
    "service": service_table,
}


def _printed(lines: list[str]) -> list[str]:
    print("\n".join(lines), flush=True)
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "table", nargs="?", choices=list(TABLES), help="table to measure (default: all)"
    )
    parser.add_argument(
        "--sets", help="comma-separated names of data sets, for auto, penalty and newcomer"
    )
    parser.add_argument(
        "--budget", type=float, help="time budget of each search of newcomer, in seconds"
    )
    given = parser.parse_args(arguments)
    if given.budget is not None and given.table not in (None, "newcomer"):
        parser.error("--budget can only be used with the table newcomer")
    if given.sets:
        print_selected(parser, given.table, given.sets.split(","), given.budget)
        return
    for name in [given.table] if given.table else TABLES:
        lines = newcomer_table(budget=given.budget) if name == "newcomer" else TABLES[name]()
        where = RESULTS / f"search-{name}.md"
        note = f"Python {platform.python_version()}, {platform.machine()}."
        where.write_text("\n".join([*lines, "", note, ""]))
        print(f"stored in {where}\n")


def print_selected(
    parser: argparse.ArgumentParser, table: str | None, names: list[str], budget: float | None
) -> None:
    """Print the lines of some data sets."""
    if unknown := sorted(set(names) - set(ALL_SETS)):
        parser.error(f"unknown data set: {', '.join(unknown)}; known: {', '.join(ALL_SETS)}")
    if table == "auto":
        auto_table(names)
    elif table == "penalty":
        penalty_table(names)
    elif table == "newcomer":
        newcomer_table(names, budget)
    else:
        parser.error("--sets can only be used with the tables auto, penalty and newcomer")


if __name__ == "__main__":
    main()
