"""A3: path-like names, in every place of a request that takes a name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

from app.schemas.base import NAME_PATTERN
from tests.app.data import training
from tests.app.server import Server
from tests.reliability.corpus import Hostile
from tests.reliability.faultfs import watch
from tests.reliability.programme import Run, row
from tests.reliability.servers import make_server
from tests.reliability.wire import request, send

CANARY = "do-not-show-this"
_LOOKED_UP = re.compile(rb"(model|alias|version|job)-not-found|There is no model")
_UP = ("..", "../", "../..", "../canary", "../../canary", "../../../etc/passwd", "x/../../canary")
_BACK = ("..\\", "..\\..\\canary", "x\\..\\..\\canary", "C:\\windows\\win.ini", "\\\\host\\share")
_DRIVES = ("c:", "c:canary", "C:/canary", "CON ", "NUL:", "COM1:", "aux:", "file:canary")
_ROOTS = (
    "/",
    "//",
    "/etc/passwd",
    "/canary",
    "~",
    "~root",
    "~/canary",
    "$HOME",
    "%HOME%",
    "${PATH}",
)
_URLS = (
    *("file:///etc/passwd", "file://localhost/etc/passwd", "http://127.0.0.1/", "s3://bucket/x"),
    *("ftp://host/x", "gopher://x", "data:text/plain,x", "jar:file:///x!/", "smb://x/y"),
)
_CONTROL = (
    "a\x00b",
    "a\x00.joblib",
    "a\nb",
    "a\r\nb",
    "a\tb",
    "\x7f",
    "\x1b[31m",
    "a\x0bb",
    "a ",
    " a",
)
_UNICODE = (
    "‥",
    "．．/",
    "。。",
    "／etc",
    "∕etc",
    "a‮b",
    "é",
    "ａ",
    "a\u200b",
    "\ufeffa",
    "﹒﹒",
    "İ",
)
_SHELL = (
    "$(id)",
    "`id`",
    "a;id",
    "a|id",
    "a&id",
    "a>b",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "'a'",
    '"a"',
    "!1",
)
_ODD = (
    *("", ".", "...", ".hidden", "-rf", "_a", "a" * 65, "a" * 300, "a" * 5000, "a/b", "a//b", "a/"),
    *("./a", "a/.", "a/..", "#", "a#b", "a?b", "a&b", "a=b", "a;b=c", "a@b", "a:b", "a,b", "a+b c"),
    *("<script>", "{{7*7}}", "${7*7}", "' OR 1=1 --", "%s%n", "%00", "%2e%2e", "%252e%252e%252f"),
    *("..;/", "..%c0%af", "..%ef%bc%8f", "a%", "a%zz", "\\0", "a\\u0000"),
)
NAMES = (*_UP, *_BACK, *_DRIVES, *_ROOTS, *_URLS, *_CONTROL, *_UNICODE, *_SHELL, *_ODD)


def _once(name: str) -> str:
    return quote(name, safe="")


ENCODINGS = {
    "unencoded": lambda name: name,
    "encoded": _once,
    "encoded twice": lambda name: quote(_once(name), safe=""),
}
#: (method, path, body); `{}` in the path is the place of the name.
PLACES = (
    ("GET", "/models/{}", ""),
    ("DELETE", "/models/{}", ""),
    ("PUT", "/models/m/aliases/{}", '{"version": 1}'),
    ("POST", "/v2/models/{}/infer", "{}"),
    ("GET", "/models/{}/versions/1", ""),
    ("DELETE", "/models/{}/versions/1", ""),
    ("DELETE", "/models/m/aliases/{}", ""),
    ("POST", "/models/m/aliases/{}/rollback", ""),
    ("GET", "/v2/models/{}/config", ""),
    ("POST", "/v2/repository/models/{}/unload", "{}"),
    ("GET", "/models/m/versions/1/plots/{}.svg", ""),
    ("GET", "/jobs/{}", ""),
)


def _cases() -> Iterator[tuple[Hostile, bool]]:
    """Requests, each with whether the name must be refused without a lookup."""
    for name in NAMES:
        for verb, path, body in PLACES:
            for how, encode in ENCODINGS.items():
                given = encode(name)
                # Invalid characters are sent as bytes; the parser may refuse them.
                target = path.format(given).encode("utf-8")
                raw = request(verb, "@@", body.encode()).replace(b"@@", target)
                # Unencoded, `a/b` or `?x` changes the path, and the remaining name may be valid.
                first = re.split("[/?# ]", given)[0]
                strict = bool(first) and not re.fullmatch(NAME_PATTERN, first)
                yield Hostile(f"{verb} {path} {name!r} {how}", raw), strict
        for path in ("/train", "/predict"):
            content = {**training(), "model": name} if path == "/train" else {"X": [[1, 2]]}
            raw = request("POST", path, json.dumps({**content, "model": name}).encode())
            yield Hostile(f"POST {path} {name!r} in the body", raw), True


@row("A3", "path-like names, in each place, method and encoding", full=4000, quick=400)
def names_that_are_paths(run: Run) -> None:
    """Every request is refused; nothing outside the store is read or changed."""
    assert not any(re.fullmatch(NAME_PATTERN, name) for name in NAMES)
    folder = run.new_folder("watched")
    outside = folder / "outside"
    outside.mkdir()
    for name in ("canary", "etc"):
        (outside / name).write_text(CANARY)
    watched = watch(outside, folder, trace=True)
    server = make_server(outside / "home", header_timeout=1, body_timeout=1)
    server.environment = watched.environment
    cases = list(_cases())
    step = max(1, len(cases) // run.wanted)
    with server, server.client() as client:
        assert client.post("/train", json=training("m")).status_code == 201
        for case, strict in cases[
            :: step if step % 3 else step + 1
        ]:  # a step that uses each encoding in turn
            run.add_case(_violations_of(server, case, strict), case.name)
        versions = client.get("/models/m").json()["versions"]
    if len(versions) != 1:
        run.add_violations("I1: the existing model has changed")
    home = str(outside / "home")
    for line in watched.trace.read_text(errors="replace").splitlines():
        _, what, path = line.split(" ", 2)
        if what != "sync" and not path.startswith(home):
            run.add_violations(f"change outside the store: {line}")
    if {p.name: p.read_text() for p in outside.iterdir() if p.is_file() and p.suffix != ".log"} != {
        "canary": CANARY,
        "etc": CANARY,
    }:
        run.add_violations("files outside the store have changed")


def _violations_of(server: Server, case: Hostile, strict: bool) -> list[str]:
    reply = send(server.port, case.raw)
    found = []
    if reply.status >= 500 or CANARY.encode() in reply.body:
        found.append(f"responds with {reply.status}: {reply.body[:200]!r}")
    if strict and reply.status not in case.allowed:
        found.append(f"the name was accepted: {reply.status}")
    if strict and _LOOKED_UP.search(reply.body):
        found.append("the name was looked up in the store")
    return found
