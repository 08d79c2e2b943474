"""Check the compose files, Kubernetes manifests, alerts and dashboard.

The files must match their schemas, the project's hardening rules, and the metrics and settings of
the service. The schemas are part of `check-jsonschema` (Compose Specification) and
`kubernetes-validate`, so no network is needed. Run with `python -m deploy.check`.
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
#: Kinds that only kubectl reads; Kubernetes has no schema for them.
CLIENT_SIDE = {"Kustomization"}


def compose_problems() -> Iterator[str]:
    """Problems of the compose files, each alone and all merged."""
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
        yield f"{name}: The service has no memory limit. Set mem_limit."
    if not service.get("read_only"):
        yield f"{name}: The root file system is writable. Set read_only: true."
    if service.get("cap_drop") != ["ALL"] or not service.get("security_opt"):
        yield (
            f"{name}: The container keeps capabilities or can gain new ones. "
            "Set cap_drop: [ALL] and security_opt: [no-new-privileges:true]."
        )
    if ":" not in service["image"] and "build" not in service:
        yield f"{name}: The image {service['image']!r} has no version tag. Add one."
    if "build" not in service and "healthcheck" not in service:
        yield f"{name}: The service has no health check. Set healthcheck."
    for port in service.get("ports", []):
        if not str(port).startswith("127.0.0.1:"):
            yield f"{name}: Port {port} is published outside loopback. Bind it to 127.0.0.1."
    for other, how in service.get("depends_on", {}).items():
        if other not in merged["services"]:
            yield f"{name}: The dependency {other!r} is not a service. Correct depends_on."
        if how["condition"] == "service_started":
            yield (
                f"{name}: The service does not wait for {other} to be healthy. "
                "Use the condition service_healthy."
            )
    for kind in ("secrets", "networks"):
        for used in service.get(kind, []):
            if used != "default" and used not in merged[kind]:
                yield (
                    f"{name}: The {kind[:-1]} {used!r} is not declared. "
                    f"Declare it under {kind}, or correct the name."
                )
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        known = (PROJECT / source).exists() if source[0] == "." else source in merged["volumes"]
        if not known:
            yield (
                f"{name}: The volume source {source!r} does not exist. "
                "Declare it under volumes, or correct the path."
            )


def kubernetes_problems() -> Iterator[str]:
    """Manifests that do not match the schemas of Kubernetes, or that no kustomization lists."""
    listed = yaml.safe_load((FOLDER / "k8s/base/kustomization.yaml").read_text(encoding="utf-8"))
    files = {path.name for path in (FOLDER / "k8s/base").glob("*.yaml")} - {"kustomization.yaml"}
    if files != set(listed["resources"]):
        yield (
            f"kustomization.yaml: Resources and files differ: {files ^ set(listed['resources'])}. "
            "List every manifest of the folder."
        )
    for path in sorted((FOLDER / "k8s").rglob("kustomization.yaml")):
        for name in yaml.safe_load(path.read_text(encoding="utf-8"))["resources"]:
            target = (path.parent / name).resolve()
            if not target.exists() or path.parent.is_relative_to(target):
                yield (
                    f"{path.relative_to(FOLDER)}: The resource {name} does not exist, or contains the "
                    "kustomization itself, which kubectl refuses as a cycle."
                )
    for path in sorted((FOLDER / "k8s").rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if document["kind"] in CLIENT_SIDE:
                continue
            try:
                kubernetes_validate.validate(document, KUBERNETES, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{path.name}: {document['kind']}: {error.message}"


def metric_problems() -> Iterator[str]:
    """Metrics that the alerts or the dashboard use, but that the service does not export."""
    source = (PROJECT / "app/observability/metrics.py").read_text(encoding="utf-8")
    known = set(re.findall(r'"(frtsvm_\w+)"', source))
    json.loads((FOLDER / "grafana/dashboard.json").read_text(encoding="utf-8"))
    for path in (FOLDER / "grafana/dashboard.json", FOLDER / "prometheus/alerts.yml"):
        for name in set(re.findall(r"frtsvm_\w+", path.read_text(encoding="utf-8"))):
            if re.sub(r"_(bucket|sum|count)$", "", name) not in known:
                yield f"{path.name}: The service has no metric {name}. Correct the name."


def variable_problems() -> Iterator[str]:
    """Settings that the files use, but that the service does not have."""
    from app.settings import Settings

    known = {f"FRTSVM_{name.upper()}" for name in Settings.model_fields}
    for path in [*COMPOSE, *(FOLDER / "k8s").rglob("*.yaml")]:
        for name in set(re.findall(r"FRTSVM_[A-Z_]+", path.read_text(encoding="utf-8"))):
            if name not in known:
                yield f"{path.name}: The service has no setting {name}. Correct the name."


def main() -> int:
    """Print all problems; return 1 if there are any."""
    checks = (compose_problems, kubernetes_problems, metric_problems, variable_problems)
    problems = [problem for check in checks for problem in check()]
    for problem in problems:
        print(problem)
    print(f"deployment files: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
