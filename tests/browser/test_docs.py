"""The API reference at /docs, rendered from the OpenAPI document."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.server import Server
from tests.browser.conftest import watched
from tests.browser.steps import obeys_axe


@pytest.fixture(scope="module")
def docs(browser: Browser, studio: Server) -> Iterator[Page]:
    """The API reference. The tests share it: they only expand and collapse panels."""
    with watched(browser, viewport={"width": 1180, "height": 860}) as page:
        page.goto(f"{studio.url}/docs")
        page.wait_for_selector("h1")
        yield page


def test_every_operation_and_schema_is_shown(docs: Page, studio: Server) -> None:
    with studio.client() as client:
        document = client.get("/openapi.json").json()
    docs.get_by_role("button", name="Expand all").click()
    calls = [(m.upper(), path, o) for path, c in document["paths"].items() for m, o in c.items()]
    assert len(calls) > 30
    for method, path, operation in calls:
        panel = docs.locator(f"#{operation['operationId']}")
        expect(panel.get_by_role("heading", name=f"{method} {path}", exact=True)).to_be_visible()
        expect(panel.locator("summary")).to_contain_text(operation["summary"])
        text = panel.inner_text()
        for parameter in operation.get("parameters", []):
            assert parameter["name"] in text
        for media in operation.get("requestBody", {}).get("content", {}):
            assert media in text
        for status, response in operation["responses"].items():
            assert status in text
            for problem in response.get("x-problem-types", []):
                assert problem["type"] in text
                assert problem["about"] in text
        line = panel.get_by_role("group", name=f"curl command: {method} {path}", exact=True)
        expect(line).to_contain_text(f"{studio.url}{path.split('{')[0]}")
    for name, schema in document["components"]["schemas"].items():
        panel = docs.locator(f"#schema-{name}")
        expect(panel.get_by_role("heading", name=name, exact=True)).to_be_visible()
        text = panel.inner_text()
        assert [field for field in schema.get("properties", {}) if field not in text] == []


def test_a_link_expands_its_target(docs: Page) -> None:
    docs.get_by_role("button", name="Collapse all").click()
    call = docs.locator("#predict_labels")
    call.locator("summary").focus()
    docs.keyboard.press("Enter")
    call.get_by_role("link", name="PredictionAnswer").focus()
    docs.keyboard.press("Enter")
    expect(docs.locator("#schema-PredictionAnswer summary")).to_be_focused()
    expect(docs.get_by_role("group", name="Fields of PredictionAnswer")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_reference_passes_axe_and_fits_a_small_screen(docs: Page, scheme: str) -> None:
    docs.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    docs.get_by_role("button", name="Expand all").click()
    obeys_axe(docs)
    docs.set_viewport_size({"width": 320, "height": 700})
    assert docs.evaluate("document.documentElement.scrollWidth") == 320
    docs.set_viewport_size({"width": 1180, "height": 860})


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_example_commands_work(docs: Page) -> None:
    docs.get_by_role("button", name="Expand all").click()
    calls = ("POST /train", "POST /predict", "POST /v2/repository/index", "GET /models", "GET /v2")
    for call in calls:
        line = docs.get_by_role("group", name=f"curl command: {call}", exact=True).inner_text()
        line = line.replace("churn", "docs")
        subprocess.run(["sh", "-c", f"{line} --fail"], check=True, capture_output=True)
