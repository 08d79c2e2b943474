"""Print and store the tables of docs/performance.md: `python -m benchmarks.speed [--quick]`.

Both sides of each row run one after the other in this run; ours is the best of three, as is
scikit-learn's where it takes seconds (its long fits run once). `--only tsvm` prints one table.
"""

import argparse
import platform
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Measurement
from benchmarks.speed import cases

RESULTS = Path(__file__).parents[1] / "results" / "speed.md"


def versus(title: str, ours: Measurement, theirs: Measurement, other: str, bar: str) -> str:
    gap = ours.facts.get("gap")
    return (
        f"| {title} | {ours.wall:.3f} | {theirs.wall:.3f} | **{theirs.wall / ours.wall:.1f} x** "
        f"| {theirs.cpu / ours.cpu:.1f} x | {100 * ours.facts['accuracy']:.2f} "
        f"| {100 * theirs.facts['accuracy']:.2f} | {'' if gap is None else f'{gap:.0e}'} "
        f"| {ours.peak_mb:.0f} | {theirs.peak_mb:.0f} | {other} | {bar} |"
    )


def speed_rows(quick: bool) -> list[str]:
    linear_sizes = [20_000] if quick else [100_000, 1_000_000]
    rbf_sizes = [(3_000, "")] if quick else [(30_000, "5 x"), (100_000, "20 x")]
    rows = []
    for n_rows in linear_sizes:
        for clusters in (1, 2):
            ours = cases.linear_fit(True, n_rows, clusters, repeat=3)
            theirs = cases.linear_fit(False, n_rows, clusters)
            title = f"linear fit, {n_rows:,} x 50, {clusters} cluster(s) per class"
            rows.append(versus(title, ours, theirs, "LinearSVC(dual=False)", "6 x, 1 point"))
            print(rows[-1], flush=True)
    for n_rows, bar in rbf_sizes:
        ours, theirs = cases.rbf_fit(True, n_rows, repeat=3), cases.rbf_fit(False, n_rows)
        title = f"RBF fit, moons, {n_rows:,} rows, rank {ours.facts['rank']}"
        rows.append(versus(title, ours, theirs, "SVC", f"{bar}, 0.5 points"))
        print(rows[-1], flush=True)
    n_rows = rbf_sizes[0][0]
    ours, theirs = cases.rbf_predict(True, n_rows, repeat=5), cases.rbf_predict(False, n_rows, 3)
    title = f"RBF predict, 20,000 rows, model of {n_rows:,}"
    rows.append(versus(title, ours, theirs, "SVC", "20 x"))
    print(rows[-1], flush=True)
    return rows


def growth_rows(quick: bool) -> list[str]:
    half = 10_000 if quick else 500_000
    times = [cases.linear_fit(True, n, 1, repeat=3) for n in (half, 2 * half)]
    row = (
        f"| linear fit, {half:,} -> {2 * half:,} x 50 | {times[0].wall:.3f} | {times[1].wall:.3f} "
        f"| **x {times[1].wall / times[0].wall:.2f}** | x 2.3 at most |"
    )
    print(row, flush=True)
    return [row]


def rank_rows(quick: bool) -> list[str]:
    rows = []
    for n_rows in [500] if quick else [500, 1000]:
        for gamma in (0.5, 2.0, 12.5):
            facts = cases.auto_rank(n_rows, gamma).facts
            rows.append(
                f"| {n_rows:,} | {gamma} | {facts['exact_rank']} | {facts['rank']} "
                f"| {facts['difference']:.1e} | {facts['labels_differ']} of {cases.N_TEST:,} "
                f"| {facts['gap']:.0e} |"
            )
            print(rows[-1], flush=True)
    return rows


def twin_rows(quick: bool) -> list[str]:
    """Against the twin SVM without memberships and margin term, solved by the same code."""
    sizes = {"linear": [20_000], "rbf": [3_000]} if quick else {"linear": [100_000, 1_000_000],
                                                               "rbf": [30_000, 100_000]}  # fmt: skip
    names = {
        "linear": "linear fit, {:,} x 50, 1 cluster(s) per class",
        "rbf": "RBF fit, moons, {:,} rows",
    }
    rows = []
    for kernel, n_rows in ((kernel, n_rows) for kernel, some in sizes.items() for n_rows in some):
        ours, theirs = (cases.twin_fit(side, kernel, n_rows, repeat=3) for side in (True, False))
        rows.append(versus(names[kernel].format(n_rows), ours, theirs, "TSVMClassifier", ""))
        print(rows[-1], flush=True)
    return rows


_VERSUS = (
    "| what | ours, s | theirs, s | wall ratio | CPU ratio | our accuracy, % | theirs, % "
    "| our gap | our peak, MB | theirs, MB | against | bar |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)
# By name: title, what is said before the table, its header, its rows.
SECTIONS: dict[str, tuple[str, str, str, Callable[[bool], list[str]]]] = {
    "speed": ("Speed against scikit-learn", "", _VERSUS, speed_rows),
    "growth": (
        "Growth",
        "",
        "| what | half, s | whole, s | ratio | bar |\n|---|---|---|---|---|",
        growth_rows,
    ),
    "rank": (
        "Automatic rank against the exact kernel",
        "Largest difference of decision values relative to the largest value; bar: 1e-3, same labels.",
        "| rows | gamma | exact rank | auto rank | difference | labels that differ "
        "| gap of the exact solution |\n|---|---|---|---|---|---|---|",
        rank_rows,
    ),
    "tsvm": (
        "FR-TSVM against TSVM",
        "The same solver for both, the same cost of slack, all else at its default.",
        _VERSUS,
        twin_rows,
    ),
}


def section(name: str, quick: bool) -> str:
    title, said, header, rows = SECTIONS[name]
    parts = [f"## {title}", said, "\n".join([header, *rows(quick)])]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing stored")
    parser.add_argument("--only", nargs="*", choices=list(SECTIONS), help="these, nothing stored")
    args = parser.parse_args()
    started = time.time()
    parts = [section(name, args.quick) for name in args.only or SECTIONS]
    parts.append(
        f"Python {platform.python_version()}, {platform.machine()}; "
        f"{time.time() - started:.0f} s in all."
    )
    text = "\n\n".join(parts) + "\n"
    if args.quick or args.only:
        print(f"\n{text}")
    else:
        RESULTS.write_text(text)
        print(f"\nstored in {RESULTS}")


if __name__ == "__main__":
    main()
