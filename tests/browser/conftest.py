"""A browser, a server, and pages that fail the test when something is wrong in them.

No browser is ever downloaded: where `chromium` is not installed, these tests are skipped and say so.
Fixtures end with the package, because Playwright's loop would be in the way of other tests' loops.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.app.server import Server

#: Milliseconds; the machine may be busy with the other tests.
expect.set_options(timeout=30_000)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all pages."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: `apt-get install chromium` to test the studio")
    with sync_playwright() as playwright:
        # Root has no sandbox, and a container has little shared memory.
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield running
        running.close()


@pytest.fixture(scope="package")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests but those that need another one."""
    with Server(tmp_path_factory.mktemp("studio") / "home") as running:
        yield running


@contextmanager
def watched(browser: Browser, **options: object) -> Iterator[Page]:
    """A page of its own. Errors in it, also those against its policy, fail the test."""
    context = browser.new_context(accept_downloads=True, **options)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    page = context.new_page()
    wrong: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # What the service refuses is shown in the page; Chromium reports it as an error as well.
        refused = "the server responded with a status of 4" in message.text
        if message.type in ("error", "warning") and not refused:
            wrong.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


@pytest.fixture(scope="package")
def modules(browser: Browser, studio: Server) -> Iterator[Page]:
    """A page whose modules are called; nobody does anything in it, so that tests can share it."""
    with watched(browser) as page:
        page.goto(studio.url)
        page.wait_for_selector("h1")
        yield page


@pytest.fixture
def page(browser: Browser, studio: Server) -> Iterator[Page]:
    """The studio, open."""
    with watched(browser, viewport={"width": 1180, "height": 860}) as page:
        page.goto(studio.url)
        page.wait_for_selector("h1")
        yield page
