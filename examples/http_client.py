"""Train, look at suspicious rows, promote and predict over HTTP.

Start the service with `make serve`, then run this with the same Python environment or any other:
only the standard library is used.
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
    """One call; errors come back as problem documents."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310  (the address is the user's own)
        BASE + path, data, {"content-type": "application/json"}, method=method
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def two_moons(n: int, flipped: float, seed: int) -> tuple[list[list[float]], list[str]]:
    """Two interleaved half circles, with some labels exchanged."""
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
    """The tour."""
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
    answer = call("POST", "/predict", {"model": "moons", "X": [{"x": 0.0, "y": 1.0}]})
    print(f"  (0, 1) is {answer['labels'][0]}, says version {answer['version']}")


if __name__ == "__main__":
    main()
