"""H: rules about the source that no general tool knows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("app", "frtsvm_core")
#: Where a caller's key or a seal is compared.
SECRET_FILES = ("app/services/access.py", "app/store/secret.py")
_SECRET = re.compile(r"key|mac|secret|sha256|digest|given|token", re.IGNORECASE)

Rule = Callable[[ast.AST, str], Iterator[tuple[int, str]]]


def _dotted(node: ast.AST) -> str:
    """`a.b.c` of a name or an attribute."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(parts))


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def no_other_unpickler(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Files are loaded by `app.store.plain` alone; it subclasses the unpickler and calls no `load`."""
    banned = re.compile(
        r"(^|\.)(joblib|pickle|cPickle|dill|cloudpickle|marshal|shelve)\.(load|loads|open)$"
    )
    for call in _calls(tree):
        name = _dotted(call.func)
        if banned.search(name) or name.endswith("pickle.Unpickler"):
            yield call.lineno, f"{name} outside the one loader"
        if name in ("np.load", "numpy.load") and _keyword(call, "allow_pickle") not in (
            None,
            False,
        ):
            yield call.lineno, "numpy.load with pickles"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("pickle", "joblib", "marshal"):
            for alias in node.names:
                if alias.name in ("load", "loads", "Unpickler"):
                    yield node.lineno, f"{node.module}.{alias.name} outside the one loader"


def no_links_from_requests(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """The address in a request is what a caller says it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("url", "base_url", "url_for"):
            name = _dotted(node)
            if name.startswith("request.") or node.attr == "url_for":
                yield node.lineno, f"{name} is the caller's word"


def nothing_evaluated(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """No text becomes code, and no text of a caller reaches a parameter that would make it so."""
    for call in _calls(tree):
        name = _dotted(call.func)
        last = name.rsplit(".", 1)[-1]
        if name in ("eval", "exec", "compile", "__import__", "os.system", "os.popen"):
            yield call.lineno, f"{name} runs text"
        if last in ("Popen", "run", "call", "check_output") and _keyword(call, "shell") not in (
            None,
            False,
        ):
            yield call.lineno, f"{name} with a shell"
        if last == "Parallel" and _keyword(call, "pre_dispatch") is _UNKNOWN:
            yield call.lineno, "Parallel evaluates pre_dispatch"
        if name == "yaml.load" or last in ("read_pickle", "numexpr"):
            yield call.lineno, f"{name} makes objects of text"


def secrets_in_constant_time(tree: ast.AST, path: str) -> Iterator[tuple[int, str]]:
    """Keys and seals are compared by `hmac.compare_digest`."""
    if path not in SECRET_FILES:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In):
            sides = [node.left, *node.comparators]
            names = {_dotted(side) for side in sides if isinstance(side, ast.Name | ast.Attribute)}
            if any(_SECRET.search(name) for name in names):
                yield node.lineno, f"{sorted(names)} compared byte by byte"


_UNKNOWN = object()


def _keyword(call: ast.Call, name: str) -> object:
    """The value of an argument: None if it is not given, `_UNKNOWN` if it is no constant."""
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
    """Every place of a file that breaks a rule."""
    tree = ast.parse(source)
    return [
        f"{path}:{line}: {text} ({rule.__name__})"
        for rule in RULES
        for line, text in rule(tree, path)
    ]


def sources() -> list[Path]:
    """All files of the service and the algorithm."""
    return sorted(path for name in SOURCES for path in (ROOT / name).rglob("*.py"))
