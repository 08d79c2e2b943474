"""The process of one training.

It reads the spooled data, writes two files under temporary names, and tells its supervisor. It has
no database and no secret: only the supervisor can publish. A search can be asked, through the pipe, to
make do with the best it has found.
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
from app.store.database import FULL
from app.store.files import load_verified, stage

if TYPE_CHECKING:  # who has no cluster need not have its libraries
    from app.jobs.cluster.fold_workers import Spreading

#: Predictions go first when both want the processor.
NICENESS = 10
REPORT_INTERVAL = 0.1


def main(task_text: str, pipe: Connection) -> None:
    """Run one task and send what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    when_parent_ends(lambda: os._exit(1))
    task = Task.decode(task_text)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    spreading = None
    with contextlib.ExitStack() as stack:
        if task.scheduler is not None and task.options.get("search") is not None:
            # Before memory is limited: what a connection needs does not count as the training's.
            spreading = _connected(stack, task.scheduler)
        _limit_memory(task.memory)
        _run_and_tell(task, pipe, spreading)


def _connected(stack: contextlib.ExitStack, scheduler: str) -> Spreading | None:
    from app.jobs.cluster.fold_workers import connected

    return connected(stack, scheduler)


def _run_and_tell(task: Task, pipe: Connection, spreading: Spreading | None) -> None:
    try:
        _run(task, pipe, spreading)
    except NothingTried:
        send(pipe, "cancelled")
    except MemoryError:
        send(
            pipe,
            "failed",
            code="out_of_memory",
            detail=f"the training wanted more than the {task.memory} bytes it may use",
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
        code = "store_full" if error.errno in FULL else "storage"
        send(pipe, "failed", code=code, detail=f"cannot write the model: {error.strerror}")
    except ServiceError as error:
        send(pipe, "failed", code="crashed", detail=error.detail)
    except Exception as error:  # the supervisor logs it, the caller learns its kind
        detail = f"unexpected {type(error).__name__}"
        send(pipe, "failed", code="crashed", detail=detail, trace=traceback.format_exc()[-8000:])


def _run(task: Task, pipe: Connection, spreading: Spreading | None) -> None:
    data = TrainingData.from_state(load_verified(Path(task.spool), task.sha256))
    options = TrainingOptions.model_validate(task.options)
    with contextlib.ExitStack() as stack:
        if spreading is not None:
            stack.enter_context(spreading(folds_at_a_time(data, options, task.memory)))
        stack.enter_context(warnings.catch_warnings())
        # Whether it converged is in the certificate; the rest nobody would read.
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
    """Whether the supervisor has asked for the best so far."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._asked = False

    def __call__(self) -> bool:
        with contextlib.suppress(EOFError):  # then the parent is gone, and so are we in a moment
            while not self._asked and self._pipe.poll():
                self._asked = receive(self._pipe)["kind"] == STOP
        return self._asked


class _Throttle:
    """Sends progress a few times per second at most, but every new phase."""

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
    """What is mapped already (libraries, mostly) does not count."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:  # no such file outside Linux, where the limit would not hold either
        return
    limit = pages * os.sysconf("SC_PAGE_SIZE") + allowed
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
