"""A progress bar for terminals."""

from __future__ import annotations

from typing import TextIO

WIDTH = 30


class ProgressBar:
    """A line that is redrawn in place; nothing is drawn if `out` is not a terminal."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._draws = out.isatty()
        self._last = ""

    def show(self, percent: float, phase: str) -> None:
        """Redraw the line if it has changed."""
        filled = int(WIDTH * percent / 100)
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {percent:5.1f} %  {phase}"
        if self._draws and line != self._last:
            self._out.write(f"\r{line:{len(self._last)}}")
            self._out.flush()
            self._last = line

    def close(self) -> None:
        """End the line."""
        if self._last:
            self._out.write("\n")
