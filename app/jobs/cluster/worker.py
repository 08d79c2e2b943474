"""A worker process of the cluster: a Dask worker whose slots run our jobs."""

from __future__ import annotations

import asyncio
import logging
import signal

from distributed import Worker

import frtsvm_core.model_selection  # noqa: F401  (loading it takes seconds, which folds should not wait)
from app.jobs.cluster.names import FOLD, FOLD_MEMORY, JOB, MEMORY_PARTS
from app.jobs.cluster.task import runner
from app.settings import Settings

log = logging.getLogger("frtsvm.worker")

#: Seconds between attempts to find the scheduler again.
RECONNECT_INTERVAL = 1.0


def work(settings: Settings, scheduler: str, *, slots: int, folds: int, host: str | None) -> None:
    """Serve the cluster until SIGTERM or SIGINT. Jobs that run then get the grace of the settings,
    and go back to the queue after it."""
    jobs = runner()  # before anything else: wrong settings must not look like a working worker
    try:
        asyncio.run(_serve(scheduler, slots, folds, host))
    finally:
        jobs.stop(settings.shutdown_grace)


async def _serve(scheduler: str, slots: int, folds: int, host: str | None) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    while not stopping.is_set():
        # A worker that has lost its scheduler is of no use any more; running jobs outlive it.
        await _serve_once(scheduler, slots, folds, host, stopping)
        if not stopping.is_set():
            log.warning("the scheduler is away", extra={"scheduler": scheduler})
            await _pause(stopping)


async def _serve_once(
    scheduler: str, slots: int, folds: int, host: str | None, stopping: asyncio.Event
) -> None:
    worker = Worker(
        scheduler,
        nthreads=slots + folds,
        resources={JOB: slots, FOLD: folds, FOLD_MEMORY: MEMORY_PARTS},
        host=host,
        dashboard=False,
        # Jobs limit their memory themselves, in processes of their own; of folds, only as many run at a
        # time as by the estimate fit into what one training may use.
        memory_limit="auto",
    )
    ended = asyncio.ensure_future(_run(worker))
    asked = asyncio.ensure_future(stopping.wait())
    await asyncio.wait({ended, asked}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    await worker.close(executor_wait=False, reason="stopped")
    ended.cancel()
    await asyncio.gather(ended, asked, return_exceptions=True)


async def _run(worker: Worker) -> None:
    try:
        await worker
        log.info("worker ready", extra={"scheduler": worker.scheduler.address})
        await worker.finished()
    except (OSError, TimeoutError) as error:
        log.warning("the scheduler does not answer", extra={"why": str(error)})


async def _pause(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), RECONNECT_INTERVAL)
    except TimeoutError:
        return
