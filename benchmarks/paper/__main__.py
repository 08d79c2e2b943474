"""`python -m benchmarks.paper [--plan full|quick|tiny]`: compute missing results, write the report.

The results of the full plan are committed in benchmarks/results/paper.json. A cell whose result is
stored with the digest of the present code and data is not computed again. `--report-only` computes
nothing and writes the report from the stored results.
"""

import argparse
import os
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.paper import artificial, datasets
from benchmarks.paper.cells import Cell
from benchmarks.paper.estimate import estimate
from benchmarks.paper.plan import PLANS, QUICK, Plan
from benchmarks.paper.report.document import write_report
from benchmarks.paper.result_file import ResultFile
from benchmarks.paper.results import Results
from benchmarks.paper.running import run
from benchmarks.paper.runs import Run, this_machine
from benchmarks.paper.store import Store

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--plan", choices=list(PLANS), default="full", help="how much to run (default: full)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=len(os.sched_getaffinity(0)),
        help="number of processes (default: the CPU cores of this machine)",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=ROOT / ".cache" / "paper",
        help="folder for the results of single cells (default: .cache/paper)",
    )
    parser.add_argument("--results", type=Path, help="JSON file with the results of all cells")
    parser.add_argument("--only", nargs="*", help="run only these experiments, and write no report")
    parser.add_argument(
        "--report-only", action="store_true", help="write the report from the stored results"
    )
    parser.add_argument(
        "--out", type=Path, help="folder for reproduction.md and its figures (full plan: docs)"
    )
    args = parser.parse_args()
    plan, quick = PLANS[args.plan], args.cache / QUICK.name
    full = plan.name == "full"
    out = args.out or (ROOT / "docs" if full else args.cache / plan.name)
    file = ROOT / "benchmarks/results/paper.json" if full else args.cache / plan.name / "paper.json"
    result_file = ResultFile(args.results or file)
    if full:
        # The report also tells the duration of the quick plan, if it has been run on this machine.
        result_file.runs |= {
            k: v for k, v in ResultFile(quick / "paper.json").runs.items() if k == QUICK.name
        }
    reproduce(plan, Store(args.cache, result_file), out, args.jobs, args.only, args.report_only)


def reproduce(
    plan: Plan,
    store: Store,
    out: Path,
    jobs: int,
    only: list[str] | None = None,
    report_only: bool = False,
) -> None:
    available, reasons = _available(plan)
    for reason in reasons:
        print(f"data set not available: {reason}", flush=True)
    wanted = plan.experiments(plan.sets)
    record = Run.of(store.result_file.runs.get(plan.name))
    computed = 0
    if not report_only:
        asked = plan.experiments(available)
        asked = {name: cells for name, cells in asked.items() if only is None or name in only}
        print(estimate([cell for cells in asked.values() for cell in cells], store, jobs))
        for name, cells in asked.items():
            try:
                computed += _run(name, cells, store, jobs, record)
            finally:  # store the results of an interrupted run, too
                store.result_file.runs[plan.name] = record.stored()
                store.keep(cells, _all(wanted))
    shown = _shown(wanted, available, plan, store)
    sets = {name for cells in shown.values() for cell in cells for name in cell.data}
    left_out = [reason for reason in reasons if reason.split(":")[0] not in sets]
    others = {
        name: Run.of(one) for name, one in store.result_file.runs.items() if name != plan.name
    }
    results = Results(plan, shown, store, left_out, record, others)
    record.cpu = sum(results.cpu_seconds(name) for name in wanted)
    if only is None:
        # The matrix products for the figures are too small for a second BLAS thread to pay.
        with threadpool_limits(limits=1, user_api="blas"):
            path = write_report(results, out, timed=computed > 0)
        print(f"{path}; {record.wall_seconds:.0f} s in total")
    if not report_only:
        store.result_file.runs[plan.name] = record.stored()
        store.result_file.write(_all(wanted))


def _run(name: str, cells: list[Cell], store: Store, jobs: int, record: Run) -> int:
    there = sum(store.get(cell) is not None for cell in cells)
    if there == len(cells):
        return 0
    record.machine = this_machine(jobs)
    with record.timed(name, afresh=there == 0):
        return run(cells, store, jobs=jobs, title=name)


def _shown(
    wanted: dict[str, list[Cell]], available: list[str], plan: Plan, store: Store
) -> dict[str, list[Cell]]:
    """Cells to report: those whose data set is available, and those with a stored result."""
    here = {name: set(cells) for name, cells in plan.experiments(available).items()}
    return {
        name: [
            cell for cell in cells if cell in here[name] or store.result_file.get(cell) is not None
        ]
        for name, cells in wanted.items()
    }


def _all(experiments: dict[str, list[Cell]]) -> list[Cell]:
    return [cell for cells in experiments.values() for cell in cells]


def _available(plan: Plan) -> tuple[list[str], list[str]]:
    found, reasons = datasets.available([name for name in plan.sets if name != "ripley"])
    if "ripley" in plan.sets:
        try:
            artificial.ripley()
        except datasets.MissingDataset as reason:
            reasons.append(str(reason))
        else:
            found.append("ripley")
    return found, reasons


if __name__ == "__main__":
    main()
