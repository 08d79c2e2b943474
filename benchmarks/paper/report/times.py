"""Part of the section on the UCI sets: training times, as a figure and a table."""

from pathlib import Path

import numpy as np

from benchmarks.paper.comparisons import protocol_seconds
from benchmarks.paper.datasets import UCI_SETS
from benchmarks.paper.figures.times import draw_times
from benchmarks.paper.methods.registry import KERNEL_TITLES, KERNELS, METHODS, PAPER_METHODS
from benchmarks.paper.report.markdown import fastest, figure, table
from benchmarks.paper.results import Results


def times_section(results: Results, folder: Path) -> str:
    seconds = {kernel: protocol_seconds(results, kernel) for kernel in KERNELS}
    if not all(seconds.values()):
        return ""
    drawn = figure(
        folder / "uci_times.png",
        lambda path: draw_times(seconds, path),
        "Training time",
        results.made_by("protocol"),
    )
    rows = []
    for kernel, by_set in seconds.items():
        milliseconds = {name: 1000.0 * values for name, values in by_set.items()}
        for name, values in milliseconds.items():
            rows.append([f"{KERNEL_TITLES[kernel]}, {UCI_SETS[name].title}", *fastest(values)])
        mean = np.exp(np.mean(np.log(np.stack(list(milliseconds.values()))), axis=0))
        rows.append([f"{KERNEL_TITLES[kernel]}, geometric mean over the sets", *fastest(mean)])
    header = ["CPU ms of one fit", *(METHODS[method].title for method in PAPER_METHODS)]
    return f"""### Training time

{drawn}

The times are those of one fit on the training rows of a fold with the tuned parameters, including
kernel and memberships, best of three. SVM and FSVM use libsvm (C++). The paper solved SVM, FSVM and
TSVM with MATLAB's general-purpose quadprog, and only FR-TSVM with a specialized algorithm.

All sets have at most a few hundred rows, so most times are a few milliseconds; for many rows see
[performance.md](performance.md). The last row of each kernel is the geometric mean over the sets.

{table(header, rows)}

{results.made_by("protocol")}"""
