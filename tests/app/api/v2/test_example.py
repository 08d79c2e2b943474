"""The example of docs/inference-protocol.md prints what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx

from tests.app.server import Server

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "inference-protocol.md"


def test_the_example_runs(serving: Server) -> None:
    shown = re.search(
        r"\$ \.venv/bin/python (examples/\S+)\n((?:    .+\n)+)", PAGE.read_text(encoding="utf-8")
    )
    assert shown is not None
    program, output = shown.groups()
    command = [sys.executable, str(ROOT / program), serving.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n") == [line.strip() for line in output.split("\n")]


def test_the_page_names_every_extension(http: httpx.Client) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for extension in http.get("/v2").json()["extensions"]:
        assert f"`{extension}`" in text
