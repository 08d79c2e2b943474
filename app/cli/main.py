"""`frtsvm`: serve, worker, train, predict, models, keys, db, backup, restore."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from app.cli.backup import add_backup_commands, run_backup, run_restore
from app.cli.db import add_db_command, run_db
from app.cli.worker import add_worker_command, run_worker
from frtsvm_core.cores import available_cores

#: What these libraries read once, when they are loaded.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(
        prog="frtsvm",
        description="Train and serve Fast and Robust Twin Support Vector Machines.",
    )
    parser.add_argument("--version", action="version", version=version("frtsvm-service"))
    parser.add_argument("--home", help="folder of the store (FRTSVM_HOME, default .frtsvm)")
    commands = parser.add_subparsers(dest="command", required=True)

    serve = commands.add_parser("serve", help="start the service")
    serve.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to listen on (default 8000)")
    serve.add_argument("--workers", type=int, help="web processes (default 1)")

    add_worker_command(commands)

    train = commands.add_parser("train", help="train a version on a CSV or Parquet file")
    train.add_argument("data", help="a .csv or .parquet file")
    train.add_argument("--target", required=True, help="the column with the labels")
    train.add_argument("--model", default="default", help="name of the model")
    train.add_argument("--weight", help="a column with sample weights")
    train.add_argument("--kernel", choices=["linear", "rbf", "poly", "sigmoid"])
    train.add_argument("--c1", type=float)
    train.add_argument("--c3", type=float)
    train.add_argument("--gamma", type=float)
    train.add_argument("--scale", choices=["minmax", "standard", "none"])
    train.add_argument("--impute", choices=["error", "median"])
    train.add_argument("--one-hot", action="store_true", help="encode text columns")
    train.add_argument("--auto", action="store_true", help="find the parameters that are not given")
    train.add_argument("--budget", type=float, help="seconds that --auto may take (default 30)")
    train.add_argument(
        "--probability",
        choices=["sigmoid", "isotonic"],
        help="with --auto: calibrate probabilities",
    )
    train.add_argument("--folds", type=int, help="cross-validate")
    train.add_argument("--holdout", type=float, help="validate on this share of the rows")
    train.add_argument("--options", help="all options as JSON, as in POST /train")
    train.add_argument("--json", action="store_true", help="print the whole model info")

    predict = commands.add_parser("predict", help="label the rows of a file")
    predict.add_argument("model")
    predict.add_argument("data", help="a .csv or .parquet file")
    predict.add_argument("--model-version", type=int, dest="model_version")
    predict.add_argument("--alias")
    predict.add_argument("--output", help="write CSV here instead of to standard output")

    models = commands.add_parser("models", help="list models, or the versions of one")
    models.add_argument("model", nargs="?")
    models.add_argument("--json", action="store_true")

    keys = commands.add_parser("keys", help="make an API key")
    keys.add_argument("action", choices=["new"])
    keys.add_argument("--name", default="key")
    keys.add_argument(
        "--scopes", default="predict", help="metrics, predict, train, admin; joined by +"
    )

    add_db_command(commands)
    add_backup_commands(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = build_parser().parse_args(arguments)
    if options.home:
        os.environ["FRTSVM_HOME"] = options.home
    if options.command == "serve":
        given = os.environ.get("FRTSVM_WORKERS", "")  # checked later, with all other settings
        _spread_threads(options.workers or (int(given) if given.isdigit() else 1))
    # Imported only now: the libraries read the variables set above when they are loaded.
    from pydantic import ValidationError

    from app.errors import ServiceError

    try:
        return _run(options)
    except ValidationError as error:  # a wrong FRTSVM_... variable
        for item in error.errors(include_input=False, include_url=False):
            name = "_".join(["FRTSVM", *map(str, item["loc"])]).upper()
            print(f"frtsvm: {name}: {item['msg']}", file=sys.stderr)
        return 2
    except ServiceError as error:
        print(f"frtsvm: {error.detail}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace) -> int:
    if options.command == "serve":
        from app.cli.serve import run_serve

        return run_serve(options)
    others = {"db": run_db, "backup": run_backup, "restore": run_restore, "worker": run_worker}
    if options.command in others:
        return others[options.command](options)
    from app.cli import commands

    return commands.run(options)


def _spread_threads(workers: int) -> None:
    """Give each web process its share of the cores, unless the user has decided."""
    share = max(1, available_cores() // max(1, workers))
    for variable in THREAD_VARIABLES:
        os.environ.setdefault(variable, str(share))
