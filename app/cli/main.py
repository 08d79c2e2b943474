"""The program `frtsvm` and its commands."""

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

#: Variables that OpenMP and the BLAS libraries read when they are loaded.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their options."""
    parser = argparse.ArgumentParser(
        prog="frtsvm",
        description="Train and serve Fast and Robust Twin Support Vector Machines.",
    )
    parser.add_argument(
        "--version",
        action="version",
        version=version("frtsvm-service"),
        help="print the version and exit",
    )
    parser.add_argument(
        "--home",
        metavar="FOLDER",
        help="folder with the database and the models, unless FRTSVM_DATABASE_URL or "
        "FRTSVM_ARTIFACTS name other places for them (default: FRTSVM_HOME or .frtsvm)",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    serve = commands.add_parser(
        "serve",
        help="start the service",
        description="Start the HTTP service. Its settings are environment variables FRTSVM_..., "
        "which docs/operations.md lists.",
    )
    serve.add_argument("--host", help="address to listen on (default: FRTSVM_HOST or 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to listen on (default: FRTSVM_PORT or 8000)")
    serve.add_argument(
        "--workers", type=int, help="number of web processes (default: FRTSVM_WORKERS or 1)"
    )

    add_worker_command(commands)

    train = commands.add_parser(
        "train",
        help="train a model version on a CSV or Parquet file",
        description="Train a model on a file and store it as a new version. Error messages count "
        "the rows of the file from 0, without the header.",
    )
    train.add_argument(
        "data", help="file with the training rows: .csv with a header line, or .parquet"
    )
    train.add_argument("--target", required=True, metavar="COLUMN", help="column with the labels")
    train.add_argument("--model", default="default", help="name of the model (default: default)")
    train.add_argument("--weight", metavar="COLUMN", help="column with the sample weights")
    train.add_argument(
        "--kernel", choices=["linear", "rbf", "poly", "sigmoid"], help="kernel (default: rbf)"
    )
    train.add_argument(
        "--c1",
        type=float,
        help="regularization of the planes; larger values give smoother planes (default: 1)",
    )
    train.add_argument(
        "--c3",
        type=float,
        help="cost of rows of the other class that lie too close to a plane (default: 1)",
    )
    train.add_argument(
        "--gamma",
        type=float,
        help="coefficient of the kernels rbf, poly and sigmoid "
        "(default: 1 / (number of inputs x variance of the inputs))",
    )
    train.add_argument(
        "--scale",
        choices=["minmax", "standard", "none"],
        help="scaling of the numeric columns (default: minmax)",
    )
    train.add_argument(
        "--impute",
        choices=["error", "median"],
        help="treatment of missing values: refuse them or fill in the median (default: error)",
    )
    train.add_argument(
        "--one-hot",
        action="store_true",
        help="encode text columns as 0/1 columns; without it, text columns are refused",
    )
    train.add_argument(
        "--auto", action="store_true", help="search for the parameters that are not given"
    )
    train.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="time budget of --auto in seconds; with --folds or --holdout, the validation takes "
        "half of it (default: FRTSVM_SEARCH_SECONDS or 30)",
    )
    train.add_argument(
        "--probability",
        choices=["sigmoid", "isotonic"],
        help="with --auto: method to calibrate probabilities with (default: no probabilities)",
    )
    train.add_argument(
        "--folds",
        type=int,
        help="measure the accuracy by cross-validation with this number of folds; --auto repeats "
        "its search in each of them",
    )
    train.add_argument(
        "--holdout",
        type=float,
        metavar="SHARE",
        help="instead of --folds: measure the accuracy on this share of the rows, for example 0.2",
    )
    train.add_argument(
        "--options",
        metavar="JSON",
        help="options as a JSON object, as in POST /train; the options above take precedence",
    )
    train.add_argument("--json", action="store_true", help="print the model info as JSON")

    predict = commands.add_parser(
        "predict",
        help="predict the labels of the rows of a file",
        description="Predict the rows of a file. The result is a CSV table with labels, scores "
        "and, if the version has them, probabilities.",
    )
    predict.add_argument("model", help="name of the model")
    predict.add_argument(
        "data",
        help="file with the rows: .csv with a header line, or .parquet; columns that are not "
        "features of the model are ignored",
    )
    predict.add_argument(
        "--model-version",
        type=int,
        dest="model_version",
        metavar="NUMBER",
        help="version to use (default: the alias production if it exists, else the latest)",
    )
    predict.add_argument(
        "--alias", help="alias of the version to use; ignored with --model-version"
    )
    predict.add_argument(
        "--output", metavar="FILE", help="write the CSV to this file instead of standard output"
    )

    models = commands.add_parser(
        "models",
        help="list the models, or the versions of one model",
        description="List the models, or the versions of one model.",
    )
    models.add_argument("model", nargs="?", help="name of the model whose versions to list")
    models.add_argument("--json", action="store_true", help="print JSON instead of a table")

    keys = commands.add_parser(
        "keys",
        help="create an API key",
        description="Create an API key. Nothing is stored: give the printed key to the caller, add "
        "the printed entry to FRTSVM_API_KEYS, and restart the service.",
    )
    keys.add_argument("action", choices=["new"], help="new: create a key and print it once")
    keys.add_argument(
        "--name", default="key", help="name of the key, for error messages (default: key)"
    )
    keys.add_argument(
        "--scopes",
        default="predict",
        help="scopes of the key, joined by +: metrics, predict, train, admin (default: predict)",
    )

    add_db_command(commands)
    add_backup_commands(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = build_parser().parse_args(arguments)
    if options.home:
        os.environ["FRTSVM_HOME"] = options.home
    if options.command == "serve":
        given = os.environ.get("FRTSVM_WORKERS", "")  # validated later, with all other settings
        _spread_threads(options.workers or (int(given) if given.isdigit() else 1))
    # Imported here because the libraries read the variables set above when they are loaded.
    from pydantic import ValidationError

    from app.errors import ServiceError

    try:
        return _run(options)
    except ValidationError as error:  # an invalid FRTSVM_... variable
        for item in error.errors(include_input=False, include_url=False):
            name = "_".join(["FRTSVM", *map(str, item["loc"])]).upper()
            detail = item["msg"].removeprefix("Value error, ").rstrip(".")
            print(f"frtsvm: {name} is invalid: {detail}.", file=sys.stderr)
        return 2
    except ServiceError as error:
        print(f"frtsvm: {error.detail}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, for example `head`, has closed the pipe
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
    """Limit the threads of each web process to its share of the CPU cores, if the user has not."""
    share = max(1, available_cores() // max(1, workers))
    for variable in THREAD_VARIABLES:
        os.environ.setdefault(variable, str(share))
