"""Fixtures: a browser, a server, and pages whose console errors fail the test.

The tests never download a browser: they are skipped if `chromium` is not installed. The fixtures have
package scope, because Playwright's event loop would interfere with those of other tests.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.app.server import Server

#: In milliseconds. Long, because other tests may run on the same machine.
expect.set_options(timeout=30_000)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: run `apt-get install chromium` to test the studio")
    with sync_playwright() as playwright:
        # The sandbox does not work as root, and containers have little shared memory.
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield running
        running.close()


@pytest.fixture(scope="package")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by all tests that do not need special settings."""
    with Server(tmp_path_factory.mktemp("studio") / "home") as running:
        yield running


@contextmanager
def watched(browser: Browser, **options: object) -> Iterator[Page]:
    """A new page. Script errors and violations of its content security policy fail the test."""
    context = browser.new_context(accept_downloads=True, **options)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    page = context.new_page()
    wrong: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # Chromium also logs 4xx responses as errors. The studio handles and shows these.
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
    """A page for tests that only call its modules. They share it, because they do not change it."""
    with watched(browser) as page:
        page.goto(studio.url)
        page.wait_for_selector("h1")
        yield page


@pytest.fixture
def page(browser: Browser, studio: Server) -> Iterator[Page]:
    """The studio in a new page."""
    with watched(browser, viewport={"width": 1180, "height": 860}) as page:
        page.goto(studio.url)
        page.wait_for_selector("h1")
        yield page
