"""Detection of live and dead processes."""

from __future__ import annotations

from pathlib import Path

from app.store.presence import Presence


def test_alive_gone_and_unknown(tmp_path: Path) -> None:
    one, two = Presence(tmp_path), Presence(tmp_path)
    assert one.is_gone(two.id) is False
    assert one.is_gone(one.id) is False
    assert one.is_gone("never-seen") is None
    (tmp_path / "dead.lock").touch()
    assert one.is_gone("dead") is True
    one.forget(two.id)  # the process is alive, so this does nothing
    one.forget("dead")
    assert sorted(one.known()) == sorted([one.id, two.id])
    two.close()
    assert one.known() == [one.id]
    one.close()
