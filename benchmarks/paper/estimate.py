"""Estimate the duration of a run before it starts."""

from collections.abc import Sequence

from benchmarks.paper.cells import Cell
from benchmarks.paper.store import Store

# CPU seconds of one cell of the full plan, mean over the sets, on one core of an AMD EPYC.
_SECONDS = {
    ("RipleyCell", "rbf"): 1.5,
    ("SizeCell", "linear"): 0.9,
    ("SizeCell", "rbf"): 0.9,
    ("ExactnessCell", "rbf"): 0.5,
    ("BandsCell", ""): 4.1,
    ("ProtocolCell", "linear"): 1.1,
    ("ProtocolCell", "rbf"): 5.8,
    ("HindsightCell", "linear"): 0.8,
    ("HindsightCell", "rbf"): 6.7,
    ("RobustnessCell", "linear"): 0.7,
    ("RobustnessCell", "rbf"): 3.9,
    ("NestedCell", "linear"): 0.3,
    ("NestedCell", "rbf"): 2.0,
}
_OTHERWISE = 0.1


def cpu_seconds(cell: Cell, store: Store) -> float:
    """CPU seconds of the stored result of the cell, or else the average of its kind of cells."""
    before = store.result_file.get(cell)
    if before is not None:
        return before[1]
    return _SECONDS.get((type(cell).__name__, getattr(cell, "kernel", "")), _OTHERWISE)


def estimate(cells: Sequence[Cell], store: Store, jobs: int) -> str:
    missing = [cell for cell in cells if store.get(cell) is None]
    minutes = sum(cpu_seconds(cell, store) for cell in missing) / 60.0
    return (
        f"{len(missing)} of {len(cells)} cells to compute. The full plan takes about {minutes:.0f} CPU "
        f"minutes for them, {minutes / jobs:.0f} minutes on {jobs} idle cores."
    )
