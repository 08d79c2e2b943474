"""Start training processes as forks of a process that has the numerical code loaded."""

from __future__ import annotations

import logging
import multiprocessing
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from app.jobs import entry
from app.jobs.messages import Task

log = logging.getLogger("frtsvm.jobs")

START_ATTEMPTS = 3


class Launcher:
    """Starts training processes from a fork server.

    A fork takes about 10 ms; loading the numerical code would take several seconds.
    """

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["app.jobs.preload"])

    def warm_up(self) -> None:
        """Load the numerical code into the fork server, before any job is claimed.

        A job claimed earlier would be in state RUNNING without a process that could be killed.
        """
        try:
            forkserver.ensure_running()
            probe = self._context.Process(target=int, daemon=True)
            probe.start()
            probe.join()
        except (OSError, EOFError):  # the fork server was killed; the first job starts another one
            log.warning("fork server was killed, the next training starts another one")

    def start(self, task: Task) -> tuple[BaseProcess, Connection]:
        """Start the process of a task; return it and the end of the pipe for the supervisor."""
        for attempt in range(START_ATTEMPTS):
            parent_end, child_end = self._context.Pipe(duplex=True)
            process = self._context.Process(
                target=entry.main, args=(task.encode(), child_end), daemon=True, name=task.job
            )
            try:
                process.start()
            except (OSError, EOFError) as error:
                # The fork server was killed; the next attempt starts another one.
                parent_end.close()
                log.warning(
                    "cannot start training process", extra={"job": task.job, "why": str(error)}
                )
                if attempt + 1 == START_ATTEMPTS:
                    raise
            else:
                return process, parent_end
            finally:
                child_end.close()
        raise AssertionError("unreachable")
