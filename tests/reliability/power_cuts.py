"""C3: power cuts, on a model of a disk that forgets all it may, and on real file systems."""

from __future__ import annotations

from tests.reliability.crash_points import drive
from tests.reliability.faultfs import watch
from tests.reliability.programme import Run, row

DATABASES = ("sqlite", "postgresql")


@row(
    "C3",
    "power cut on a disk that keeps only what was synced",
    full=1000,
    quick=40,
    part=200,
)
def power_cuts(run: Run) -> None:
    """Stricter than any real file system, so that nothing rests on the habits of one."""
    for kind in DATABASES:
        folder = run.new_folder(kind)
        root = folder / "stores"
        root.mkdir()
        watched = watch(root, folder, disk=True, sync=False)
        few = run.wanted // 4
        share = run.wanted - few if kind == "sqlite" else few
        url = run.database(kind).get("database_url", "")
        arguments = (str(root / "home"), url, str(share), str(watched.disk))
        drive(run, kind, watched, "power_driver", *arguments)
