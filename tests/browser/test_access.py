"""Accessibility: keyboard, screen reader, small screens, light and dark theme."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.server import Server
from tests.browser.conftest import watched
from tests.browser.steps import PATIENCE, blobs_csv, drop_file, obeys_axe, train

#: A model name close to the maximum length, and a label that cannot be wrapped.
MODEL = "access" * 10
LONG = "label" * 20
VIEWS = ("train", "result", "predict", f"models/{MODEL}")


@pytest.fixture(scope="module")
def filled(browser: Browser, studio: Server) -> Iterator[Page]:
    """A page with an open table, a result, and a model with two versions."""
    with watched(browser, viewport={"width": 390, "height": 844}) as page:
        page.goto(studio.url)
        drop_file(page, f"{'name' * 20}.csv", blobs_csv().replace("cat", LONG))
        train(page, MODEL)
        page.goto(f"{studio.url}#train")
        train(page, MODEL)
        yield page


def _show(page: Page, view: str) -> None:
    page.goto(page.url.split("#")[0] + f"#{view}")
    expect(page.locator("main")).to_have_attribute("data-shown", view.split("/")[0])
    if view == "result":
        expect(page.locator("svg.plot path.boundary")).to_have_count(1)


@pytest.mark.parametrize("view", VIEWS)
def test_views_fit_a_screen_of_320_pixels(filled: Page, view: str) -> None:
    filled.set_viewport_size({"width": 320, "height": 700})
    _show(filled, view)
    if view == "predict":
        filled.get_by_role("button", name="Predict", exact=True).click()
        expect(filled.locator(".verdict")).to_be_visible()
    assert filled.evaluate("document.documentElement.scrollWidth") == 320


def test_dates_of_versions_stay_on_one_line(filled: Page) -> None:
    filled.set_viewport_size({"width": 360, "height": 700})
    _show(filled, f"models/{MODEL}")
    for date in filled.locator("time").all():
        assert len(date.evaluate("(e) => [...e.getClientRects()].map(r => r.height)")) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_views_pass_axe(filled: Page, view: str, scheme: str) -> None:
    """In both themes, which differ in their colors."""
    filled.set_viewport_size({"width": 1180, "height": 860})
    filled.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    _show(filled, view)
    obeys_axe(filled)
    background = filled.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (background == "rgb(20, 23, 26)") == (scheme == "dark")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_start_page_passes_axe(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(page.locator("h1")).to_have_text("Train a classifier")
    obeys_axe(page)


def test_all_columns_can_be_deselected_and_selected_at_once(page: Page) -> None:
    """A long list of columns scrolls within itself, so the training options stay in reach."""
    page.get_by_role("button", name="WDBC").click()
    expect(page.locator("#table-title")).to_have_text("wdbc.csv")
    table = page.get_by_role("group", name="Columns", exact=True)
    assert table.evaluate("(e) => e.scrollHeight > e.clientHeight && e.clientHeight < 600")
    button = page.get_by_role("button", name="Train", exact=True)
    line = page.get_by_role("group", name="curl command: train")
    page.get_by_role("button", name="Use none").click()
    expect(table.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(button).to_be_disabled()
    page.get_by_role("button", name="Use all").click()
    expect(table.get_by_role("checkbox", checked=True)).to_have_count(30)
    expect(button).to_be_enabled()
    expect(line).to_contain_text("@wdbc-as-sent.csv")


def test_keyboard_only_from_example_to_prediction(page: Page) -> None:
    """With Tab, Enter and the arrow keys, and a visible focus."""

    def focus(name: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            label = page.evaluate(
                """() => {
                    const at = document.activeElement;
                    const visible = at.matches(":focus-visible");
                    const text = at.ariaLabel || at.labels?.[0]?.innerText || at.innerText || "";
                    return visible ? text.trim() : "";
                }"""
            )
            if label.startswith(name):
                return
        raise AssertionError(f"{name} cannot be reached with Tab")

    focus("Skip to the content")
    focus("Choose a CSV file")
    focus("Ripley-like")
    page.keyboard.press("Enter")
    expect(page.locator("#table-title")).to_be_focused()
    expect(page.locator("#status")).to_contain_text("ripley-like.csv is open: 250 rows")
    focus("Model name")
    page.keyboard.press("Control+a")
    page.keyboard.type("by-keyboard")
    if page.get_by_role("radio", name="Search automatically").is_enabled():
        focus("Search automatically")
        page.keyboard.press("ArrowDown")
    focus("Train")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("by-keyboard, version 1", timeout=PATIENCE)
    expect(page.locator("main")).to_be_focused()
    expect(page.locator("#status")).to_have_text("Training finished: by-keyboard, version 1.")
    focus("Membership")
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Membership")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Membership")).to_have_attribute(
        "aria-sort", "descending"
    )
    page.goto(page.url.replace("#result", "#predict"))
    expect(page.locator("h1")).to_have_text("Predict")
    focus("x1")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Predicted class: ")
