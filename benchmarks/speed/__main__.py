"""Print and store the training tables of docs/performance.md: `python -m benchmarks.speed [--quick]`.

Both estimators of a row run one after the other. Times of this library are the best of three (of five
for predictions). Fits of scikit-learn run once, predictions three times. `--only tsvm` prints a
single table.
"""

import argparse
import platform
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Measurement
from benchmarks.speed import cases

RESULTS = Path(__file__).parents[1] / "results" / "speed.md"


def comparison_row(
    title: str, ours: Measurement, theirs: Measurement, other: str, target: str
) -> str:
    gap = ours.facts.get("gap")
    return (
        f"| {title} | {ours.wall:.3f} | {theirs.wall:.3f} | **{theirs.wall / ours.wall:.1f} x** "
        f"| {theirs.cpu / ours.cpu:.1f} x | {100 * ours.facts['accuracy']:.2f} "
        f"| {100 * theirs.facts['accuracy']:.2f} | {'' if gap is None else f'{gap:.0e}'} "
        f"| {ours.peak_mb:.0f} | {theirs.peak_mb:.0f} | {other} | {target} |"
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
            rows.append(
                comparison_row(title, ours, theirs, "LinearSVC(dual=False)", "6 x, 1 point")
            )
            print(rows[-1], flush=True)
    for n_rows, target in rbf_sizes:
        ours, theirs = cases.rbf_fit(True, n_rows, repeat=3), cases.rbf_fit(False, n_rows)
        title = f"RBF fit, moons, {n_rows:,} rows, rank {ours.facts['rank']}"
        rows.append(comparison_row(title, ours, theirs, "SVC", f"{target}, 0.5 points"))
        print(rows[-1], flush=True)
    n_rows = rbf_sizes[0][0]
    ours, theirs = cases.rbf_predict(True, n_rows, repeat=5), cases.rbf_predict(False, n_rows, 3)
    title = f"RBF predict, 20,000 rows, model of {n_rows:,}"
    rows.append(comparison_row(title, ours, theirs, "SVC", "20 x"))
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
    """FR-TSVM against TSVM, which has no memberships and no margin term; same solver for both."""
    sizes = {"linear": [20_000], "rbf": [3_000]} if quick else {"linear": [100_000, 1_000_000],
                                                               "rbf": [30_000, 100_000]}  # fmt: skip
    names = {
        "linear": "linear fit, {:,} x 50, 1 cluster(s) per class",
        "rbf": "RBF fit, moons, {:,} rows",
    }
    rows = []
    for kernel, n_rows in ((kernel, n_rows) for kernel, some in sizes.items() for n_rows in some):
        ours, theirs = (cases.twin_fit(side, kernel, n_rows, repeat=3) for side in (True, False))
        rows.append(
            comparison_row(names[kernel].format(n_rows), ours, theirs, "TSVMClassifier", "")
        )
        print(rows[-1], flush=True)
    return rows


_COMPARISON_HEADER = (
    "| task | FR-TSVM, s | other, s | wall ratio | CPU ratio | FR-TSVM accuracy, % | other, % "
    "| FR-TSVM gap | FR-TSVM peak, MB | other, MB | other estimator | target |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)
# By name: title, text before the table, header, function that returns the rows.
SECTIONS: dict[str, tuple[str, str, str, Callable[[bool], list[str]]]] = {
    "speed": (
        "Speed against scikit-learn",
        "A ratio above 1 means that FR-TSVM is faster. A target is the least wall ratio, and the "
        "largest loss of accuracy.",
        _COMPARISON_HEADER,
        speed_rows,
    ),
    "growth": (
        "Growth",
        "Twice the rows should take about twice the time.",
        "| task | half the rows, s | all rows, s | ratio | target |\n|---|---|---|---|---|",
        growth_rows,
    ),
    "rank": (
        "Automatic rank against the exact kernel",
        "Largest difference of the decision values, relative to the largest value. Target: at most "
        "1e-3, and the same labels.",
        "| rows | gamma | exact rank | automatic rank | difference | labels that differ "
        "| gap of the exact solution |\n|---|---|---|---|---|---|---|",
        rank_rows,
    ),
    "tsvm": (
        "FR-TSVM against TSVM",
        "Both use the same solver and the same slack cost; all other parameters have their defaults.",
        _COMPARISON_HEADER,
        twin_rows,
    ),
}


def section(name: str, quick: bool) -> str:
    title, text, header, rows = SECTIONS[name]
    parts = [f"## {title}", text, "\n".join([header, *rows(quick)])]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use small tables, and store nothing")
    parser.add_argument(
        "--only",
        nargs="*",
        choices=list(SECTIONS),
        help="print only these tables, and store nothing",
    )
    args = parser.parse_args()
    started = time.time()
    parts = [section(name, args.quick) for name in args.only or SECTIONS]
    parts.append(
        f"Python {platform.python_version()}, {platform.machine()}; "
        f"{time.time() - started:.0f} s in total."
    )
    text = "\n\n".join(parts) + "\n"
    if args.quick or args.only:
        print(f"\n{text}")
    else:
        RESULTS.write_text(text)
        print(f"\nwritten to {RESULTS}")


if __name__ == "__main__":
    main()
