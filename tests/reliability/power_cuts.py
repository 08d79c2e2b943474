"""C3: power cuts on a simulated disk that loses all data that were not synced."""

from __future__ import annotations

from tests.reliability.crash_points import drive
from tests.reliability.faultfs import watch
from tests.reliability.programme import Run, row

DATABASES = ("sqlite", "postgresql")


@row(
    "C3",
    "power cut on a simulated disk that keeps only synced data",
    full=1000,
    quick=40,
    part=200,
)
def power_cuts(run: Run) -> None:
    """The simulated disk loses more than any real file system, so no particular one is assumed."""
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
