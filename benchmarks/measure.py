"""Measure wall time, CPU time and additional memory of one call, in a fresh process.

Each measurement has its own process, so that no system inherits the warm caches, threads or memory
of another one.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    wall: float  # seconds, of the fastest repetition
    cpu: float  # CPU seconds of all threads, of the same repetition
    peak_mb: float  # peak resident memory minus the memory before the first repetition
    facts: dict[str, Any]  # returned by `report`


def measure(
    prepare: Callable[..., Any],
    run: Callable[[Any], Any],
    report: Callable[[Any, Any], dict[str, Any]],
    *args: Any,
    repeat: int = 1,
) -> Measurement:
    """Time `run(input)`, where `input = prepare(*args)`; `report(input, result)` gives the facts.

    Only `run` is timed. It runs `repeat` times; the fastest repetition counts.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, prepare, run, report, args, repeat))
    process.start()
    sender.close()
    try:
        result: Measurement = receiver.recv()
    finally:
        process.join()
    return result


def _child(
    sender: Any,
    prepare: Callable[..., Any],
    run: Callable[[Any], Any],
    report: Callable[[Any, Any], dict[str, Any]],
    args: tuple[Any, ...],
    repeat: int,
) -> None:
    given = prepare(*args)
    before = _reset_peak()
    times = []
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        result = run(given)
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    peak = _peak_kb() - before
    best = min(times)
    sender.send(Measurement(best[0], best[1], peak / 1024, report(given, result)))
    sender.close()


def _reset_peak() -> int:
    """Reset the peak of the resident memory, if the operating system allows it, and return it in KB."""
    try:
        with open("/proc/self/clear_refs", "w") as handle:
            handle.write("5")
    except OSError:
        pass
    return _peak_kb()


def _peak_kb() -> int:
    try:
        with open("/proc/self/status") as handle:
            for line in handle:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
