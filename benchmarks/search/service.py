"""Duration of a training with `"params": "auto"` on small data, as the service runs it."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from app.pipeline.data import TrainingData
from app.pipeline.train import Outcome, train
from app.schemas.table import Table
from app.schemas.training import TrainingOptions
from benchmarks.measure import measure

SETS = ("iris", "wine", "heart", "ionosphere", "wdbc", "australian", "pima")


def prepared(name: str) -> TrainingData:
    from app.jobs import preload

    preload.warm_up()  # as in the process from which training processes are forked
    path = Path(os.environ["FRTSVM_DATA_DIR"]) / f"{name}.csv"
    rows = np.genfromtxt(path, delimiter=",", skip_header=1)
    return TrainingData.build(Table(rows[:, :-1]), rows[:, -1].astype(int).tolist(), None)


def run(data: TrainingData) -> Outcome:
    return train(data, TrainingOptions.model_validate({"params": "auto"}), lambda _: None)


def report(data: TrainingData, outcome: Outcome) -> dict[str, Any]:
    search = outcome.info["search"]
    return {
        "shape": f"{data.table.n_rows} x {data.table.n_columns}",
        "configurations": search["n_configurations"],
        "score": search["best_score"],
        "stopped": search["stopped_early"] or "-",
    }


def rows() -> list[str]:
    lines = []
    for name in SETS:
        found = measure(prepared, run, report, name)
        facts = found.facts
        lines.append(
            f"| {name} | {facts['shape']} | {found.wall:.1f} | {found.cpu:.1f} "
            f"| {facts['configurations']} | {100 * facts['score']:.1f} |"
        )
        print(lines[-1], flush=True)
    return lines


HEADER = [
    "| set | rows x features | wall, s | CPU s | configurations | cross-validated, % |",
    "|---|---|---|---|---|---|",
]
