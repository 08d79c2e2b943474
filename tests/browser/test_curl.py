"""The curl commands: pasted into a shell, each has the effect that the page describes."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.server import Server
from tests.browser.steps import drop_file, rows_of, section, train

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")

#: Decimal commas, a formula, a row without a class, a row with too few cells, names that need quotes.
AWKWARD = "\n".join(
    [
        "it's height;two words;kind & kin",
        *(
            f"{i % 2 * 4 + i % 7 / 10:.1f};=1+{i % 3};{'ab'[i % 2]}".replace(".", ",")
            for i in range(40)
        ),
        "1,5;=1+1;",
        "2,5;=1+1",
    ]
)

Shell = Callable[[str], Any]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs a command in an empty directory and returns the response, which must be a success."""

    def run(line: str) -> Any:
        command = f"{line} --silent --write-out '\n%{{http_code}}'"
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        output, _, status = done.stdout.rpartition("\n")
        assert 200 <= int(status) < 300, (line, output)
        return json.loads(output) if output.startswith(("{", "[")) else output

    return run


def _command(page: Page, what: str) -> str:
    return page.get_by_role("group", name=f"curl command: {what}", exact=True).inner_text()


def test_the_train_command_sends_the_same_request_as_the_page(
    page: Page, shell: Shell, tmp_path: Path
) -> None:
    drop_file(page, "o'clock; <1>.csv", AWKWARD)
    page.get_by_label("Column with the classes").select_option("kind & kin")
    train(page, "awkward", kernel="linear")
    by_page = page.evaluate(
        "fetch('models/awkward/versions/1').then((response) => response.json())"
    )
    page.goto(page.url.split("#")[0] + "#train")
    with page.expect_download() as found:
        page.get_by_role("button", name="Download o'clock").click()
    found.value.save_as(tmp_path / found.value.suggested_filename)
    head, *rows = rows_of(found.value)
    assert head == ["it's height", "two words", "kind & kin"]
    assert len(rows) == 40
    assert {row[1] for row in rows} == {"=1+0", "=1+1", "=1+2"}  # sent without escaping
    by_shell = shell(_command(page, "train"))
    assert (by_page["version"], by_shell["version"]) == (1, 2)
    assert by_shell["n_rows"] == 40
    for part in ("columns", "params", "certificate", "memberships", "validation"):
        assert by_shell[part] == by_page[part], part


def test_all_other_commands_work(page: Page, shell: Shell, tmp_path: Path, studio: Server) -> None:
    drop_file(page, "lines.csv", AWKWARD.replace("=1+", "word "))
    page.get_by_label("Column with the classes").select_option("kind & kin")
    for version in (1, 2):
        train(page, "lines", kernel="linear")
        expect(page.locator("h1")).to_have_text(f"lines, version {version}")
        if version == 1:
            page.go_back()
    assert shell(_command(page, "get this version"))["version"] == 2
    assert len(shell(_command(page, "get its planes"))["planes"]) == 2
    assert shell(_command(page, "get its memberships"))["total"] == 40
    assert shell(_command(page, "get the other version"))["version"] == 1
    for what in ("get its planes", "get its memberships"):  # the page size of the studio
        assert "?limit=1000" in _command(page, what)

    page.get_by_role("link", name="Predict with this version").click()
    section(page, "Predict one row").get_by_label("two words").select_option("word 2")
    one = shell(_command(page, "predict this row"))
    assert one["labels"][0] in ("a", "b")
    (tmp_path / "rows.csv").write_text("two words,it's height\nword 1,0.2\nword 1,4.2\n")
    predictions = shell(_command(page, "predict a CSV file"))
    assert [row.split(",")[0] for row in predictions.splitlines()] == ["label", "a", "b"]

    page.goto(f"{studio.url}#models/lines/1")
    assert "lines" in [item["model"] for item in shell(_command(page, "list the models"))["items"]]
    for what in ("list the models", "get this model"):
        assert "?limit=1000" in _command(page, what)
    assert shell(_command(page, "get this model"))["latest"] == 2
    promote = _command(page, "Promote version 1")
    assert shell(promote.replace('"version":1', '"version":2'))
    shell(promote)
    assert shell(_command(page, "get this model"))["aliases"] == {"production": 1}
    shell(_command(page, "Roll back production"))
    assert shell(_command(page, "get this model"))["aliases"] == {"production": 2}
    shell(_command(page, "Delete version 1"))
    assert [item["version"] for item in shell(_command(page, "get this model"))["versions"]] == [2]
    shell(_command(page, "Delete lines"))
    assert "lines" not in [
        item["model"] for item in shell(_command(page, "list the models"))["items"]
    ]
