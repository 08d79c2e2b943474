"""Entry point of training processes.

It is separate from `app.jobs.child`, so that the web process can refer to it without importing the
numerical libraries.
"""

from __future__ import annotations

from multiprocessing.connection import Connection


def main(task_text: str, pipe: Connection) -> None:
    """Run one task. The fork server has imported `app.jobs.child` already."""
    from app.jobs import child

    child.main(task_text, pipe)
