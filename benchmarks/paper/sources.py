"""Digest of the code that a result depends on. If it changes, the result is computed again.

Comments, docstrings and formatting do not change the digest; names of modules, functions and
variables do.
"""

import ast
import hashlib
import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import frtsvm_core

_CORE = Path(frtsvm_core.__file__).parent
_HERE = Path(__file__).parent
# No experiment uses distributed fits.
_UNUSED = _CORE / "distributed"


@cache
def code_digest(module: str) -> str:
    """Digest of the library, of the methods and generated data, and of the experiment's module."""
    own = importlib.import_module(module).__file__
    return digest_of(
        [
            *(path for path in sorted(_CORE.rglob("*.py")) if not path.is_relative_to(_UNUSED)),
            *sorted((_HERE / "methods").glob("*.py")),
            *(_HERE / name for name in ("artificial.py", "corruption.py")),
            *([Path(own)] if own else []),
        ]
    )


def digest_of(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        digest.update(_code(path).encode())
    return digest.hexdigest()[:16]


@cache
def _code(path: Path) -> str:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)]
    return ast.unparse(tree)  # ast.dump differs from one Python to the next


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
