"""Print and store the serving tables of docs/performance.md: `python -m benchmarks.serving [--quick]`.

All servers run at the same time, each with one web process unless its name says otherwise. Only the
measured server gets requests; the others are idle. Each figure is the median over rounds, and every
round measures all servers in turn, so that other load on the machine affects all of them.
"""

import argparse
import platform
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.serving import data, systems
from benchmarks.serving.data import Batch
from benchmarks.serving.load import background_client, closed_loop, fixed_rate
from benchmarks.serving.systems import System, all_systems, labels_of
from benchmarks.serving.targets import Target, target_rows

RESULTS = Path(__file__).parents[1] / "results" / "serving.md"
CONNECTIONS = 8
MIXED_RATE = 200.0  # one-row requests per second, while another client sends large ones


@dataclass(frozen=True)
class Cell:
    """Figures of one server at one request size."""

    per_second: float
    cpu_us: float
    p50_ms: float
    p99_ms: float


Cells = dict[tuple[str, Batch, str], Cell]  # by kernel, batch, system


def measure_sizes(
    found: list[System], kernel: str, batch: Batch, rounds: int, seconds: float
) -> Cells:
    """Measure every server at one request size; the figures are medians over the rounds."""
    x = data.rows_of(batch)
    windows: dict[str, list[Cell]] = {system.name: [] for system in found}
    for number in range(rounds + 1):
        for system in found:
            request = system.request(kernel, x)
            length = seconds if number else min(seconds, 0.5)  # the first round warms up
            before = system.server.cpu_seconds()
            load = closed_loop(system.server.port, request, CONNECTIONS, length)
            cpu = system.server.cpu_seconds() - before
            if number:
                windows[system.name].append(
                    Cell(
                        load.count / load.seconds,
                        1e6 * cpu / load.count,
                        1e3 * load.quantile(0.5),
                        1e3 * load.quantile(0.99),
                    )
                )
    return {(kernel, batch, name): _median(cells) for name, cells in windows.items()}


def _median(cells: list[Cell]) -> Cell:
    return Cell(
        *(
            statistics.median(getattr(cell, field) for cell in cells)
            for field in Cell.__dataclass_fields__
        )
    )


def size_rows(cells: Cells, kernel: str, batch: Batch) -> list[str]:
    ours = cells[kernel, batch, systems.OURS]
    lines = []
    for (_, _, name), cell in ((k, c) for k, c in cells.items() if k[:2] == (kernel, batch)):
        ratio = ours.per_second / cell.per_second
        lines.append(
            f"| {kernel} | {batch} | {name} | {cell.per_second:,.0f} | {cell.cpu_us:,.0f} "
            f"| {cell.p50_ms:.2f} | {cell.p99_ms:.2f} | {ratio:.2f} x |"
        )
    return lines


def measure_mixed(
    found: list[System], rounds: int, seconds: float
) -> dict[str, tuple[float, float]]:
    """p99 in ms of one-row requests: alone, and while another client posts 10,000 rows as JSON."""
    chosen = [
        system
        for system in found
        if system.name in (systems.OURS, systems.IDIOMATIC, systems.MLSERVER)
    ]
    seen: dict[str, list[tuple[float, float]]] = {system.name: [] for system in chosen}
    for _ in range(rounds):
        for system in chosen:
            port = system.server.port
            small = system.request("linear", data.rows_of(data.ONE))
            alone = fixed_rate(port, small, MIXED_RATE, seconds)
            with background_client(port, system.request("linear", data.rows_of(data.TEN_THOUSAND))):
                both = fixed_rate(port, small, MIXED_RATE, seconds)
            seen[system.name].append((1e3 * alone.quantile(0.99), 1e3 * both.quantile(0.99)))
    return {
        name: (
            statistics.median(alone for alone, _ in pairs),
            statistics.median(both for _, both in pairs),
        )
        for name, pairs in seen.items()
    }


def agreement_rows(found: list[System]) -> list[str]:
    """Start time, memory, and the share of 1,000 training rows that a server classifies correctly.

    Similar shares show that all servers do the same work.
    """
    table = data.training_table()
    lines = []
    for system in found:
        shares = []
        for kernel in data.KERNELS:
            labels = labels_of(system, kernel, table.x[:1_000])
            if labels is not None:
                right = sum(a == b for a, b in zip(labels, table.y[:1_000].tolist(), strict=True))
                shares.append(f"{right / 10:.1f}")
        start, memory = system.server.start_seconds, system.server.resident_mb()
        count = len(system.server.processes())
        lines.append(
            f"| {system.name} | {start:.1f} | {memory:.0f} | {count} | {' | '.join(shares) or ' | '} |"
        )
    return lines


def report(quick: bool) -> str:
    """Measure everything; return the report as Markdown."""
    began = time.perf_counter()
    rounds, seconds = (1, 0.5) if quick else (3, 1.2)
    lines = [
        "## Requests",
        "",
        "The last column is the rate of this service with JSON, divided by the rate of the server.",
        "",
    ]
    with (
        tempfile.TemporaryDirectory(prefix="frtsvm-serving-") as folder,
        all_systems(Path(folder)) as (found, left_out),
    ):
        agreement = agreement_rows(found)
        lines += [
            "| kernel | rows | server | requests/s | CPU us per request | p50 ms | p99 ms "
            "| speed-up of this service (JSON) |",
            "|---|---|---|---|---|---|---|---|",
        ]
        print("\n".join(lines[4:]))
        cells: Cells = {}
        for kernel in data.KERNELS:
            for batch in data.BATCHES:
                cells |= measure_sizes(found, kernel, batch, rounds, seconds)
                lines += size_rows(cells, kernel, batch)
                print("\n".join(size_rows(cells, kernel, batch)), flush=True)
        mixed = measure_mixed(found, rounds, 2 * seconds)
    lines += [
        "",
        "## One-row requests during 10,000-row requests",
        "",
        f"p99 latency of {MIXED_RATE:.0f} one-row requests per second, from the time each one was due.",
        "",
        "| server | alone, ms | while another client posts 10,000 x 20 as JSON, ms |",
        "|---|---|---|",
        *(f"| {name} | {alone:.1f} | {both:.1f} |" for name, (alone, both) in mixed.items()),
        "",
        "## Start, memory, and accuracy",
        "",
        "Correct labels of 1,000 training rows show that all servers do the same work.",
        "",
        "| server | start, s | idle memory, MB | processes | correct labels, linear, % | RBF, % |",
        "|---|---|---|---|---|---|",
        *agreement,
        "",
        "## Targets",
        "",
        "| measurement | compared with | reached | target |",
        "|---|---|---|---|",
        *target_rows(_targets(cells, mixed)),
        "",
        *(f"Not measured: {reason}" for reason in left_out),
        f"Python {platform.python_version()}, {platform.machine()}; {CONNECTIONS} connections, "
        f"{rounds} rounds of {seconds:g} s; {time.perf_counter() - began:.0f} s in total.",
    ]
    return "\n".join(lines) + "\n"


def _targets(cells: Cells, mixed: dict[str, tuple[float, float]]) -> list[Target]:
    def rate(kernel: str, batch: Batch, ours: str, theirs: str) -> float | None:
        other = cells.get((kernel, batch, theirs))
        return None if other is None else cells[kernel, batch, ours].per_second / other.per_second

    bare = rate("linear", data.ONE, systems.OURS, systems.BARE)
    targets = [Target("1 row, linear, requests/s", systems.BARE, bare, 0.75)]
    for kernel, batch, best, plain in (
        ("linear", data.ONE, 2.5, 4.0),
        ("linear", data.THOUSAND, 3.0, 5.0),
        ("rbf", data.THOUSAND, 5.0, 6.0),
    ):
        for ours, theirs, least in (
            (systems.OURS_LABELS, systems.MLSERVER, best),
            (systems.OURS_DEFAULT, systems.MLSERVER_DEFAULT, plain),
            (systems.OURS_TWO_WORKERS, systems.MLSERVER_DEFAULT, plain),
        ):
            title = f"{batch} {'row' if batch.rows == 1 else 'rows'}, {kernel}, requests/s"
            title += ", 2 workers" if ours == systems.OURS_TWO_WORKERS else ""
            targets.append(Target(title, theirs, rate(kernel, batch, ours, theirs), least))
    idiomatic, ours = mixed[systems.IDIOMATIC][1], mixed[systems.OURS][1]
    targets.append(
        Target("p99 of 1 row during 10,000-row requests", systems.IDIOMATIC, idiomatic / ours, 20.0)
    )
    json, binary = (
        cells["linear", data.TEN_THOUSAND, system] for system in (systems.OURS, systems.OURS_BINARY)
    )
    targets.append(
        Target("10,000 rows, V2 binary, CPU time", systems.OURS, json.cpu_us / binary.cpu_us, 5.0)
    )
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="measure for a short time, and store nothing"
    )
    args = parser.parse_args()
    text = report(args.quick)
    print("\n" + text)
    if not args.quick:
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
