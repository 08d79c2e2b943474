"""Train a model, then predict with NVIDIA's client of the Open Inference Protocol.

pip install 'tritonclient[http]'
python examples/inference_protocol.py [http://127.0.0.1:8000]
"""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import tritonclient.http as triton

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
MODEL = "protocol-example"


def train(rows: Any, labels: list[str]) -> None:
    body = json.dumps({"model": MODEL, "X": rows.tolist(), "y": labels}).encode()
    request = urllib.request.Request(f"{URL}/train", body, {"content-type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310
        print("version", json.load(response)["version"])


rng = np.random.default_rng(0)
inside = rng.normal(size=(300, 2))
ring = rng.normal(size=(300, 2))
ring *= 4 / np.linalg.norm(ring, axis=1, keepdims=True)
train(np.vstack([inside, ring]), ["inside"] * 300 + ["ring"] * 300)

with triton.InferenceServerClient(urlsplit(URL).netloc) as client:
    metadata = client.get_model_metadata(MODEL)
    print("inputs: ", *(f"{t['name']} {t['datatype']} {t['shape']}" for t in metadata["inputs"]))
    print("outputs:", *(f"{t['name']} {t['datatype']} {t['shape']}" for t in metadata["outputs"]))

    rows = np.array([[0.0, 0.5], [4.0, 0.0]])
    tensor = triton.InferInput("X", list(rows.shape), "FP64").set_data_from_numpy(rows)
    result = client.infer(MODEL, [tensor])  # binary data in both directions
    for row, label in zip(rows.tolist(), result.as_numpy("label"), strict=True):
        print(row, "is", label.decode())
