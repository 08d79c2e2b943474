"""The training table and the request bodies, the same for every server."""

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEATURES = 20
TRAINING_ROWS = 3_000
KERNELS = ("linear", "rbf")


@dataclass(frozen=True)
class Batch:
    """Rows of one request, with six decimals, as in typical tables, or with all digits of a double."""

    rows: int
    decimals: int | None = 6

    def __str__(self) -> str:
        return f"{self.rows:,}" + ("" if self.decimals is not None else ", 17 digits")


ONE = Batch(1)
THOUSAND = Batch(1_000)
TEN_THOUSAND = Batch(10_000)
#: With 17 digits as well, because the cost of JSON grows with the number of digits in every parser.
BATCHES = (ONE, Batch(100), THOUSAND, Batch(1_000, None), TEN_THOUSAND)


@dataclass(frozen=True)
class Table:
    x: NDArray[np.float64]
    y: NDArray[np.int64]


def training_table(seed: int = 0) -> Table:
    """Two overlapping classes of two clusters each, so that neither kernel is perfect."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, TRAINING_ROWS)
    centres = rng.normal(size=(2, 2, FEATURES))
    cluster = rng.integers(0, 2, TRAINING_ROWS)
    return Table(centres[y, cluster] + 1.5 * rng.normal(size=(TRAINING_ROWS, FEATURES)), y)


def rows_of(batch: Batch) -> NDArray[np.float64]:
    """Random rows with about the scale of the training rows."""
    x = np.random.default_rng(batch.rows).normal(scale=1.7, size=(batch.rows, FEATURES))
    return x if batch.decimals is None else x.round(batch.decimals)


def plain_json(model: str, x: NDArray[np.float64], **more: list[str]) -> bytes:
    return json.dumps({"model": model, "X": x.tolist(), **more}).encode()


def v2_json(x: NDArray[np.float64]) -> bytes:
    tensor = {"name": "X", "shape": list(x.shape), "datatype": "FP64", "data": x.ravel().tolist()}
    return json.dumps({"inputs": [tensor]}).encode()


def v2_binary(x: NDArray[np.float64]) -> tuple[bytes, int]:
    """The body and the length of its JSON part; the body requests a binary response."""
    tensor = {
        "name": "X",
        "shape": list(x.shape),
        "datatype": "FP64",
        "parameters": {"binary_data_size": x.nbytes},
    }
    head = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
    text = json.dumps(head).encode()
    return text + np.ascontiguousarray(x, dtype="<f8").tobytes(), len(text)
