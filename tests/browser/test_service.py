"""The studio with a running service: keys, jobs, models, predictions, URL prefixes."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app.schemas.keys import hash_key
from tests.app.data import slow_training, training
from tests.app.server import Server
from tests.browser.conftest import watched
from tests.browser.steps import (
    PATIENCE,
    blobs_csv,
    drop,
    drop_file,
    obeys_axe,
    rows_of,
    section,
    train,
)

KEY = "a-key-of-the-studio"


def test_a_service_with_keys_shows_the_key_form(browser: Browser, tmp_path: Path) -> None:
    keys = f"studio:admin:{hash_key(KEY.encode())}"
    with Server(tmp_path / "home", api_keys=keys) as server, watched(browser) as page:
        page.goto(server.url)
        field = page.get_by_label("API key", exact=True)
        obeys_axe(page)
        field.fill("not-a-key")
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("heading", name="This API key was not accepted")).to_be_visible()
        page.get_by_role("link", name="Models").click()
        field.fill(KEY)
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_text("There are no models yet.")).to_be_visible()
        page.get_by_role("link", name="Train", exact=True).click()
        drop_file(page, "keyed.csv", blobs_csv())
        line = page.get_by_role("group", name="curl command: train")
        expect(line).to_contain_text('-H "Authorization: Bearer $FRTSVM_KEY"')
        train(page, "keyed")  # the event stream also sends the key
        assert KEY not in page.content()
        if shutil.which("curl"):
            words = page.get_by_role("group", name="curl command: get this version").inner_text()
            said = subprocess.run(
                ["sh", "-c", words], env={**os.environ, "FRTSVM_KEY": KEY}, capture_output=True
            )
            assert json.loads(said.stdout)["model"] == "keyed"
        assert page.evaluate("Object.keys(localStorage).length + document.cookie.length") == 0
        page.get_by_role("button", name="Forget the API key").click()
        expect(page.get_by_role("heading", name="This service requires an API key")).to_be_visible()
        assert page.evaluate("Object.keys(sessionStorage).length") == 0


@pytest.fixture
def endless(studio: Server) -> Iterator[str]:
    """A model name. Its trainings are cancelled afterwards: they would block those of other tests."""
    yield "endless"
    with studio.client() as client:
        for job in client.get("/jobs").json()["items"]:
            if job["model"] == "endless" and job["state"] in ("queued", "running"):
                client.delete(f"/jobs/{job['id']}")


def _hard_csv() -> str:
    """Inseparable classes, on which a training takes long."""
    body = slow_training(n=2500)
    head = ",".join([*(f"x{i}" for i in range(5)), "kind"])
    rows = [",".join(map(str, [*x, y])) for x, y in zip(body["X"], body["y"], strict=True)]
    return "\n".join([head, *rows])


def test_a_training_is_followed_and_cancelled(
    page: Page, browser: Browser, studio: Server, endless: str
) -> None:
    """In the page that started it, and in a second one opened during the training."""
    drop_file(page, f"{endless}.csv", _hard_csv())
    page.get_by_label("Validation").select_option("10 folds")
    page.get_by_role("radio", name="Set manually").check()
    page.get_by_label("Regularization c1").fill("1e-7")
    page.get_by_label("Slack cost c3").fill("10000")
    page.get_by_label("Slack cost c3").press("Tab")
    page.get_by_role("button", name="Train", exact=True).click()
    panel = page.locator(".running .progress")
    expect(panel).to_contain_text("Sweep", timeout=PATIENCE)
    expect(panel.get_by_role("button", name="Cancel", exact=True)).to_be_in_viewport(ratio=1)
    expect(panel).to_contain_text("Validating, fold")
    expect(panel).to_contain_text("above its minimum")
    obeys_axe(page)
    line = panel.get_by_role("group", name="curl command: cancel the training").inner_text()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("main").get_by_text("A training is already running")).to_be_visible()
    with watched(browser) as second:
        second.goto(studio.url)
        other = section(second, "Other running trainings")
        expect(other.get_by_role("heading", name=endless)).to_be_visible()
        expect(other).to_contain_text("Sweep")
        cancel = other.get_by_role("button", name="Cancel", exact=True)
        second.route("**/jobs/*", lambda route: route.fulfill(status=429, json={"detail": "later"}))
        cancel.click()
        expect(other.get_by_role("alert")).to_contain_text("later")
        second.unroute_all()
        cancel.click()
        expect(other).to_contain_text("Canceled. No version was created.", timeout=PATIENCE)
    expect(page.locator(".running .progress")).to_contain_text("Canceled.", timeout=PATIENCE)
    with studio.client() as client:
        jobs = [job for job in client.get("/jobs").json()["items"] if job["model"] == endless]
    assert {job["state"] for job in jobs} == {"cancelled"}
    assert line == f"curl -X DELETE {studio.url}/jobs/{jobs[0]['id']}"


def test_a_training_that_ends_while_another_view_is_open_shows_a_notification(
    page: Page, studio: Server
) -> None:
    drop_file(page, "behind.csv", blobs_csv(n=600))
    page.get_by_role("radio", name="Set manually").check()
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("link", name="Models").click()
    notifications = page.get_by_role("region", name="Notifications")
    expect(notifications).to_contain_text("Training finished: behind, version 1.", timeout=PATIENCE)
    page.get_by_role("link", name="Predict", exact=True).click()
    expect(page.locator("h1")).to_have_text("Predict")
    expect(notifications).to_be_visible()
    obeys_axe(page)
    notifications.get_by_role("link", name="Show the result").click()
    expect(page.locator("h1")).to_have_text("behind, version 1")
    expect(notifications).to_be_hidden()

    drop_file(page, "one.csv", blobs_csv(), on="h1")
    held: list[Route] = []
    page.route("**/train?*", lambda route: held.append(route))
    with page.expect_request("**/train?*"):
        page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("link", name="Models").click()
    expect(page.locator("h1")).to_have_text("Models")
    held[0].fulfill(status=429, json={"title": "Queue full", "detail": "the queue is full"})
    expect(notifications).to_contain_text("The training of one failed: the queue is full")
    notifications.get_by_role("button", name="Dismiss").click()
    expect(notifications).to_be_hidden()


def _require_search(page: Page) -> None:
    supported = page.evaluate("import('./studio/js/capabilities.js').then((m) => m.capabilities())")
    if not supported["search"]:
        pytest.skip("The service has no parameter search.")


def test_parameter_search(page: Page) -> None:
    _require_search(page)
    drop_file(page, "found.csv", blobs_csv())
    page.get_by_label("Validation").select_option("none")
    page.get_by_label("Search time in seconds").fill("4")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("h1")).to_have_text("found, version 1", timeout=PATIENCE)
    found = section(page, "Parameter search")
    expect(found).to_contain_text(re.compile(r"tried [\d ,]+ configurations? in"))
    expect(found).not_to_contain_text("Each validation fold")


def test_searches_of_validation_folds_are_not_counted(page: Page) -> None:
    _require_search(page)
    drop_file(page, "nested.csv", _hard_csv())
    page.get_by_label("Validation").select_option("3 folds")
    page.get_by_label("Search time in seconds").fill("12")
    page.get_by_role("button", name="Train", exact=True).click()
    text = "document.querySelector('.running .progress')?.innerText ?? ''"
    wait = f"(text) => ((t) => t.includes(text) && t)({text})"
    searching = page.wait_for_function(wait, arg="Tried").json_value()
    assert "Validating" not in searching
    measuring = page.wait_for_function(wait, arg="Validating, fold").json_value()
    tried = re.search(r"Tried\s+([\d ,]+ configurations?)", measuring)
    assert tried is not None
    assert "Skip validation and keep the model" in measuring
    for text in ("Search time left", "Best score so far", "Stop and keep the best"):
        assert text not in measuring
    expect(page.locator("h1")).to_have_text("nested, version 1", timeout=PATIENCE)
    found = section(page, "Parameter search")
    expect(found).to_contain_text(f"tried {tried[1]} in")  # without those of the folds
    expect(found).to_contain_text("Each validation fold ran its own search")


def test_a_search_can_be_stopped_with_the_best_configuration(page: Page) -> None:
    _require_search(page)
    drop_file(page, "stopped.csv", _hard_csv())
    page.get_by_label("Search time in seconds").fill("600")
    page.get_by_role("button", name="Train", exact=True).click()
    panel = page.locator(".running .progress")
    expect(panel).to_contain_text("Best score so far", timeout=PATIENCE)
    line = panel.get_by_role("group", name="curl command: stop and keep the best")
    expect(line).to_have_text(re.compile(r"^curl -X DELETE 'http://\S+/jobs/\w+\?keep=best'$"))
    panel.get_by_role("button", name="Stop and keep the best", exact=True).click()
    expect(page.locator("h1")).to_have_text("stopped, version 1", timeout=PATIENCE)
    found = section(page, "Parameter search")
    expect(found).to_contain_text("stopped on request")


@pytest.fixture
def churn(studio: Server) -> Iterator[httpx.Client]:
    """A model with three versions."""
    with studio.client() as client:
        for seed in range(3):
            body = training("churn", seed=seed, feature_names=["age", "usage"])
            assert client.post("/train", json=body).status_code == 201
        yield client


def test_versions_are_promoted_rolled_back_and_deleted(
    page: Page, churn: httpx.Client, studio: Server
) -> None:
    page.get_by_role("link", name="Models").click()
    page.get_by_role("link", name="churn").click()
    newest = churn.get("/models/churn").json()["latest"]
    first, second = newest - 2, newest - 1
    for version in (first, second):
        page.get_by_role("link", name=f"Version {version}", exact=True).click()
        page.get_by_role("button", name=f"Promote version {version}", exact=True).click()
        expect(page.get_by_text(f"use version {version}.")).to_be_visible()
    page.get_by_role("button", name="Roll back production", exact=True).click()
    expect(page.get_by_text(f"use version {first}.")).to_be_visible()

    page.get_by_role("link", name=f"Version {newest}", exact=True).click()
    button = page.get_by_role("button", name=f"Delete version {newest}", exact=True)
    button.click()
    obeys_axe(page)
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    button.click()
    page.get_by_role("dialog").press("Escape")
    assert churn.get(f"/models/churn/versions/{newest}").status_code == 200
    button.click()
    page.get_by_role("button", name="Delete version", exact=True).click()
    expect(page.get_by_role("link", name=f"Version {newest}", exact=True)).to_have_count(0)
    assert churn.get(f"/models/churn/versions/{newest}").status_code == 404

    page.get_by_role("link", name=f"Version {first}", exact=True).click()
    page.get_by_role("button", name=f"Delete version {first}", exact=True).click()
    page.get_by_role("button", name="Delete version", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("production")  # still in use by the alias
    if shutil.which("curl"):
        line = page.get_by_role("group", name=f"curl command: Delete version {second}")
        page.get_by_role("link", name=f"Version {second}", exact=True).click()
        subprocess.run(["sh", "-c", line.inner_text()], check=True, capture_output=True)
        assert churn.get(f"/models/churn/versions/{second}").status_code == 404
    page.get_by_role("button", name="Delete churn", exact=True).click()
    page.get_by_role("button", name="Delete model", exact=True).click()
    expect(page.get_by_role("link", name="churn", exact=True)).to_have_count(0)
    assert churn.get("/models/churn").status_code == 404


def test_one_row_and_a_table_are_predicted(page: Page, studio: Server) -> None:
    body = training("asked", feature_names=["age", "usage"])
    assert httpx.post(f"{studio.url}/train", json=body, timeout=60).status_code == 201
    page.goto(page.url + "#predict/asked")
    form = section(page, "Predict one row")
    form.get_by_label("age", exact=True).fill("2,5")  # decimal commas are accepted
    form.get_by_label("usage").fill("two")
    form.get_by_role("button", name="Predict", exact=True).click()
    expect(form.get_by_role("alert")).to_contain_text("“two” is not a number")
    expect(form.get_by_label("usage")).to_be_focused()
    form.get_by_label("usage").fill("2")
    form.get_by_role("button", name="Predict", exact=True).click()
    expect(form.locator(".verdict")).to_have_text("Predicted class: yes")
    if shutil.which("curl"):
        line = form.get_by_role("group", name="curl command: predict this row").inner_text()
        said = subprocess.run(["sh", "-c", line], check=True, capture_output=True).stdout
        assert json.loads(said)["labels"] == ["yes"]

    table = section(page, "Predict a CSV file")
    content = "id;usage;age\n=1+1;2,0;2,5\nb;-2,0;-2,5\n"
    table.get_by_label("CSV file with the columns").set_input_files(
        {"name": "new.csv", "mimeType": "text/csv", "buffer": content.encode()}
    )
    expect(table).to_contain_text("2 rows predicted. yes: 1, no: 1")
    with page.expect_download() as found:
        table.get_by_role("button", name="Download new-predicted.csv").click()
    head, *rows = rows_of(found.value)
    assert head[:5] == ["id", "usage", "age", "predicted", "score"]
    assert [row[:4] for row in rows] == [
        ["'=1+1", "2.0", "2.5", "yes"],
        ["b", "-2.0", "-2.5", "no"],
    ]
    assert float(rows[0][4]) > 0 > float(rows[1][4])
    table.get_by_label("CSV file with the columns").set_input_files(
        {"name": "twice.csv", "mimeType": "text/csv", "buffer": found.value.path().read_bytes()}
    )
    expect(table).to_contain_text("2 rows predicted. yes: 1, no: 1")
    with page.expect_download() as again:
        table.get_by_role("button", name="Download twice-predicted.csv").click()
    twice = rows_of(again.value)[0]
    assert twice[: len(head)] == head
    assert twice[len(head) :][:2] == ["predicted (2)", "score (2)"]
    drop(page, "bad.csv", "age,x\n1,2\n", on="h1")
    expect(table.get_by_role("alert")).to_contain_text("Missing columns: usage.")
    flawed = "usage,age\n1,2\n\n1\n3,4\n5,many\n"  # a blank line, a short line, and text
    table.get_by_label("CSV file with the columns").set_input_files(
        {"name": "flawed.csv", "mimeType": "text/csv", "buffer": flawed.encode()}
    )
    expect(table.get_by_role("alert")).to_contain_text("line 6: age: ")
    table.get_by_label("CSV file with the columns").set_input_files(
        {
            "name": "short.csv",
            "mimeType": "text/csv",
            "buffer": flawed.replace("many", "6").encode(),
        }
    )
    expect(table).to_contain_text("3 rows predicted")
    expect(table).to_contain_text(
        "1 row was skipped: the number of cells differs from that of the first line (line 4)."
    )


def test_unknown_fragments_show_the_start_page(page: Page, studio: Server) -> None:
    for name in ("constructor", "toString", "__proto__", "nothing/at/all"):
        page.goto(f"{studio.url}/#{name}")
        expect(page.locator("h1")).to_have_text("Train a classifier")
    page.goto(f"{studio.url}/#result/%E0%A4%A/1")
    expect(page.get_by_role("alert")).to_contain_text("The address of this page is invalid")


@pytest.mark.parametrize("view", ["result", "models"])
def test_a_file_dropped_on_another_view_is_opened(page: Page, studio: Server, view: str) -> None:
    page.goto(f"{studio.url}/#{view}")
    expect(page.locator("main")).to_have_attribute("data-shown", view)
    drop_file(page, "dropped.csv", blobs_csv(), on="h1")
    assert page.url.endswith("#train")
    expect(page.get_by_role("link", name="Train", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    page.go_back()
    expect(page.locator("main")).to_have_attribute("data-shown", view)


@pytest.fixture
def proxy(studio: Server) -> Iterator[str]:
    """A reverse proxy that serves the service under `/tools/svm/` only."""

    class Forward(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith("/tools/svm/"):
                self.send_error(404)
                return
            found = client.get(self.path.removeprefix("/tools/svm"))
            self.send_response(found.status_code)
            for name in ("content-type", "content-security-policy", "cache-control", "etag"):
                if name in found.headers:
                    self.send_header(name, found.headers[name])
            self.send_header("content-length", str(len(found.content)))
            self.end_headers()
            self.wfile.write(found.content)

        def log_message(self, *_args: object) -> None:
            pass

    with (
        studio.client() as client,
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forward) as server,
    ):
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/tools/svm/"
        server.shutdown()
        thread.join()


def test_the_studio_works_under_a_url_prefix(browser: Browser, proxy: str) -> None:
    with watched(browser) as page:
        page.goto(proxy)
        page.get_by_role("button", name="Iris").click()
        expect(page.locator("#table-title")).to_have_text("iris.csv")
        page.get_by_role("link", name="Models").click()
        expect(page.locator("h1")).to_have_text("Models")
        line = page.get_by_role("group", name="curl command: list the models")
        expect(line).to_have_text(f"curl '{proxy}models?limit=1000'")
        page.get_by_role("link", name="API", exact=True).click()
        expect(page.get_by_role("heading", name="GET /models", exact=True)).to_be_visible()
        page.get_by_role("link", name="Studio", exact=True).click()
        expect(page.locator("h1")).to_have_text("Train a classifier")
