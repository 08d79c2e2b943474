"""Print and store the serving tables of docs/performance.md: `python -m benchmarks.serving [--quick]`.

All servers run at the same time, with one web process each where nothing else is said, and are idle
but for the one that is measured. Each cell is the median of rounds that go around the servers, so
that whatever else the machine does falls on all of them.
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
MIXED_RATE = 200.0  # one-row requests a second beside the large ones


@dataclass(frozen=True)
class Cell:
    """One server at one size."""

    per_second: float
    cpu_us: float
    p50_ms: float
    p99_ms: float


Cells = dict[tuple[str, Batch, str], Cell]  # by kernel, batch, side


def measure_sizes(
    found: list[System], kernel: str, batch: Batch, rounds: int, seconds: float
) -> Cells:
    """Every server at one size, round after round."""
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
    """p99 in ms of a one-row client: alone, and beside one that posts 10,000 rows as JSON."""
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
    """How many labels of 1,000 agree with the training's own classes: everyone does the same work."""
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
    """Everything, as Markdown."""
    began = time.perf_counter()
    rounds, seconds = (1, 0.5) if quick else (3, 1.2)
    lines = ["## Requests", ""]
    with (
        tempfile.TemporaryDirectory(prefix="frtsvm-serving-") as folder,
        all_systems(Path(folder)) as (found, left_out),
    ):
        agreement = agreement_rows(found)
        lines += [
            "| kernel | rows | server | requests/s | CPU us each | p50 ms | p99 ms | ours JSON / it |",
            "|---|---|---|---|---|---|---|---|",
        ]
        print("\n".join(lines[2:]))
        cells: Cells = {}
        for kernel in data.KERNELS:
            for batch in data.BATCHES:
                cells |= measure_sizes(found, kernel, batch, rounds, seconds)
                lines += size_rows(cells, kernel, batch)
                print("\n".join(size_rows(cells, kernel, batch)), flush=True)
        mixed = measure_mixed(found, rounds, 2 * seconds)
    lines += [
        "",
        "## One row beside 10,000",
        "",
        f"p99 of {MIXED_RATE:.0f} one-row requests a second, counted from the moment each was due.",
        "",
        "| server | alone, ms | beside a client that posts 10,000 rows x 20 as JSON, ms |",
        "|---|---|---|",
        *(f"| {name} | {alone:.1f} | {both:.1f} |" for name, (alone, both) in mixed.items()),
        "",
        "## Start, memory, and that all do the same work",
        "",
        "| server | start, s | idle memory, MB | processes | right of 1,000, linear, % | RBF, % |",
        "|---|---|---|---|---|---|",
        *agreement,
        "",
        "## The bars",
        "",
        "| what | against | reached | bar |",
        "|---|---|---|---|",
        *target_rows(_targets(cells, mixed)),
        "",
        *(f"Left out: {reason}" for reason in left_out),
        f"Python {platform.python_version()}, {platform.machine()}; {CONNECTIONS} connections, "
        f"{rounds} rounds of {seconds:g} s; {time.perf_counter() - began:.0f} s in all.",
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
    targets.append(Target("p99 of 1 row beside 10,000", systems.IDIOMATIC, idiomatic / ours, 20.0))
    json, binary = (
        cells["linear", data.TEN_THOUSAND, system] for system in (systems.OURS, systems.OURS_BINARY)
    )
    targets.append(
        Target("10,000 rows, V2 binary, CPU", systems.OURS, json.cpu_us / binary.cpu_us, 5.0)
    )
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short windows, nothing stored")
    args = parser.parse_args()
    text = report(args.quick)
    print("\n" + text)
    if not args.quick:
        RESULTS.write_text(text)


if __name__ == "__main__":
    main()
