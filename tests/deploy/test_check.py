"""`deploy.check` finds planted mistakes in the deployment files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy import check


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the deployment files that a test may damage."""
    shutil.copytree(check.FOLDER, tmp_path / "deploy")
    shutil.copy(check.PROJECT / "docker-compose.yml", tmp_path)
    shutil.copytree(check.PROJECT / "app/observability", tmp_path / "app/observability")
    compose = [tmp_path / path.relative_to(check.PROJECT) for path in check.COMPOSE]
    monkeypatch.setattr(check, "FOLDER", tmp_path / "deploy")
    monkeypatch.setattr(check, "PROJECT", tmp_path)
    monkeypatch.setattr(check, "COMPOSE", compose)
    return tmp_path


Check = Callable[[], Iterator[str]]


@pytest.mark.parametrize(
    ("where", "right", "wrong", "checked", "said"),
    [
        ("docker-compose.yml", "mem_limit", "memory_limit", check.compose_problems, "memory_limit"),
        (
            "docker-compose.yml",
            "127.0.0.1:8000:",
            "8000:",
            check.compose_problems,
            "outside loopback",
        ),
        (
            "docker-compose.yml",
            "mem_limit: 4g",
            "",
            check.compose_problems,
            "The service has no memory limit",
        ),
        (
            "deploy/compose.scale.yml",
            "service_healthy",
            "service_started",
            check.compose_problems,
            "to be healthy",
        ),
        (
            "deploy/compose.scale.yml",
            "secrets: [db_password]",
            "secrets: [password]",
            check.compose_problems,
            "is not declared",
        ),
        (
            "deploy/compose.scale.yml",
            """    cap_drop: [ALL]
    cap_add: [CHOWN, DAC""",
            """    cap_add: [CHOWN, DAC""",
            check.compose_problems,
            "db: The container keeps capabilities",
        ),
        (
            "deploy/k8s/latency/autoscaler.yaml",
            "minReplicas: 2",
            "minReplicas: two",
            check.kubernetes_problems,
            "two",
        ),
        (
            "deploy/k8s/base/api.yaml",
            "replicas: 2",
            "replica: 2",
            check.kubernetes_problems,
            "replica",
        ),
        (
            "deploy/k8s/base/api.yaml",
            "minReplicas: 2",
            "minReplicas: two",
            check.kubernetes_problems,
            "two",
        ),
        (
            "deploy/k8s/base/kustomization.yaml",
            "  - worker.yaml\n",
            "",
            check.kubernetes_problems,
            "worker.yaml",
        ),
        (
            "deploy/k8s/s3/kustomization.yaml",
            "  - ../base\n",
            "  - ..\n",
            check.kubernetes_problems,
            "cycle",
        ),
        (
            "deploy/prometheus/alerts.yml",
            "frtsvm_jobs",
            "frtsvm_queue",
            check.metric_problems,
            "frtsvm_queue",
        ),
        (
            "deploy/k8s/base/config.yaml",
            "FRTSVM_ARTIFACTS",
            "FRTSVM_ARTEFACTS",
            check.variable_problems,
            "FRTSVM_ARTEFACTS",
        ),
    ],
)
def test_a_planted_mistake_is_reported(
    copy: Path, where: str, right: str, wrong: str, checked: Check, said: str
) -> None:
    assert list(checked()) == []
    text = (copy / where).read_text(encoding="utf-8")
    assert right in text
    (copy / where).write_text(text.replace(right, wrong), encoding="utf-8")
    assert said in "\n".join(checked())
