"""Every message of the library, the service and the command line, read from the source.

`python -m tests.messages` (or `make messages`) prints the list: errors and warnings with the class that
carries them, then log lines. Values that a message contains are shown as `{expression}`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("frtsvm_core", "app")
#: Carry a message of a caller's mistake without being exceptions themselves.
CARRIERS = {"Flaw", "http_problem", "problem"}
LOG_LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
#: Between the texts that one message may have.
OR = "\n    or: "
#: Position of the message among the arguments, where it is not the first.
POSITIONS = {"http_problem": 1, "problem": 3}


@dataclass(frozen=True)
class Message:
    """One message in the source."""

    path: Path
    line: int
    kind: str  # an exception class, a carrier, "warn", or "log.<level>"
    text: str | None  # None if it is computed elsewhere

    @property
    def is_log(self) -> bool:
        return self.kind.startswith("log.")


def messages() -> list[Message]:
    """Return all messages in the order of files and lines."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    kinds = _exceptions(trees.values()) | CARRIERS
    found = [message for path, tree in trees.items() for message in _in_module(path, tree, kinds)]
    return sorted(found, key=lambda message: (message.path, message.line))


def _exceptions(trees: Iterable[ast.Module]) -> set[str]:
    """Names of all exception classes: those of Python, and those defined in the packages."""
    known = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    classes = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    while new := {name for name, bases in classes.items() if bases & known} - known:
        known |= new
    return known


def _in_module(path: Path, tree: ast.Module, kinds: set[str]) -> Iterator[Message]:
    constants = _assigned_texts(tree.body)
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        texts = constants | _assigned_texts(ast.walk(scope)) if scope is not tree else constants
        for node in _own_nodes(scope):
            if not isinstance(node, ast.Call):
                continue
            owner, _, name = ast.unparse(node.func).rpartition(".")
            relative = path.relative_to(ROOT)
            if name in LOG_LEVELS and owner.endswith(("log", "logger")):
                yield Message(relative, node.lineno, f"log.{name}", _text(node, 0, texts))
            elif (name in kinds or (name, owner) == ("warn", "warnings")) and (
                node.args or any(keyword.arg == "detail" for keyword in node.keywords)
            ):
                text = _text(node, POSITIONS.get(name, 0), texts)
                yield Message(relative, node.lineno, name, text)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a scope without those of the functions inside it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _own_nodes(child)


def _assigned_texts(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Variables that are set to a text, with all texts that they may have."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _rendered(node.value, {})
            if text is not None:
                name = node.targets[0].id
                found[name] = OR.join(dict.fromkeys([*found.get(name, text).split(OR), text]))
    return found


def _text(call: ast.Call, position: int, texts: dict[str, str]) -> str | None:
    given = next((k.value for k in call.keywords if k.arg == "detail"), None)
    if given is not None:
        return _rendered(given, texts)
    arguments = call.args[position : position + 1]
    if ast.unparse(call.func) not in CARRIERS:
        # Exception classes with a signature of their own may take the message as a later argument.
        arguments = call.args[position:]
    rendered = (_rendered(argument, texts) for argument in arguments)
    return next((text for text in rendered if text is not None), None)


def _rendered(node: ast.expr, texts: dict[str, str]) -> str | None:
    """The text of an expression; None if it is not written there."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else _placeholder(part, texts)
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _rendered(node.left, texts), _rendered(node.right, texts)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.IfExp):
        body, other = _rendered(node.body, texts), _rendered(node.orelse, texts)
        return None if body is None or other is None else f"{body}{OR}{other}"
    if isinstance(node, ast.Name):
        return texts.get(node.id)
    return None


def _placeholder(part: ast.expr, texts: dict[str, str]) -> str:
    assert isinstance(part, ast.FormattedValue)
    if isinstance(part.value, ast.Name) and OR not in texts.get(part.value.id, OR):
        return texts[part.value.id]
    return "{" + ast.unparse(part.value) + "}"


def main() -> None:
    """Print the list."""
    found = messages()
    for title, rows in (
        ("Errors and warnings", [message for message in found if not message.is_log]),
        ("Log lines", [message for message in found if message.is_log]),
    ):
        print(f"# {title}: {len(rows)}\n")
        for message in rows:
            text = "(computed elsewhere)" if message.text is None else message.text
            print(f"{message.path}:{message.line}  {message.kind}\n    {text}")
        print()


if __name__ == "__main__":
    main()
