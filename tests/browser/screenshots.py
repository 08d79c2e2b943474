"""Take the screenshots of docs/studio again: `python -m tests.browser.screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.app.server import Server
from tests.browser.conftest import CHROMIUM, watched
from tests.browser.steps import section

PICTURES = Path(__file__).parents[2] / "docs/studio"
#: In milliseconds: longer than a parameter search.
PATIENCE = 120_000


def _open_example(page: Page, title: str, name: str) -> None:
    page.get_by_role("button", name=title).click()
    expect(page.locator("#table-title")).to_have_text(name)


def _train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("h1")).to_contain_text("version", timeout=PATIENCE)
    expect(page.locator("svg.plot path.boundary")).to_have_count(1)


def _show(page: Page, name: str, heading: str, size: tuple[int, int]) -> None:
    """Take a screenshot of the page, scrolled to a heading."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.get_by_role("heading", name=heading, exact=True).evaluate(
        "(heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 24)"
    )
    page.screenshot(path=PICTURES / f"{name}.png")


def draw(browser: Browser, address: str) -> None:
    """Take all screenshots in one session."""
    with watched(browser, viewport={"width": 1180, "height": 1000}) as page:
        page.goto(address)
        page.wait_for_selector("h1")
        _open_example(page, "WDBC", "wdbc.csv")
        _show(page, "table", "wdbc.csv", (1180, 1000))
        _open_example(page, "Moons", "moons.csv")
        _train(page)
        page.set_viewport_size({"width": 1180, "height": 1130})
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=PICTURES / "result.png")
        _show(page, "proof", "Optimality", (1180, 760))
        _show(page, "phone", "Decision boundary", (390, 844))
        page.emulate_media(color_scheme="dark")
        suspects = section(page, "Suspected wrong labels")
        for box in suspects.get_by_role("checkbox", name="Remove line").all()[:3]:
            box.check()
        _show(page, "suspects-dark", "Suspected wrong labels", (1180, 900))
        page.emulate_media(color_scheme="light")
        suspects.get_by_role("button", name="Train again without these rows").click()
        expect(page.get_by_text("that you removed are excluded")).to_be_visible()
        _train(page)
        page.goto(f"{address}#models/moons")
        page.get_by_role("button", name="Promote version 2", exact=True).click()
        expect(page.get_by_text("This version is in production.")).to_be_visible()
        page.mouse.move(0, 0)
        _show(page, "models", "Models", (1180, 1130))
        page.goto(f"{address}/docs#train_version")
        expect(page.get_by_role("group", name="curl command: POST /train")).to_be_visible()
        _show(page, "api", "Train", (1180, 900))


def main() -> None:
    """Start a server and a browser, and take the screenshots."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "home") as server,
        sync_playwright() as playwright,
    ):
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        draw(browser, server.url)
        browser.close()


if __name__ == "__main__":
    main()
