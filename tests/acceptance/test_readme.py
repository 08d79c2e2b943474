"""The README's commands, copied, work and print what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.server import Server

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
#: What is different in every run.
MADE_UP = re.compile(r"request:[0-9a-f]{16}")


def commands() -> list[tuple[str, str]]:
    """Commands of the `console` blocks, and what they print."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if "curl" in command or "http_client" in command:
                found.append((command, output))
    return found


def test_what_is_shown_is_what_happens(tmp_path: Path) -> None:
    shown = commands()
    assert len(shown) >= 5
    with Server(tmp_path / "home") as server:
        for command, expected in shown:
            here = command.replace("localhost:8000", f"127.0.0.1:{server.port}")
            if "http_client" in here:
                here += f" {server.url}"
            here = re.sub(r"\bpython3\b", sys.executable, here)
            found = subprocess.run(
                here, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
            )
            printed, wanted = (MADE_UP.sub("-", text.strip()) for text in (found.stdout, expected))
            # Words to the letter; numbers to what differs between machines.
            assert NUMBER.sub("#", printed) == NUMBER.sub("#", wanted), command
            ours, theirs = ([float(n) for n in NUMBER.findall(text)] for text in (printed, wanted))
            assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-6), command
