"""The commands `train`, `predict`, `models` and `keys`."""

from __future__ import annotations

import argparse
import csv
import hashlib
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from app.cli.progress import ProgressBar
from app.cli.report import report, status
from app.container import Container
from app.errors import Flaw, InvalidRequest
from app.observability.logs import configure_logging
from app.schemas.base import NAME_PATTERN
from app.schemas.jobs import JobInfo
from app.schemas.keys import KeyEntry
from app.schemas.prediction import PredictionRequest
from app.schemas.training import AUTO, TrainingOptions
from app.schemas.validation import parse_json, validate
from app.services.jobs import failure_of
from app.services.tables import (
    Columns,
    features_of,
    labels_of,
    read_csv,
    read_parquet,
    weights_of,
)
from app.settings import Settings


def run(options: argparse.Namespace) -> int:
    """Run the parsed command and return its exit code."""
    command = {
        "train": run_train,
        "predict": run_predict,
        "models": run_models,
        "keys": run_keys,
    }[options.command]
    return command(options)


def run_train(options: argparse.Namespace) -> int:
    """Train a version, show a progress bar, and print a report."""
    with _services() as services:
        columns = _read(Path(options.data), services)
        labels = labels_of(columns.pop(options.target, "--target"), options.target)
        weights = None
        if options.weight:
            weights = weights_of(columns.pop(options.weight, "--weight"), options.weight)
        record = services.trainings.submit_table(
            _name(options.model), features_of(columns), labels, weights, _options(options), "cli"
        )
        services.start()  # after the checks, because it takes some seconds
        ended = _follow(services, record.id)
        failure = failure_of(ended)
        if failure is not None:
            raise failure
        info = services.models.version(ended.model, ended.version)
    if options.json:
        print(orjson.dumps(info.model_dump(), option=orjson.OPT_INDENT_2).decode())
        return 0
    print(report(info))
    return 0


def run_predict(options: argparse.Namespace) -> int:
    """Write the labels, scores and probabilities of the rows as CSV."""
    with _services() as services:
        columns = _read(Path(options.data), services)
        info = services.models.version(
            _name(options.model),
            services.cache.get((options.model, options.model_version, options.alias))[0],
        )
        known = info.feature_names
        if known is not None:  # the file may have more columns, for example the target
            columns = _chosen(columns, known)
        table = features_of(columns)
        if known is None:
            table = type(table)(table.numbers, None, table.texts)
        request = PredictionRequest.model_construct(
            model=options.model, X=table, version=info.version, alias=None
        )
        answer = services.predictions.predict(request)
    scores = answer.prediction.scores
    n_scores = 1 if scores.ndim == 1 else scores.shape[1]
    header = ["label"] + (
        ["score"] if n_scores == 1 else [f"score_{label}" for label in info.classes]
    )
    numbers = scores.reshape(len(answer.prediction.codes), n_scores)
    if answer.prediction.probabilities is not None:
        header += [f"probability_{label}" for label in info.classes]
        numbers = np.hstack([numbers, answer.prediction.probabilities])
    rows = numbers.tolist()
    with _output(options.output) as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(
            [label, *row] for label, row in zip(answer.prediction.labels, rows, strict=True)
        )
    return 0


def run_models(options: argparse.Namespace) -> int:
    """Print the models, or the versions of one model."""
    with _services() as services:
        found: Any = (
            services.models.model(_name(options.model), 1000, 0)
            if options.model
            else services.models.page(1000, 0)
        )
    if options.json:
        print(orjson.dumps(found.model_dump(), option=orjson.OPT_INDENT_2).decode())
    elif options.model:
        print(f"{'VERSION':>7}  {'KERNEL':7} {'ROWS':>8}  TRAINING ACCURACY  ALIASES")
        for item in found.versions:
            print(
                f"{item.version:>7}  {item.kernel:7} {item.n_rows:>8}  "
                f"{item.training_accuracy:>17.4f}  {' '.join(item.aliases)}"
            )
    else:
        print(f"{'MODEL':20} {'LATEST':>6}  {'VERSIONS':>8}  ALIASES")
        for item in found.items:
            aliases = " ".join(f"{name}={at}" for name, at in item.aliases.items())
            print(f"{item.model:20} {item.latest:>6}  {item.n_versions:>8}  {aliases}")
    return 0


def run_keys(options: argparse.Namespace) -> int:
    """Create a key and print it. The service stores its hash only, so this is the only time."""
    key = secrets.token_urlsafe(32)
    entry = f"{options.name}:{options.scopes}:{hashlib.sha256(key.encode()).hexdigest()}"
    try:
        KeyEntry.parse(entry)
    except ValueError:
        print(
            "frtsvm: --name or --scopes is invalid. A name has 1 to 64 letters, digits, dots, "
            "hyphens and underscores, and starts with a letter or digit; scopes are metrics, "
            "predict, train and admin, joined by +.",
            file=sys.stderr,
        )
        return 2
    print(f"key, for the caller:      {key}")
    print(f"add to FRTSVM_API_KEYS:   {entry}")
    return 0


@contextmanager
def _services() -> Iterator[Container]:
    settings = Settings()
    configure_logging("text", "warning")
    container = Container(settings)
    try:
        yield container
    finally:
        container.close()


def _read(path: Path, services: Container) -> Columns:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InvalidRequest(f"Cannot read {path}: {error.strerror}.") from None
    limits = services.trainings.limits.data
    if path.suffix.lower() in (".parquet", ".pq"):
        return read_parquet(body, limits)
    return read_csv(body, limits)


def _chosen(columns: Columns, names: list[str]) -> Columns:
    missing = [name for name in names if name not in columns.names]
    if missing:
        raise InvalidRequest(
            f"The file has no column {missing[0]!r}, which the model was trained on. Add it.",
            flaws=[Flaw("The column is missing.")],
        )
    return Columns(list(names), [columns.cells[columns.names.index(name)] for name in names])


def _options(options: argparse.Namespace) -> TrainingOptions:
    value: dict[str, Any] = parse_json((options.options or "{}").encode())
    if not isinstance(value, dict):
        raise InvalidRequest("--options must be a JSON object, as in POST /train.")
    given = value.get("params", {})
    automatic = options.auto or given == AUTO
    params = {} if given == AUTO else given
    if not isinstance(params, dict):
        raise InvalidRequest('"params" in --options must be a JSON object or "auto".')
    params = dict(params)
    for name in ("kernel", "c1", "c3", "gamma"):
        if getattr(options, name) is not None:
            params[name] = getattr(options, name)
    value["params"] = params
    search = {
        "time_budget": options.budget,
        "probability": options.probability,
    }
    search = {name: setting for name, setting in search.items() if setting is not None}
    if search and not automatic and "search" not in value:
        raise InvalidRequest("--budget and --probability apply to a search only. Add --auto.")
    if automatic or search:
        value["search"] = {**(value.get("search") or {}), **search}
    for name in ("scale", "impute"):
        if getattr(options, name) is not None:
            value[name] = getattr(options, name)
    if options.one_hot:
        value["one_hot"] = True
    validation = {
        name: getattr(options, name)
        for name in ("folds", "holdout")
        if getattr(options, name) is not None
    }
    if validation:
        value["validation"] = validation
    return validate(TrainingOptions, value)


def _name(text: str) -> str:
    import re

    if not re.fullmatch(NAME_PATTERN, text) or text.endswith("\n"):
        raise InvalidRequest(
            f"{text[:64]!r} is not a valid model name. A name has 1 to 64 letters, digits, dots, "
            "hyphens and underscores, and starts with a letter or digit."
        )
    return text


def _follow(services: Container, job: str) -> Any:
    """Wait until a job has ended.

    The first Ctrl-C ends a search with the best parameters so far. The second one, or the first one
    if the job is not a search, cancels the job.
    """
    bar = ProgressBar(sys.stderr)
    try:
        with _counted_interrupts() as interrupts:
            record = _wait(services, job, bar, lambda: interrupts() > 0)
            if record.state.ended:
                return record
            if services.jobs.request_cancel(job, keep_best=True).keep_best:
                words = (
                    "The search ends with the best parameters so far. Press Ctrl-C again to cancel."
                )
                print(f"\n{words}", file=sys.stderr)
                record = _wait(services, job, bar, lambda: interrupts() > 1)
                if record.state.ended:
                    return record
            if not services.store.jobs.get(job).state.ended:
                services.jobs.request_cancel(job)
            while not services.store.jobs.get(job).state.ended:
                time.sleep(0.05)
        raise KeyboardInterrupt
    finally:
        bar.close()


@contextmanager
def _counted_interrupts() -> Iterator[Callable[[], int]]:
    """Count how often Ctrl-C is pressed, without raising `KeyboardInterrupt`.

    Raised during a database query, it could leave a lock behind that the next query waits for.
    """
    pressed = 0

    def count(_number: int, _frame: Any) -> None:
        nonlocal pressed
        pressed += 1

    before = signal.signal(signal.SIGINT, count)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _wait(services: Container, job: str, bar: ProgressBar, interrupted: Callable[[], bool]) -> Any:
    """Return the job when it has ended or `interrupted()` is true."""
    while True:
        record = services.store.jobs.get(job)
        info: JobInfo = services.jobs.get(job)
        bar.show(info.progress.percent, status(info.progress))
        if record.state.ended or interrupted():
            return record
        time.sleep(0.1)


@contextmanager
def _output(path: str | None) -> Iterator[Any]:
    if path is None:
        yield sys.stdout
    else:
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                yield file
        except OSError as error:
            raise InvalidRequest(f"Cannot write {path}: {error.strerror}.") from None
