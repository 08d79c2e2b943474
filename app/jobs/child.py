"""Main function of a training process.

The process reads the spooled data, writes two files under temporary names and reports to its
supervisor. It opens neither the database nor the secret: only the supervisor publishes a model. The
supervisor can send a message through the pipe to stop a search and keep the best model so far.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import ServiceError, TrainingRejected
from app.jobs.messages import STOP, Task, receive, send, staged_to_json
from app.pipeline.data import TrainingData
from app.pipeline.memory import folds_at_a_time
from app.pipeline.train import NothingTried, train
from app.processes import when_parent_ends
from app.schemas.training import TrainingOptions
from app.store.database import NO_SPACE_ERRNOS
from app.store.files import load_verified, stage

if TYPE_CHECKING:  # the libraries of the cluster are optional
    from app.jobs.cluster.fold_workers import DistributeFolds

#: Trainings run at low priority, so that predictions get the CPU first.
NICENESS = 10
#: Seconds between progress messages.
REPORT_INTERVAL = 0.1


def main(task_text: str, pipe: Connection) -> None:
    """Run one task and send its result to the supervisor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the server ends this process
    when_parent_ends(lambda: os._exit(1))
    task = Task.decode(task_text)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    distribute_folds = None
    with contextlib.ExitStack() as stack:
        if task.scheduler is not None and task.options.get("search") is not None:
            # Before the memory limit: the memory of the connection is not charged to the training.
            distribute_folds = _connect(stack, task.scheduler)
        _limit_memory(task.memory)
        _run_and_report(task, pipe, distribute_folds)


def _connect(stack: contextlib.ExitStack, scheduler: str) -> DistributeFolds | None:
    from app.jobs.cluster.fold_workers import connect

    return connect(stack, scheduler)


def _run_and_report(task: Task, pipe: Connection, distribute_folds: DistributeFolds | None) -> None:
    try:
        _run(task, pipe, distribute_folds)
    except NothingTried:
        send(pipe, "cancelled")
    except MemoryError:
        send(
            pipe,
            "failed",
            code="out_of_memory",
            detail=(
                f"The training needs more than the {task.memory} bytes of memory it may use. "
                "Send fewer rows, lower `rank`, or raise FRTSVM_TRAINING_MEMORY."
            ),
        )
    except TrainingRejected as error:
        send(
            pipe,
            "failed",
            code="rejected",
            detail=error.detail,
            errors=[flaw.as_dict() for flaw in error.flaws],
        )
    except OSError as error:
        code = "store_full" if error.errno in NO_SPACE_ERRNOS else "storage"
        send(pipe, "failed", code=code, detail=f"The model cannot be written: {error.strerror}.")
    except ServiceError as error:
        send(pipe, "failed", code="crashed", detail=error.detail)
    except Exception as error:  # the supervisor logs the trace; the caller gets the type only
        detail = (
            f"The training failed with an unexpected {type(error).__name__}. "
            "The log of the service has the traceback."
        )
        send(pipe, "failed", code="crashed", detail=detail, trace=traceback.format_exc()[-8000:])


def _run(task: Task, pipe: Connection, distribute_folds: DistributeFolds | None) -> None:
    data = TrainingData.from_state(load_verified(Path(task.spool), task.sha256))
    options = TrainingOptions.model_validate(task.options)
    with contextlib.ExitStack() as stack:
        if distribute_folds is not None:
            stack.enter_context(distribute_folds(folds_at_a_time(data, options, task.memory)))
        stack.enter_context(warnings.catch_warnings())
        # Convergence is reported in the certificate; nobody reads other warnings of this process.
        warnings.simplefilter("ignore")
        outcome = train(data, options, _Throttle(pipe), stop=_Stop(pipe), memory=task.memory)
    folder = Path(task.temporary)
    predictor = stage(folder, task.process, outcome.predictor)
    evidence = stage(folder, task.process, outcome.evidence)
    send(
        pipe,
        "done",
        predictor=staged_to_json(predictor),
        evidence=staged_to_json(evidence),
        info=outcome.info,
    )


class _Stop:
    """Tells whether the supervisor has requested to stop and keep the best model so far."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._asked = False

    def __call__(self) -> bool:
        with contextlib.suppress(
            EOFError
        ):  # the parent has ended, and this process ends in a moment
            while not self._asked and self._pipe.poll():
                self._asked = receive(self._pipe)["kind"] == STOP
        return self._asked


class _Throttle:
    """Sends progress at most every `REPORT_INTERVAL` seconds, and every new phase immediately."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._next = 0.0
        self._phase = ""

    def __call__(self, progress: dict[str, Any]) -> None:
        now = time.monotonic()
        if now >= self._next or progress["phase"] != self._phase:
            self._next = now + REPORT_INTERVAL
            self._phase = progress["phase"]
            send(self._pipe, "progress", progress=progress)


def _limit_memory(allowed: int) -> None:
    """Limit the address space to its present size (mostly libraries) plus `allowed` bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # only Linux has this file, and only there the limit is effective
        return
    limit = pages * os.sysconf("SC_PAGE_SIZE") + allowed
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
