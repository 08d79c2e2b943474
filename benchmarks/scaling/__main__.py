"""`python -m benchmarks.scaling`: a linear fit on Parquet files larger than the memory of all workers.

Writes the files one by one, and fits on a local cluster whose workers are killed if they exceed their
memory limit. Prints the duality gap after each round over the data, then the duration, the final
gap, and the peak memory of each worker. With --compare it also fits in memory, in this process, and
prints the difference of the planes.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster
from numpy.typing import NDArray

from frtsvm_core import FRTSVMClassifier
from frtsvm_core.distributed import Round, fit_distributed

MB = 1e6


def block(number: int, n_rows: int, n_features: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of one file: two overlapping classes with 10 % wrong labels."""
    shape = np.random.default_rng(0)
    mixing = np.eye(n_features) + 0.3 * shape.normal(size=(n_features, n_features))
    apart = shape.normal(size=n_features)
    rng = np.random.default_rng([1, number])
    codes = rng.integers(0, 2, n_rows)
    rows = rng.normal(size=(n_rows, n_features)) @ mixing + (codes[:, None] - 0.5) * apart
    return rows, np.where(rng.random(n_rows) < 0.1, 1 - codes, codes)


def write(folder: Path, n_rows: int, n_features: int, per_file: int) -> int:
    """Write the files; return their number."""
    n_files = -(-n_rows // per_file)
    for number in range(n_files):
        rows, labels = block(number, min(per_file, n_rows - number * per_file), n_features)
        columns = {f"x{i}": rows[:, i] for i in range(n_features)} | {"label": labels}
        pq.write_table(pa.table(columns), folder / f"{number:06}.parquet")
    return n_files


def peak_bytes() -> int:
    """Peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Parse the options, run the benchmark in a temporary folder, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000_000, help="number of rows")
    parser.add_argument("--features", type=int, default=20, help="number of columns")
    parser.add_argument("--file-rows", type=int, default=50_000, help="rows of one file")
    parser.add_argument("--workers", type=int, default=2, help="number of workers")
    parser.add_argument(
        "--memory", type=float, default=600 * MB, help="memory limit of each worker, bytes"
    )
    parser.add_argument("--compare", action="store_true", help="also fit in memory, and compare")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="frtsvm-scaling-") as name:
        run(options, Path(name))


def run(options: argparse.Namespace, folder: Path) -> None:
    n_files = write(folder, options.rows, options.features, options.file_rows)
    size = options.rows * options.features * 8
    limit = options.workers * options.memory
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    print(
        f"{options.rows:,} x {options.features} in {n_files} files: {size / MB:,.0f} MB of doubles; "
        f"{options.workers} workers of {options.memory / MB:,.0f} MB, {limit / MB:,.0f} MB in total\n"
    )
    estimator = FRTSVMClassifier("linear", random_state=0)
    with (
        # Code alone takes half the memory of such small workers, so they must not pause at the default
        # threshold. Dask kills them at 95 %.
        dask.config.set({"distributed.worker.memory.pause": False}),
        LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            memory_limit=options.memory,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster) as client,
    ):
        began = time.perf_counter()
        fitted = fit_distributed(estimator, folder, "label", client, callback=_report)
        seconds = time.perf_counter() - began
        peaks = client.run(peak_bytes)
    print("\n| | |\n|---|---|")
    print(f"| seconds | {seconds:.1f} |")
    print(f"| rows per second, all passes | {options.rows / seconds:,.0f} |")
    print(f"| relative duality gap | {fitted.duality_gap_.max():.1e} |")
    print(f"| peak memory of the workers, MB | {', '.join(_mb(peaks.values()))} |")
    print(f"| peak memory of the master, MB | {peak_bytes() / MB:,.0f} |")
    if options.compare:
        _compare(options, estimator, fitted)


def _compare(
    options: argparse.Namespace, estimator: FRTSVMClassifier, fitted: FRTSVMClassifier
) -> None:
    starts = range(0, options.rows, options.file_rows)
    blocks = [
        block(number, min(options.file_rows, options.rows - start), options.features)
        for number, start in enumerate(starts)
    ]
    rows, labels = (np.concatenate(part) for part in zip(*blocks, strict=True))
    began = time.perf_counter()
    estimator.fit(rows, labels)
    print(f"| seconds in memory, one process | {time.perf_counter() - began:.1f} |")
    mine = np.column_stack([fitted.coef_, fitted.intercept_])
    theirs = np.column_stack([estimator.coef_, estimator.intercept_])
    apart = np.linalg.norm(mine - theirs, axis=1) / np.linalg.norm(theirs, axis=1)
    print(f"| relative difference of the planes | {apart.max():.1e} |")


def _report(one: Round) -> None:
    print(
        f"round {one.number}: gap {one.relative_gap:.1e}, violation {one.violation:.1e}", flush=True
    )


def _mb(values: Any) -> list[str]:
    return [f"{value / MB:,.0f}" for value in sorted(values)]


if __name__ == "__main__":
    main()
