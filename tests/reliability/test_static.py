"""The source follows the security rules, and each rule reports code that breaks it."""

from __future__ import annotations

import re

import pytest

from tests.reliability.static_rules import ROOT, broken_rules, sources


def test_the_source_follows_the_rules() -> None:
    files = sources()
    assert len(files) > 100
    assert [
        text
        for path in files
        for text in broken_rules(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ] == []


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("import joblib\njoblib.load(path)", "app/x.py"),
        ("import pickle\npickle.loads(data)", "app/x.py"),
        ("from pickle import Unpickler", "app/x.py"),
        ("np.load(path, allow_pickle=True)", "app/x.py"),
        ("np.load(path, allow_pickle=trusted)", "app/x.py"),
        ("def f(request): return str(request.url)", "app/x.py"),
        ("def f(request): return request.base_url.path", "app/x.py"),
        ("request.url_for('x')", "app/x.py"),
        ("eval(text)", "app/x.py"),
        ("subprocess.run(command, shell=True)", "app/x.py"),
        ("os.system(command)", "app/x.py"),
        ("Parallel(pre_dispatch=text)", "frtsvm_core/x.py"),
        ("yaml.load(text)", "app/x.py"),
        ("if given == entry.sha256: pass", "app/services/access.py"),
        ("return self.mac(purpose) == mac", "app/store/secret.py"),
    ],
)
def test_a_broken_rule_is_reported(source: str, path: str) -> None:
    assert broken_rules(source, path)


def test_allowed_code_is_not_reported() -> None:
    fine = "np.load(path)\nParallel(n_jobs=2)\nsubprocess.run(command)\nself.url == other"
    assert broken_rules(fine, "app/x.py") == []


@pytest.mark.parametrize("name", ["serve", "dev", "build", "audit"])
def test_every_installed_package_is_pinned_by_its_hash(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-zA-Z0-9])", re.sub(r"(?m)^\s*#.*\n?", "", text).strip())
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[.*\])?==", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]
    assert "://" not in text
