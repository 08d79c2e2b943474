"""Measure one call in a process of its own: wall and CPU time, and the memory it needs on top.

A fresh process for each measurement keeps the sides apart: neither inherits the other's warm caches,
threads or memory.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measurement:
    wall: float  # seconds, the best of the repetitions
    cpu: float  # seconds of all threads, of that repetition
    peak_mb: float  # resident memory above that before the first repetition
    facts: dict[str, Any]  # whatever the measured function reports of its result


def measure(
    prepare: Callable[..., Any],
    run: Callable[[Any], Any],
    report: Callable[[Any, Any], dict[str, Any]],
    *args: Any,
    repeat: int = 1,
) -> Measurement:
    """prepare(*args) -> input; run(input) is timed; report(input, result) is not."""
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
    """Start the kernel's high-water mark anew, where it allows that, and return it."""
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
