"""A progress bar, where there is a terminal to draw it on."""

from __future__ import annotations

from typing import TextIO

WIDTH = 30


class ProgressBar:
    """One line that is drawn over."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._draws = out.isatty()
        self._last = ""

    def show(self, percent: float, phase: str) -> None:
        """Draw, if anything changed."""
        filled = int(WIDTH * percent / 100)
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {percent:5.1f} %  {phase}"
        if self._draws and line != self._last:
            self._out.write(f"\r{line:{len(self._last)}}")
            self._out.flush()
            self._last = line

    def close(self) -> None:
        """Leave the line."""
        if self._last:
            self._out.write("\n")
