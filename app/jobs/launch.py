"""Starts the processes of trainings: forks of one process that has the numerical code loaded."""

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
    """A training starts in hundredths of a second; loading what it needs takes some seconds."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["app.jobs.preload"])

    def warm_up(self) -> None:
        """Load the numerical code into the process that forks ours, before any job is taken.

        A job taken earlier would be running without a process that could be killed.
        """
        try:
            forkserver.ensure_running()
            probe = self._context.Process(target=int, daemon=True)
            probe.start()
            probe.join()
        except (OSError, EOFError):  # killed meanwhile; the first job will start another
            log.warning("warm-up was cut short")

    def start(self, task: Task) -> tuple[BaseProcess, Connection]:
        """The process of a task, and our end of its pipe."""
        for attempt in range(START_ATTEMPTS):
            ours, theirs = self._context.Pipe(duplex=True)
            process = self._context.Process(
                target=entry.main, args=(task.encode(), theirs), daemon=True, name=task.job
            )
            try:
                process.start()
            except (OSError, EOFError) as error:
                # The process that forks ours was killed; the next attempt starts another.
                ours.close()
                log.warning("cannot start", extra={"job": task.job, "why": str(error)})
                if attempt + 1 == START_ATTEMPTS:
                    raise
            else:
                return process, ours
            finally:
                theirs.close()
        raise AssertionError("unreachable")
