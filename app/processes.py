"""End child processes when their parent process has ended."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import wait


def when_parent_ends(action: Callable[[], None]) -> None:
    """Call `action` when the parent process has ended, even if it was killed by SIGKILL.

    Without this, a training would continue after its server was killed, and a web process would
    keep the port after the parent that supervises it was killed.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait([sentinel])
        action()

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
