"""Reuse of freed memory."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import ctypes, resource, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # no huge pages: they need few page faults
from app.memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def bodies():
    for _ in range(20):
        pieces = [bytes(4_000_000) for _ in range(4)]
        del pieces
bodies()
before = faults()
bodies()
print(faults() - before)
"""


def faults(how: str) -> int:
    command = [sys.executable, "-c", SCRIPT, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout)


def test_memory_of_large_bodies_is_reused() -> None:
    """20 times 16 MB are 80,000 pages, each of which would be a page fault."""
    assert faults("kept") < 2000 < faults("left alone")
