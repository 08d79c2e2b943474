"""Processes that must not outlive the one that started them."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import wait


def when_parent_ends(action: Callable[[], None]) -> None:
    """Call `action` when the process that started this one is gone, `kill -9` included.

    Without it a training would go on for ever after its server was killed, and a web worker would
    keep the port after its supervisor was.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait([sentinel])
        action()

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
