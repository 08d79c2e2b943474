"""Where the process of a training begins.

Apart from `app.jobs.child`, so that the web process can name it without importing what trains.
"""

from __future__ import annotations

from multiprocessing.connection import Connection


def main(task_text: str, pipe: Connection) -> None:
    """Run one task; in the process from which trainings are forked its code is loaded already."""
    from app.jobs import child

    child.main(task_text, pipe)
