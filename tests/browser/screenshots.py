"""Draw the pictures of docs/studio anew: `python -m tests.browser.screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.app.server import Server
from tests.browser.conftest import CHROMIUM, watched
from tests.browser.steps import section

PICTURES = Path(__file__).parents[2] / "docs/studio"
#: Milliseconds; a search takes its time.
PATIENCE = 120_000


def _open_example(page: Page, title: str, name: str) -> None:
    page.get_by_role("button", name=title).click()
    expect(page.locator("#table-title")).to_have_text(name)


def _train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("h1")).to_contain_text("version", timeout=PATIENCE)
    expect(page.locator("svg.plot path.boundary")).to_have_count(1)


def _show(page: Page, name: str, heading: str, size: tuple[int, int]) -> None:
    """The page as it is seen from a heading on."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.get_by_role("heading", name=heading, exact=True).evaluate(
        "(heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 24)"
    )
    page.screenshot(path=PICTURES / f"{name}.png")


def draw(browser: Browser, address: str) -> None:
    """All of them, from one walk through the page."""
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
        _show(page, "proof", "The proof", (1180, 760))
        _show(page, "phone", "Where it draws the line", (390, 844))
        page.emulate_media(color_scheme="dark")
        suspects = section(page, "Rows that look mislabelled")
        for box in suspects.get_by_role("checkbox", name="Take out line").all()[:3]:
            box.check()
        _show(page, "suspects-dark", "Rows that look mislabelled", (1180, 900))
        page.emulate_media(color_scheme="light")
        suspects.get_by_role("button", name="Train again without them").click()
        expect(page.get_by_text("that you ticked are left out")).to_be_visible()
        _train(page)
        page.goto(f"{address}#models/moons")
        page.get_by_role("button", name="Promote version 2", exact=True).click()
        expect(page.get_by_text("It is in production.")).to_be_visible()
        page.mouse.move(0, 0)
        _show(page, "models", "Models", (1180, 1130))
        page.goto(f"{address}/docs#train_version")
        expect(page.get_by_role("group", name="curl line: POST /train")).to_be_visible()
        _show(page, "api", "Train", (1180, 900))


def main() -> None:
    """A server and a browser of their own."""
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
