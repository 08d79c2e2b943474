"""A minimal FastAPI service, written as in FastAPI's documentation, for comparisons of speed."""

from __future__ import annotations

import numpy as np
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
WEIGHTS = np.linspace(-1.0, 1.0, 20)


class Rows(BaseModel):
    """The body of a prediction."""

    X: list[list[float]]


@app.post("/constant")
async def constant() -> dict[str, bool]:
    """A route that only returns a constant."""
    return {"ok": True}


@app.post("/predict")
async def predict(rows: Rows) -> dict[str, list[str] | list[float] | list[list[float]]]:
    """A linear model with labels, scores and distances."""
    scores = np.asarray(rows.X) @ WEIGHTS
    labels = ["yes" if score > 0 else "no" for score in scores]
    distances = np.abs(np.column_stack([scores, -scores]))
    return {"labels": labels, "scores": scores.tolist(), "distances": distances.tolist()}
