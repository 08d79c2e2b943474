"""The files of the studio: headers, caching, forbidden content."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import httpx
import pytest

from app.web.files import MEDIA_TYPES, STATIC, read_files
from app.web.studio import POLICY

SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
#: Functions and properties that turn a string into markup or a program.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    r"|createContextualFragment|DOMParser|setHTMLUnsafe|parseHTMLUnsafe|localStorage|document\.cookie"
)
ADDRESS = re.compile(r"https?://(?!www\.w3\.org/)")
EXPORT = re.compile(r"^export (?:async )?(?:const|let|function|class) (\w+)", re.M)
NAMED_IMPORT = re.compile(r"""import\s*\{([^}]*)\}\s*from\s*["'](\.[^"']+)["']""")
IMPORT = re.compile(r"""(?:from|import\()\s*["'](\.[^"']+)["']""")


def test_the_page_is_served_with_a_strict_policy(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "data:" not in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", answer.text)


def test_no_page_names_another_host(client: httpx.Client) -> None:
    """No HTML response refers to another host, whose scripts could read the API key typed in."""
    paths = ["/", "/docs", "/redoc", "/docs/oauth2-redirect", "/nothing"]
    paths += [f"/studio/{path}" for path in read_files()]
    paths += [path for path in client.get("/openapi.json").json()["paths"] if "{" not in path]
    pages = {}
    for path in paths:
        answer = client.get(path)
        if answer.headers.get("content-type", "").startswith("text/html"):
            pages[path] = answer
    assert {"/", "/docs"} <= set(pages) <= {"/", "/docs", "/studio/index.html", "/studio/docs.html"}
    for path, answer in pages.items():
        assert not re.search(r"(https?:)?//\w", answer.text), path
        assert answer.headers["content-security-policy"] == POLICY, path
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", answer.text), path


def test_every_file_has_its_type_and_supports_head(client: httpx.Client) -> None:
    for path, file in read_files().items():
        answer = client.get(f"/studio/{path}")
        assert answer.content == file.body, path
        assert answer.headers["content-type"] == MEDIA_TYPES[Path(path).suffix]
    head = client.head("/studio/studio.css")
    assert head.content == b""
    assert int(head.headers["content-length"]) == len(read_files()["studio.css"].body)


def test_a_current_copy_is_not_sent_again(client: httpx.Client) -> None:
    etag = client.get("/").headers["etag"]
    for tags in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = client.get("/", headers={"if-none-match": tags})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
    assert client.get("/", headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["..%2ffiles.py", "js/../../files.py", "%2e%2e/files.py", "", "js", "js/", "nothing.js", "%00"],
)
def test_only_the_files_can_be_fetched(client: httpx.Client, path: str) -> None:
    answer = client.get(f"/studio/{path}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_page_is_read_only(client: httpx.Client) -> None:
    answer = client.post("/")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


def test_metrics_count_the_page_by_route(client: httpx.Client) -> None:
    client.get("/studio/studio.css")
    text = client.get("/metrics").text
    assert 'route="/studio/{path:path}"' in text
    assert 'studio.css"' not in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_no_script_turns_text_into_markup_or_programs(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert FORBIDDEN.findall(text) == []
    assert ADDRESS.findall(text) == []  # nothing is fetched from elsewhere
    assert not re.search(r"""setAttribute\(\s*["'](style|on\w+)["']""", text)
    for target in IMPORT.findall(text):
        assert (script.parent / target).is_file(), target


def test_every_script_is_used() -> None:
    """Every script is imported, directly or indirectly, by a page or the worker."""
    worker = STATIC / "js/csv/worker.js"
    found, pending = set(), [STATIC / "js/main.js", STATIC / "js/docs.js", worker]
    while pending:
        script = pending.pop().resolve()
        if script not in found:
            found.add(script)
            text = script.read_text(encoding="utf-8")
            pending += [script.parent / target for target in IMPORT.findall(text)]
    assert found == {script.resolve() for script in SCRIPTS}


def test_every_exported_name_is_used_elsewhere() -> None:
    """Every exported name is imported by another script or used by a browser test."""
    tests = "".join(
        path.read_text(encoding="utf-8")
        for path in (Path(__file__).parents[2] / "browser").glob("test_*.py")
    )
    called = {name for names in re.findall(r"\(\{([\w, ]+)\}", tests) for name in names.split(", ")}
    imported: dict[Path, set[str]] = {}
    exported: dict[Path, set[str]] = {}
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        exported[script] = set(EXPORT.findall(text))
        for names, target in NAMED_IMPORT.findall(text):
            found = imported.setdefault((script.parent / target).resolve(), set())
            found.update(name.strip() for name in names.split(","))
    unused = {
        script.relative_to(STATIC).as_posix(): names
        - imported.get(script.resolve(), set())
        - called
        for script, names in exported.items()
    }
    assert {script: names for script, names in unused.items() if names} == {}


def test_the_package_ships_the_page() -> None:
    project = Path(__file__).parents[3] / "pyproject.toml"
    data = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {path for glob in data["app"] for path in (STATIC.parents[1]).glob(glob)}
    assert {path for path in STATIC.rglob("*") if path.is_file()} <= shipped
    assert set(read_files()) == {
        path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()
    }
