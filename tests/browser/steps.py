"""Actions of a user in the studio, and shared assertions."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Download, Locator, Page, expect

#: In milliseconds. Long, because trainings share two CPU cores with other tests and processes.
PATIENCE = 90_000


def blobs_csv(n: int = 60, seed: int = 0, wrong: tuple[int, ...] = (5, 11)) -> str:
    """Two separable classes, with the labels of some rows flipped."""
    rng = np.random.default_rng(seed)
    lines = ["height,width,kind"]
    for i in range(n):
        x, y = rng.normal(4.0 * (i % 2), 0.8, 2)
        label = ("cat", "dog")[(i % 2) ^ (i in wrong)]
        lines.append(f"{x:.4f},{y:.4f},{label}")
    return "\n".join(lines) + "\n"


def drop_file(page: Page, name: str, content: str | bytes, on: str = ".drop") -> None:
    """Drop a table on the page, as with the mouse, and wait until it is open."""
    drop(page, name, content, on)
    expect(page.locator("#table-title")).to_have_text(name)


def drop(page: Page, name: str, content: str | bytes, on: str) -> None:
    """Drop a file on an element of the page."""
    data = list(content.encode() if isinstance(content, str) else content)
    transfer = page.evaluate_handle(
        """([name, data]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(data)], name, {type: "text/csv"}));
            return transfer;
        }""",
        [name, data],
    )
    for kind in ("dragenter", "dragover", "drop"):
        page.dispatch_event(on, kind, {"dataTransfer": transfer})


def train(page: Page, model: str | None = None, **parameters: str) -> None:
    """Train with manually set parameters and wait for the result."""
    if model is not None:
        page.get_by_label("Model name").fill(model)
    page.get_by_role("radio", name="Set manually").check()
    for label, value in parameters.items():
        page.get_by_label(label.capitalize(), exact=True).select_option(value)
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("h1")).to_contain_text("version", timeout=PATIENCE)


def section(page: Page, heading: str) -> Locator:
    """The section of the page with this heading."""
    return page.get_by_role("region", name=heading, exact=True)


def rows_of(download: Download) -> list[list[str]]:
    """The rows of a downloaded CSV."""
    with open(download.path(), newline="", encoding="utf-8") as file:
        return list(csv.reader(io.StringIO(file.read())))


def obeys_axe(page: Page) -> None:
    """Assert axe's rules for WCAG 2.2 A and AA. Contrast is computed from the rendered colors."""
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": tags, "resultTypes": ["violations"]}).response
    wrong = [
        (rule["id"], [(node["target"], node.get("failureSummary")) for node in rule["nodes"][:3]])
        for rule in found["violations"]
    ]
    assert wrong == []
    assert any(rule["id"] == "color-contrast" and rule["nodes"] for rule in found["passes"])


def in_module(page: Page, module: str, script: str, argument: Any = None) -> Any:
    """Call a JavaScript function `(module, argument) => ...` with a module of the page."""
    return page.evaluate(
        f"async (argument) => ({script})(await import('./studio/js/{module}'), argument)", argument
    )
