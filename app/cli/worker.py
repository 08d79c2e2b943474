"""`frtsvm worker`: a worker of the cluster that FRTSVM_DASK_SCHEDULER names."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from frtsvm_core.cores import available_cores


def add_worker_command(commands: Any) -> None:
    """Add the options of the command."""
    worker = commands.add_parser("worker", help="run trainings for a cluster")
    worker.add_argument("--slots", type=int, help="trainings at a time (FRTSVM_TRAINING_SLOTS)")
    worker.add_argument(
        "--folds",
        type=int,
        default=available_cores(),
        help="folds of searches at a time, beside the trainings, if memory allows (default: cores)",
    )
    worker.add_argument("--host", help="address that the cluster reaches this machine by")


def run_worker(options: argparse.Namespace) -> int:
    """Run `frtsvm worker`."""
    from app.observability.logs import configure_logging
    from app.settings import Settings

    settings = Settings()
    if settings.dask_scheduler is None:
        print("frtsvm: FRTSVM_DASK_SCHEDULER: must name the scheduler", file=sys.stderr)
        return 2
    try:
        from app.jobs.cluster.worker import work
    except ImportError as error:
        print(f"frtsvm: {error}: install the extra 'scale'", file=sys.stderr)
        return 2
    configure_logging(settings.log_format, settings.log_level)
    work(
        settings,
        settings.dask_scheduler,
        slots=options.slots or settings.training_slots,
        folds=options.folds,
        host=options.host,
    )
    return 0
