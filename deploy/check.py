"""Checks compose files and Kubernetes manifests, and that they fit the service.

The schemas come with `check-jsonschema` (the Compose Specification) and `kubernetes-validate`: no
network is used.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent
COMPOSE = [PROJECT / "docker-compose.yml", *sorted(FOLDER.glob("compose.*.yml"))]
KUBERNETES = "1.29.0"
#: Kubectl reads it, the API server does not.
CLIENT_SIDE = {"Kustomization"}


def compose_problems() -> Iterator[str]:
    """What is wrong with the compose files, one by one and together."""
    program = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [program, "--builtin-schema", "vendor.compose-spec", *COMPOSE],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        yield done.stdout + done.stderr
    merged: dict[str, dict[str, Any]] = {}
    for path in COMPOSE:
        for kind, entries in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            if isinstance(entries, dict):
                merged.setdefault(kind, {}).update(entries)
    for name, service in merged["services"].items():
        yield from _service_problems(name, service, merged)


def _service_problems(
    name: str, service: dict[str, Any], merged: dict[str, dict[str, Any]]
) -> Iterator[str]:
    limits = service.get("deploy", {}).get("resources", {}).get("limits", {})
    once = service.get("restart") == "no"
    if not once and "memory" not in limits and "mem_limit" not in service:
        yield f"{name}: no memory limit"
    if not service.get("read_only"):
        yield f"{name}: its root file system can be written"
    if service.get("cap_drop") != ["ALL"] or not service.get("security_opt"):
        yield f"{name}: keeps capabilities, or can gain some"
    if ":" not in service["image"] and "build" not in service:
        yield f"{name}: image without a version"
    if "build" not in service and "healthcheck" not in service:
        yield f"{name}: no health check"
    for port in service.get("ports", []):
        if not str(port).startswith("127.0.0.1:"):
            yield f"{name}: port {port} is published beyond loopback"
    for other, how in service.get("depends_on", {}).items():
        if other not in merged["services"]:
            yield f"{name}: depends on {other}, which there is not"
        if how["condition"] == "service_started":
            yield f"{name}: does not wait until {other} is healthy"
    for kind in ("secrets", "networks"):
        for used in service.get(kind, []):
            if used != "default" and used not in merged[kind]:
                yield f"{name}: {kind[:-1]} {used} is not declared"
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        known = (PROJECT / source).exists() if source[0] == "." else source in merged["volumes"]
        if not known:
            yield f"{name}: there is no {source}"


def kubernetes_problems() -> Iterator[str]:
    """What the schemas of Kubernetes say of the manifests."""
    listed = yaml.safe_load((FOLDER / "k8s/kustomization.yaml").read_text(encoding="utf-8"))
    files = {path.name for path in (FOLDER / "k8s").glob("*.yaml")} - {"kustomization.yaml"}
    if files != set(listed["resources"]):
        yield f"kustomization.yaml does not list {files ^ set(listed['resources'])}"
    for path in sorted((FOLDER / "k8s").rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if document["kind"] in CLIENT_SIDE:
                continue
            try:
                kubernetes_validate.validate(document, KUBERNETES, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{path.name}: {document['kind']}: {error.message}"


def metric_problems() -> Iterator[str]:
    """Metrics that alerts and dashboard ask for, but the service does not have."""
    source = (PROJECT / "app/observability/metrics.py").read_text(encoding="utf-8")
    known = set(re.findall(r'"(frtsvm_\w+)"', source))
    json.loads((FOLDER / "grafana/dashboard.json").read_text(encoding="utf-8"))
    for path in (FOLDER / "grafana/dashboard.json", FOLDER / "prometheus/alerts.yml"):
        for name in set(re.findall(r"frtsvm_\w+", path.read_text(encoding="utf-8"))):
            if re.sub(r"_(bucket|sum|count)$", "", name) not in known:
                yield f"{path.name}: there is no metric {name}"


def variable_problems() -> Iterator[str]:
    """Settings that the files name, but the service does not have."""
    from app.settings import Settings

    known = {f"FRTSVM_{name.upper()}" for name in Settings.model_fields}
    for path in [*COMPOSE, *(FOLDER / "k8s").rglob("*.yaml")]:
        for name in set(re.findall(r"FRTSVM_[A-Z_]+", path.read_text(encoding="utf-8"))):
            if name not in known:
                yield f"{path.name}: there is no setting {name}"


def main() -> int:
    """Print what is wrong; the exit code says whether anything is."""
    checks = (compose_problems, kubernetes_problems, metric_problems, variable_problems)
    problems = [problem for check in checks for problem in check()]
    for problem in problems:
        print(problem)
    print(f"deployment files: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
