"""Security rules on the source that general linters do not check."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("app", "frtsvm_core")
#: Files that compare keys of callers or MACs of files.
SECRET_FILES = ("app/services/access.py", "app/store/secret.py")
_SECRET = re.compile(r"key|mac|secret|sha256|digest|given|token", re.IGNORECASE)

Rule = Callable[[ast.AST, str], Iterator[tuple[int, str]]]


def _dotted(node: ast.AST) -> str:
    """Dotted name, such as `a.b.c`, of a name or an attribute."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(parts))


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def no_other_unpickler(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Allow unpickling only in `app.store.plain`, which subclasses the unpickler."""
    banned = re.compile(
        r"(^|\.)(joblib|pickle|cPickle|dill|cloudpickle|marshal|shelve)\.(load|loads|open)$"
    )
    for call in _calls(tree):
        name = _dotted(call.func)
        if banned.search(name) or name.endswith("pickle.Unpickler"):
            yield call.lineno, f"{name} outside app.store.plain"
        if name in ("np.load", "numpy.load") and _keyword(call, "allow_pickle") not in (
            None,
            False,
        ):
            yield call.lineno, "numpy.load with pickles allowed"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("pickle", "joblib", "marshal"):
            for alias in node.names:
                if alias.name in ("load", "loads", "Unpickler"):
                    yield node.lineno, f"{node.module}.{alias.name} outside app.store.plain"


def no_links_from_requests(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Forbid links built from the URL of a request, which the caller controls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("url", "base_url", "url_for"):
            name = _dotted(node)
            if name.startswith("request.") or node.attr == "url_for":
                yield node.lineno, f"{name} is controlled by the caller"


def nothing_evaluated(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Forbid evaluation of text as code, and arguments that libraries evaluate."""
    for call in _calls(tree):
        name = _dotted(call.func)
        last = name.rsplit(".", 1)[-1]
        if name in ("eval", "exec", "compile", "__import__", "os.system", "os.popen"):
            yield call.lineno, f"{name} executes text"
        if last in ("Popen", "run", "call", "check_output") and _keyword(call, "shell") not in (
            None,
            False,
        ):
            yield call.lineno, f"{name} with a shell"
        if last == "Parallel" and _keyword(call, "pre_dispatch") is _UNKNOWN:
            yield call.lineno, "Parallel evaluates pre_dispatch"
        if name == "yaml.load" or last in ("read_pickle", "numexpr"):
            yield call.lineno, f"{name} creates objects from text"


def secrets_in_constant_time(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Require `hmac.compare_digest` for keys and MACs."""
    if path not in SECRET_FILES:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In):
            sides = [node.left, *node.comparators]
            names = {_dotted(side) for side in sides if isinstance(side, ast.Name | ast.Attribute)}
            if any(_SECRET.search(name) for name in names):
                yield node.lineno, f"{sorted(names)} not compared in constant time"


_UNKNOWN = object()


def _keyword(call: ast.Call, name: str) -> object:
    """Value of an argument: None if it is not given, `_UNKNOWN` if it is not a constant."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value.value if isinstance(keyword.value, ast.Constant) else _UNKNOWN
    return None


RULES: tuple[Rule, ...] = (
    no_other_unpickler,
    no_links_from_requests,
    nothing_evaluated,
    secrets_in_constant_time,
)


def broken_rules(source: str, path: str) -> list[str]:
    """Descriptions of all places in a file that break a rule."""
    tree = ast.parse(source)
    return [
        f"{path}:{line}: {text} ({rule.__name__})"
        for rule in RULES
        for line, text in rule(tree, path)
    ]


def sources() -> list[Path]:
    """All source files of the service and of `frtsvm_core`."""
    return sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.py"))
