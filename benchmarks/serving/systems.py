"""The measured systems: how to start each server, and the form of its requests."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import orjson
from numpy.typing import NDArray

from benchmarks.serving import data
from benchmarks.serving.load import post_once, request_bytes
from benchmarks.serving.peers import mlserver
from benchmarks.serving.servers import Server, free_port, running

OURS = "this service, JSON"
OURS_LABELS = "this service, JSON, labels"
OURS_BINARY = "this service, V2 binary"
OURS_V2 = "this service, V2 JSON"
OURS_DEFAULT = "this service as installed, labels"
#: Two processes, like MLServer as installed, which computes in a second process.
OURS_TWO_WORKERS = "this service as installed, 2 workers, labels"
BARE = "FastAPI, constant response"
IDIOMATIC = "FastAPI, list[list[float]]"
MLSERVER = "MLServer, best setting"
MLSERVER_DEFAULT = "MLServer as installed"

ROOT = Path(__file__).parents[2]
MLSERVER_ENVIRONMENTS = ROOT / ".cache" / "mlserver"
JSON = "application/json"

Rows = NDArray[np.float64]
MakeRequest = Callable[[str, Rows], bytes]  # from the name of a model and rows


@dataclass(frozen=True)
class System:
    name: str
    server: Server
    request: MakeRequest


@contextmanager
def all_systems(work: Path) -> Iterator[tuple[list[System], list[str]]]:
    """Start all systems that can run on this machine; also return the reasons for the others."""
    table = data.training_table()
    np.savez(work / "rows.npz", x=table.x, y=table.y)
    left_out: list[str] = []
    with ExitStack() as stack:
        systems = [*_ours(stack, work, table), *_fastapi(stack, work)]
        try:
            systems += _mlserver(stack, work)
        except (RuntimeError, subprocess.SubprocessError) as error:
            left_out.append(str(error))
        yield systems, left_out


def _ours(stack: ExitStack, work: Path, table: data.Table) -> list[System]:
    quiet = stack.enter_context(_service(work, "quiet", {"FRTSVM_ACCESS_LOG": "false"}))
    plain = stack.enter_context(_service(work, "as-installed", {}))
    two = stack.enter_context(_service(work, "two-workers", {}, "--workers", "2"))
    for server in (quiet, plain, two):
        for kernel in data.KERNELS:
            body = {
                "model": kernel,
                "X": table.x,
                "y": table.y,
                "params": {"kernel": kernel},
                "scale": "none",
            }
            text = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
            _train(server.port, text)
    return [
        System(OURS, quiet, _plain_request),
        System(OURS_LABELS, quiet, _labels_request),
        System(OURS_V2, quiet, _v2_json_request),
        System(OURS_BINARY, quiet, _v2_binary_request),
        System(OURS_DEFAULT, plain, _labels_request),
        System(OURS_TWO_WORKERS, two, _labels_request),
    ]


@contextmanager
def _service(
    work: Path, title: str, environment: dict[str, str], *options: str
) -> Iterator[Server]:
    port = free_port()
    command = [str(Path(sys.executable).parent / "frtsvm"), "serve", "--port", str(port), *options]
    home = {"FRTSVM_HOME": str(work / title)}
    with running(
        title, command, port, "/readyz", work / f"{title}.log", environment | home, ROOT
    ) as server:
        yield server


def _train(port: int, body: bytes) -> None:
    response = httpx.post(
        f"http://127.0.0.1:{port}/train", content=body, headers={"Content-Type": JSON}, timeout=120
    )
    assert response.status_code == 201, response.text


def _fastapi(stack: ExitStack, work: Path) -> list[System]:
    models = _sklearn_models(work, sys.executable, "models")
    systems = []
    for name, factory in ((BARE, "constant"), (IDIOMATIC, "idiomatic")):
        port = free_port()
        module = f"benchmarks.serving.peers.fastapi_apps:{factory}"
        options = "--factory --loop uvloop --http httptools --no-access-log --log-level warning"
        command = [sys.executable, "-m", "uvicorn", module, "--port", str(port), *options.split()]
        server = running(
            name,
            command,
            port,
            "/ready",
            work / f"{factory}.log",
            {"FRTSVM_BENCH_MODELS": str(models)},
            ROOT,
        )
        systems.append(System(name, stack.enter_context(server), _plain_request))
    return systems


def _mlserver(stack: ExitStack, work: Path) -> list[System]:
    systems = []
    for name, best in ((MLSERVER, True), (MLSERVER_DEFAULT, False)):
        folder = work / ("mlserver-best" if best else "mlserver-plain")
        python = mlserver.environment(MLSERVER_ENVIRONMENTS, best=best)
        models = _sklearn_models(work, str(python), f"{folder.name}-models")
        ports = (free_port(), free_port(), free_port())
        mlserver.write_repository(folder, models, ports, best)
        server = running(
            name,
            mlserver.command(python, folder),
            ports[0],
            "/v2/models/rbf/ready",
            work / f"{folder.name}.log",
            {},
            folder,
        )
        systems.append(System(name, stack.enter_context(server), _v2_json_request))
    return systems


def _sklearn_models(work: Path, python: str, title: str) -> Path:
    folder = work / title
    folder.mkdir()
    script = Path(__file__).parent / "peers" / "sklearn_models.py"
    subprocess.run([python, str(script), str(work / "rows.npz"), str(folder)], check=True)
    return folder


def _plain_request(model: str, x: Rows) -> bytes:
    return request_bytes("/predict", data.plain_json(model, x), JSON)


def _labels_request(model: str, x: Rows) -> bytes:
    """Request labels only, without scores and distances, as MLServer returns them."""
    return request_bytes("/predict", data.plain_json(model, x, outputs=["labels"]), JSON)


def _v2_json_request(model: str, x: Rows) -> bytes:
    return request_bytes(f"/v2/models/{model}/infer", data.v2_json(x), JSON)


def _v2_binary_request(model: str, x: Rows) -> bytes:
    body, length = data.v2_binary(x)
    headers = {"Inference-Header-Content-Length": str(length)}
    return request_bytes(f"/v2/models/{model}/infer", body, "application/octet-stream", headers)


def labels_of(system: System, model: str, x: Rows) -> list[int] | None:
    """Predicted labels, to check that every system does the same work; None without JSON labels."""
    if system.name in (BARE, OURS_BINARY):
        return None
    response = orjson.loads(post_once(system.server.port, system.request(model, x)))
    if "labels" in response:
        return [int(label) for label in response["labels"]]
    by_name = {output["name"]: output["data"] for output in response["outputs"]}
    return [int(label) for label in by_name.get("label", by_name.get("predict"))]
