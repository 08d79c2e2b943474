"""Number of usable CPU cores, by affinity and by quotas of control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frtsvm_core.cores import available_cores


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))


def cores(tmp_path: Path, groups: str, files: dict[str, str]) -> int:
    for name, text in files.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    membership = tmp_path / "self"
    membership.write_text(groups)
    return available_cores(tmp_path / "cgroup", membership)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {}, 8),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 8),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),  # a quota of 1.5 cores is rounded up
        ("0::/\n", {"cpu.max": "10000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "6400000 100000\n"}, 8),
        # The smallest quota of the group and its parents applies.
        ("0::/a/b\n", {"a/cpu.max": "300000 100000\n", "a/b/cpu.max": "max 100000\n"}, 3),
        # Inside a container: the path is that of the host, the files are those of the container.
        ("0::/docker/c1\n", {"cpu.max": "200000 100000\n"}, 2),
        (
            "4:cpu,cpuacct:/docker/c1\n1:memory:/x\n",
            {
                "cpu,cpuacct/docker/c1/cpu.cfs_quota_us": "250000\n",
                "cpu,cpuacct/docker/c1/cpu.cfs_period_us": "100000\n",
            },
            3,
        ),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ("0::/\n", {"cpu.max": "nonsense\n"}, 8),
        ("0::/\n", {"cpu.max": "100000 0\n"}, 8),
    ],
)
def test_quotas(tmp_path: Path, groups: str, files: dict[str, str], expected: int) -> None:
    assert cores(tmp_path, groups, files) == expected


def test_affinity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert cores(tmp_path, "0::/\n", {"cpu.max": "400000 100000\n"}) == 1


def test_without_control_groups(tmp_path: Path) -> None:
    assert available_cores(tmp_path / "none", tmp_path / "nothing") == 8
