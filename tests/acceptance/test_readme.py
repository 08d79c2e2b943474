"""The commands of the README work as they are and print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.server import Server

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
#: Differs in every run: identifiers of requests, and durations.
VARYING = re.compile(r"request:[0-9a-f]{16}|\d+\.\d+ s\b")
#: Programs as the README names them, and where the tests find them.
PROGRAMS = {
    ".venv/bin/python": sys.executable,
    ".venv/bin/frtsvm": str(Path(sys.executable).with_name("frtsvm")),
    "python3": sys.executable,
}


CLIENT_OUTPUT = """
moons version 1
  cross-validated accuracy 0.932
  relative duality gap     4.6e-16
  rows that look wrong     26
    row 8: labelled lower, predicted upper
    row 49: labelled upper, predicted lower
    row 63: labelled upper, predicted lower
  (0, 1) is upper, says version 1
"""


def commands() -> list[tuple[str, str]]:
    """Return the commands of the `console` blocks with the output that the README shows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def require_same(printed: str, expected: str, command: str) -> None:
    """Words must match exactly; numbers may differ by rounding errors between machines."""
    printed, expected = (VARYING.sub("-", text.strip()) for text in (printed, expected))
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected), command
    ours, theirs = ([float(n) for n in NUMBER.findall(text)] for text in (printed, expected))
    assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-6), command


def test_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    shown = commands()
    assert len(shown) >= 5
    environment = {**os.environ, "FRTSVM_HOME": str(tmp_path / "command-line")}
    programs = re.compile("|".join(rf"(?<!\S){re.escape(name)}(?!\S)" for name in PROGRAMS))
    with Server(tmp_path / "home") as server:
        for command, expected in shown:
            here = command.replace("localhost:8000", f"127.0.0.1:{server.port}")
            here = programs.sub(lambda found: PROGRAMS[found[0]], here)
            found = subprocess.run(
                here,
                shell=True,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
            require_same(found.stdout, expected, command)


def test_the_python_client_of_the_examples_works(tmp_path: Path) -> None:
    with Server(tmp_path / "home") as server:
        found = subprocess.run(
            [sys.executable, "examples/http_client.py", server.url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    require_same(found.stdout, CLIENT_OUTPUT, "examples/http_client.py")
