"""Number of CPU cores that this process may use; a container often has fewer than its host."""

import math
import os
from functools import cache
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")


@cache  # reads files, and is called by every fit
def available_cores(root: Path = ROOT, membership: Path = MEMBERSHIP) -> int:
    """Return the number of usable CPU cores, at least 1.

    This is the smaller of the CPU affinity and the CPU quota of the control groups (rounded up).
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # outside Linux
        return os.cpu_count() or 1
    for quota in _quotas(root, membership):
        cores = min(cores, math.ceil(quota))
    return max(1, cores)


def _quotas(root: Path, membership: Path) -> list[float]:
    """Return the quotas, in cores, of all control groups of the process; the smallest applies."""
    return [
        quota
        for folder in _folders(root, membership)
        for quota in (_version_2(folder), _version_1(folder))
        if quota is not None
    ]


def _folders(root: Path, membership: Path) -> list[Path]:
    """Return the folders of the process's control groups and of all their parents.

    Inside a container the mounted root may already be the container's own group although the path
    is still that of the host, so some of these folders may not exist.
    """
    try:
        lines = membership.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        lines = []
    folders = [root, root / "cpu", root / "cpu,cpuacct"]
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            bases = [root]
        elif "cpu" in controllers.split(","):
            bases = [root / "cpu", root / controllers]
        else:
            continue
        inner = Path(path.lstrip("/"))
        folders += [base / part for base in bases for part in (inner, *inner.parents)]
    return list(dict.fromkeys(folders))


def _version_2(folder: Path) -> float | None:
    try:
        limit, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _version_1(folder: Path) -> float | None:
    try:
        limit = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        period = int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
        return limit / period if limit > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
