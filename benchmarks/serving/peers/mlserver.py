"""MLServer with its scikit-learn runtime, in a separate virtual environment."""

import json
import shutil
import subprocess
import venv
from pathlib import Path

# MLServer 1.7.1 does not start with uvloop 0.22 and later.
REQUIREMENTS = ("mlserver==1.7.1", "mlserver-sklearn==1.7.1", "uvloop<0.22")
# Not a dependency of MLServer, but makes it faster.
FASTER = ("httptools",)


def environment(folder: Path, *, best: bool) -> Path:
    """Python of the environment for MLServer's best setting, or as installed.

    Creates the environment if it does not exist. Raises RuntimeError if the installation fails.
    """
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
        raise RuntimeError(f"MLServer could not be installed: {done.stderr.strip()[-300:]}")
    (folder / "complete").touch()
    return python


def write_repository(folder: Path, models: Path, ports: tuple[int, int, int], best: bool) -> None:
    """Write the settings and one folder per model, for the fastest setting or as installed."""
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
