"""`frtsvm worker`: run trainings for the Dask scheduler in FRTSVM_DASK_SCHEDULER."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from frtsvm_core.cores import available_cores


def add_worker_command(commands: Any) -> None:
    """Add the command `worker`."""
    worker = commands.add_parser(
        "worker",
        help="run trainings for a Dask cluster",
        description="Run trainings and search folds for the Dask scheduler whose address is in the "
        "environment variable FRTSVM_DASK_SCHEDULER.",
    )
    worker.add_argument(
        "--slots",
        type=int,
        help="number of trainings to run at a time (default: FRTSVM_TRAINING_SLOTS or 1)",
    )
    worker.add_argument(
        "--folds",
        type=int,
        default=available_cores(),
        help="number of search folds to work on at a time, in addition to the trainings, if "
        "memory allows it (default: number of CPU cores)",
    )
    worker.add_argument(
        "--host", help="address at which the cluster reaches this host (default: chosen by Dask)"
    )


def run_worker(options: argparse.Namespace) -> int:
    """Run `frtsvm worker`."""
    from app.observability.logs import configure_logging
    from app.settings import Settings

    settings = Settings()
    if settings.dask_scheduler is None:
        print(
            "frtsvm: FRTSVM_DASK_SCHEDULER is not set. Set it to the address of the scheduler, for "
            "example tcp://10.0.0.5:8786.",
            file=sys.stderr,
        )
        return 2
    try:
        from app.jobs.cluster.worker import work
    except ImportError as error:
        print(
            f"frtsvm: A library is missing ({error}). Run `pip install 'frtsvm-service[scale]'`.",
            file=sys.stderr,
        )
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
