"""MLServer with its scikit-learn runtime, in an environment of its own."""

import json
import shutil
import subprocess
import venv
from pathlib import Path

# uvloop 0.22 and later keep MLServer 1.7.1 from starting.
REQUIREMENTS = ("mlserver==1.7.1", "mlserver-sklearn==1.7.1", "uvloop<0.22")
# What it does not bring along, and is faster with.
FASTER = ("httptools",)


def environment(folder: Path, *, best: bool) -> Path:
    """Its Python, for its best setting or as installed; made at the first call. RuntimeError where it
    does not install."""
    folder = folder / ("best" if best else "as-installed")
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS]
    command += FASTER if best else ()
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise RuntimeError(f"MLServer does not install here: {done.stderr.strip()[-300:]}")
    (folder / "complete").touch()
    return python


def write_repository(folder: Path, models: Path, ports: tuple[int, int, int], best: bool) -> None:
    """Settings and one folder per model. `best` is its fastest setting, else as installed."""
    http, grpc, metrics = ports
    settings: dict[str, object] = {
        "host": "127.0.0.1",
        "http_port": http,
        "grpc_port": grpc,
        "metrics_port": metrics,
    }
    if best:
        settings |= {"parallel_workers": 0, "debug": False}
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(settings))
    for path in models.glob("*.joblib"):
        place = folder / path.stem
        place.mkdir()
        model = {
            "name": path.stem,
            "implementation": "mlserver_sklearn.SKLearnModel",
            "parameters": {"uri": str(path)},
        }
        (place / "model-settings.json").write_text(json.dumps(model))


def command(python: Path, folder: Path) -> list[str]:
    return [str(python.parent / "mlserver"), "start", str(folder)]
