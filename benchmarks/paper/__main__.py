"""`python -m benchmarks.paper [--plan full|quick|tiny]`: run what is missing, then write the report."""

import argparse
import os
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.paper import artificial, datasets
from benchmarks.paper.cells import Store, run
from benchmarks.paper.plan import PLANS, Plan
from benchmarks.paper.report.document import write_report
from benchmarks.paper.results import Results

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", choices=list(PLANS), default="full")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "paper")
    parser.add_argument("--only", nargs="*", help="run these experiments only, and write no report")
    parser.add_argument("--report-only", action="store_true", help="report on what is there")
    parser.add_argument(
        "--out", type=Path, help="folder of reproduction.md and its figures (full plan: docs)"
    )
    args = parser.parse_args()
    plan = PLANS[args.plan]
    out = args.out or (ROOT / "docs" if plan.name == "full" else args.cache / plan.name)
    reproduce(plan, Store(args.cache), out, args.jobs, args.only, args.report_only)


def reproduce(
    plan: Plan,
    store: Store,
    out: Path,
    jobs: int,
    only: list[str] | None = None,
    report_only: bool = False,
) -> None:
    began = time.perf_counter()
    available, reasons = _available(plan)
    for reason in reasons:
        print(f"left out: {reason}", flush=True)
    experiments = plan.experiments(available)
    for name, cells in experiments.items():
        if not report_only and (only is None or name in only):
            run(cells, store, jobs=jobs, title=name)
    if only is None:
        # The products behind the figures are thin: a second BLAS thread would only wait.
        with threadpool_limits(limits=1, user_api="blas"):
            path = write_report(Results(plan, experiments, store, reasons), out)
        print(f"{path} after {time.perf_counter() - began:.0f} s")


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
