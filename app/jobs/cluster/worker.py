"""Worker process of the cluster: a Dask worker that runs jobs and folds of searches."""

from __future__ import annotations

import asyncio
import logging
import signal

from distributed import Worker

import frtsvm_core.model_selection  # noqa: F401  (slow; the first fold must not wait for it)
from app.jobs.cluster.names import FOLD, FOLD_MEMORY, JOB, MEMORY_PARTS
from app.jobs.cluster.task import runner
from app.settings import Settings

log = logging.getLogger("frtsvm.worker")

#: Seconds between attempts to reconnect to the scheduler.
RECONNECT_INTERVAL = 1.0


def work(settings: Settings, scheduler: str, *, slots: int, folds: int, host: str | None) -> None:
    """Run jobs of the cluster until SIGTERM or SIGINT.

    Running jobs then get `shutdown_grace` seconds to end; the rest return to the queue.
    """
    jobs = (
        runner()
    )  # first, so that a worker with wrong settings fails instead of joining the cluster
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
        # A Dask worker cannot reconnect to a restarted scheduler; create a new one. Running jobs
        # continue.
        await _serve_once(scheduler, slots, folds, host, stopping)
        if not stopping.is_set():
            log.warning("not connected to the scheduler, retrying", extra={"scheduler": scheduler})
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
        # Dask's limit concerns this process only, in which folds run: as many at a time as fit into
        # the memory of one training, as estimated by `app.pipeline.memory`. Jobs run in their own
        # processes with their own memory limit.
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
        log.warning("scheduler does not respond", extra={"why": str(error)})


async def _pause(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), RECONNECT_INTERVAL)
    except TimeoutError:
        return
