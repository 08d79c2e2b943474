"""Changes of the code that change its digest."""

from pathlib import Path

from benchmarks.paper.sources import _code, code_digest, digest_of

BEFORE = '''"""Docstring of the module."""
def double(x):
    """Twice."""
    return 2 * x  # as it says
'''
AS_GOOD = """def double( x ):
    return (2 * x)
"""
OTHER = BEFORE.replace("2 * x", "3 * x")


def digests(path: Path, *sources: str) -> list[str]:
    found = []
    for source in sources:
        path.write_text(source)
        _code.cache_clear()
        found.append(digest_of([path]))
    return found


def test_comments_docstrings_and_formatting_do_not_count(tmp_path: Path) -> None:
    before, as_good, other = digests(tmp_path / "code.py", BEFORE, AS_GOOD, OTHER)
    assert before == as_good != other


def test_each_experiment_has_its_own_digest() -> None:
    names = [f"benchmarks.paper.experiments.{name}" for name in ("uci", "ripley", "robustness")]
    assert len({code_digest(name) for name in names}) == 3
