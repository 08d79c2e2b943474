"""The command line."""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import THREAD_VARIABLES, build_parser, main
from app.store.store import Store
from tests.app.data import long_search, two_blobs
from tests.app.server import FRTSVM


def frtsvm(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
    environment |= {"FRTSVM_HOME": str(home), **variables}
    return subprocess.run(
        [str(FRTSVM), *arguments], env=environment, capture_output=True, text=True, timeout=90
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "data.csv"
    rows, labels = two_blobs(60)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "y"])
        writer.writerows([*row, label] for row, label in zip(rows, labels, strict=True))
    return path


def test_train_predict_models(tmp_path: Path, table: Path) -> None:
    home = tmp_path / "home"
    trained = frtsvm(home, "train", str(table), "--target", "y", "--model", "m", "--folds", "3")
    assert trained.returncode == 0, trained.stderr
    assert "m version 1: 60 rows, 2 features" in trained.stdout
    listed = frtsvm(home, "models", "m", "--json")
    assert json.loads(listed.stdout)["versions"][0]["kernel"] == "rbf"
    output = tmp_path / "out.csv"
    found = frtsvm(home, "predict", "m", str(table), "--output", str(output))
    assert found.returncode == 0, found.stderr
    with output.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["label", "score"]
    assert [row[0] for row in rows[1:]] == two_blobs(60)[1]
    refused = frtsvm(home, "predict", "m", str(table), "--output", str(tmp_path))
    assert refused.returncode == 1
    assert refused.stderr == f"frtsvm: Cannot write {tmp_path}: Is a directory.\n"


def test_auto_finds_parameters_and_probabilities(tmp_path: Path, table: Path) -> None:
    home = tmp_path / "home"
    options = ("--auto", "--budget", "20", "--probability", "sigmoid", "--kernel", "linear")
    trained = frtsvm(home, "train", str(table), "--target", "y", "--model", "m", *options)
    assert trained.returncode == 0, trained.stderr
    lines = dict(line.strip().split("  ", 1) for line in trained.stdout.splitlines()[1:])
    assert lines["best parameters"].strip().startswith("kernel linear, c1 ")
    assert "accuracy (5 folds, " in lines["cross-validated"]
    assert "Brier score 0.0" in lines["probabilities"]
    assert float(lines["relative gap"]) < 1e-6
    found = frtsvm(home, "predict", "m", str(table))
    rows = list(csv.reader(found.stdout.splitlines()))
    assert rows[0] == ["label", "score", "probability_no", "probability_yes"]
    for label, _, no, yes in rows[1:]:
        assert float(no) + float(yes) == pytest.approx(1.0)
        assert (float(yes) > 0.5) == (label == "yes")


def test_interrupting_a_search_keeps_the_best(tmp_path: Path) -> None:
    body = long_search()
    data = tmp_path / "data.csv"
    with data.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "y"])
        writer.writerows([*row, label] for row, label in zip(body["X"], body["y"], strict=True))
    options = json.dumps({"search": body["search"]})
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FRTSVM_")}
    environment["FRTSVM_HOME"] = str(tmp_path / "home")
    command = [str(FRTSVM), "train", str(data), "--target", "y", "--options", options, "--json"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with Store(tmp_path / "home", f"sqlite:///{tmp_path}/home/frtsvm.sqlite3") as store:
        deadline = time.monotonic() + 120
        while not any(job.progress.get("search", {}).get("tried") for job in store.jobs.running()):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "The search ends with the best parameters so far." in said
    assert json.loads(printed)["search"]["stopped_early"] == "requested"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run a command in this process; for commands that end before any training."""
    for name in list(os.environ):
        if name.startswith("FRTSVM_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("FRTSVM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("app.cli.commands.configure_logging", lambda style, level: None)
    return lambda *arguments: main(arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("train", "nowhere.csv", "--target", "y"),
            "Cannot read nowhere.csv: No such file",
        ),
        (("models", "none-such"), "no model 'none-such'"),
        (("models", "../x"), "not a valid model name"),
        (
            ("train", "TABLE", "--target", "y", "--budget", "5"),
            "a search only. Add --auto.",
        ),
        (("train", "TABLE", "--target", "y", "--options", '{"params": 1}'), "JSON object or"),
        (("train", "TABLE", "--target", "y", "--folds", "0"), "validation.folds: Input should be"),
        (("serve", "--host", "0.0.0.0"), "Refusing to listen on 0.0.0.0"),
    ],
)
def test_errors_are_one_line(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    table: Path,
    arguments: tuple[str, ...],
    text: str,
) -> None:
    for name in ("FRTSVM_HOST", *THREAD_VARIABLES):  # `serve` sets them; put back afterwards
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    given = [str(table) if one == "TABLE" else one for one in arguments]
    assert run(*given) in (1, 2)
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


def test_a_wrong_target_names_the_columns(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], table: Path
) -> None:
    assert run("train", str(table), "--target", "z") == 1
    assert "There is no column 'z'. The columns are a, b, y (at most" in capsys.readouterr().err


def test_a_wrong_setting_is_named(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRTSVM_QUEUE_SIZE", "none")
    assert run("models") == 2
    assert "FRTSVM_QUEUE_SIZE is invalid: Input should be" in capsys.readouterr().err


def test_a_new_key_is_printed_with_its_hash(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("keys", "new", "--name", "ci", "--scopes", "train+predict") == 0
    key, entry = (line.split()[-1] for line in capsys.readouterr().out.splitlines())
    assert entry == f"ci:train+predict:{hashlib.sha256(key.encode()).hexdigest()}"
    assert run("keys", "new", "--scopes", "root") == 2
    assert "scopes are metrics, predict, train and admin" in capsys.readouterr().err


def test_every_command_and_option_has_a_help_text() -> None:
    (commands,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert {action.dest for action in commands._choices_actions} == set(commands.choices)
    assert all(action.help for action in commands._choices_actions)
    for parser in (build_parser(), *commands.choices.values()):
        for action in parser._actions:
            assert action.help or action is commands or action.dest == "command", action
