"""Two FastAPI apps: one written as in FastAPI's documentation, and one that returns a constant.

The constant route is a lower bound on the cost of any FastAPI service. `FRTSVM_BENCH_MODELS` is the
folder with `linear.joblib` and `rbf.joblib`.
"""

import os
from pathlib import Path
from typing import Any

import joblib
from fastapi import FastAPI
from pydantic import BaseModel


class Rows(BaseModel):
    model: str
    X: list[list[float]]


class Labels(BaseModel):
    labels: list[int]
    scores: list[float]


def constant() -> FastAPI:
    app = FastAPI()

    @app.post("/predict")
    async def answer() -> dict[str, Any]:
        return {"model": "linear", "version": 1, "labels": [1], "scores": [0.5]}

    @app.get("/ready")
    async def ready() -> dict[str, bool]:
        return {"ready": True}

    return app


def idiomatic() -> FastAPI:
    folder = Path(os.environ["FRTSVM_BENCH_MODELS"])
    # joblib.load is safe here: sklearn_models.py has written these files.
    models = {path.stem: joblib.load(path) for path in folder.glob("*.joblib")}
    app = FastAPI()

    @app.post("/predict")
    async def predict(rows: Rows) -> Labels:
        model = models[rows.model]
        return Labels(
            labels=model.predict(rows.X).tolist(), scores=model.decision_function(rows.X).tolist()
        )

    @app.get("/ready")
    async def ready() -> dict[str, bool]:
        return {"ready": True}

    return app
