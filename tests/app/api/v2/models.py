"""Models for the protocol tests: labels of each type, names, text, three classes."""

from __future__ import annotations

from typing import Any

import httpx
import numpy as np

from tests.app.data import training, two_blobs

PROBE = np.array([[2.0, 2.0], [-2.0, -2.0], [0.5, -0.25], [-1.0, 3.0]])


def three_blobs(n: int = 60) -> tuple[list[Any], list[str]]:
    """Three separable classes."""
    rng = np.random.default_rng(3)
    centres = np.array([[0.0, 4.0], [4.0, -3.0], [-4.0, -3.0]])
    labels = [i % 3 for i in range(n)]
    rows = rng.normal(size=(n, 2)) + centres[labels]
    return rows.round(4).tolist(), [("red", "grün", "blue")[k] for k in labels]


def trainings() -> dict[str, dict[str, Any]]:
    """Model name -> body of its training."""
    rows, words = two_blobs()
    flags = [word == "yes" for word in words]
    three_rows, three_words = three_blobs()
    holes = [[None if i % 7 == 0 else row[0], row[1]] for i, row in enumerate(rows)]
    mixed = [
        {"age": row[0], "city": "Ulm" if flag else "Bonn"}
        for row, flag in zip(rows, flags, strict=True)
    ]
    codes = [["10" if flag else "20"] for flag in flags]
    return {
        "words": training("words"),
        "numbers": {"X": rows, "y": [7 if flag else -3 for flag in flags]},
        "flags": {"X": rows, "y": flags},
        "named": {"X": rows, "y": words, "feature_names": ["a", "b"]},
        "three": {"X": three_rows, "y": three_words},
        "rest": {"X": three_rows, "y": three_words, "params": {"multi_class": "ovr"}},
        "holes": {"X": holes, "y": words, "impute": "median"},
        "mixed": {"X": mixed, "y": words, "one_hot": True},
        "codes": {"X": codes, "y": words, "one_hot": True},
    }


def train_all(client: httpx.Client) -> None:
    """Train them; `words` twice, so that there is a version to choose."""
    for name, body in [*trainings().items(), ("words", training("words", seed=1))]:
        answer = client.post("/train", json={**body, "model": name})
        assert answer.status_code == 201, (name, answer.text)
