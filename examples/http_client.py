"""Train a model over HTTP, list suspected rows, assign an alias and predict.

Start the service with `make serve`, then run this program with any Python: it only uses the
standard library.
"""

from __future__ import annotations

import json
import math
import random
import sys
import urllib.request
from typing import Any

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"


def call(method: str, path: str, body: Any = None) -> Any:
    """Send a request and return the JSON of the response; HTTP errors raise `HTTPError`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310  (the URL is given by the user)
        BASE + path, data, {"content-type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request) as response:  # noqa: S310
        return json.load(response)


def two_moons(n: int, flipped: float, seed: int) -> tuple[list[list[float]], list[str]]:
    """Return two interleaved half circles, with some labels exchanged."""
    chance = random.Random(seed)  # noqa: S311
    rows, labels = [], []
    for i in range(n):
        angle, upper = chance.uniform(0, math.pi), i % 2 == 0
        x = math.cos(angle) if upper else 1 - math.cos(angle)
        y = math.sin(angle) if upper else 0.5 - math.sin(angle)
        rows.append([round(x + chance.gauss(0, 0.1), 4), round(y + chance.gauss(0, 0.1), 4)])
        labels.append("upper" if upper != (chance.random() < flipped) else "lower")
    return rows, labels


def main() -> None:
    """Train, list suspected rows, assign an alias and predict."""
    rows, labels = two_moons(400, flipped=0.05, seed=0)
    info = call(
        "POST",
        "/train",
        {
            "model": "moons",
            "X": rows,
            "y": labels,
            "feature_names": ["x", "y"],
            "params": {"kernel": "rbf", "gamma": 5, "membership": "neighbors"},
            "validation": {"folds": 5},
        },
    )
    version = info["version"]
    print(f"moons version {version}")
    print(f"  cross-validated accuracy {info['validation']['accuracy']:.3f}")
    print(f"  relative duality gap     {info['certificate']['relative_gap']:.1e}")
    print(f"  rows that look wrong     {info['memberships']['n_suspected']}")
    page = call(
        "GET",
        f"/models/moons/versions/{version}/memberships?suspected=true&sort=membership&limit=3",
    )
    for item in page["items"]:
        print(f"    row {item['row']}: labelled {item['label']}, predicted {item['predicted']}")
    call("PUT", "/models/moons/aliases/production", {"version": version})
    prediction = call("POST", "/predict", {"model": "moons", "X": [{"x": 0.0, "y": 1.0}]})
    print(f"  (0, 1) is {prediction['labels'][0]}, says version {prediction['version']}")


if __name__ == "__main__":
    main()
