"""The tables of docs/search.md: selection of tables and data sets, output and cache."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.search import __main__ as command
from benchmarks.search import automatic, measurement_cache, newcomer

NESTED = {
    "automatic": {"right": [0.9, 0.8], "seconds": 1.0},
    "other": {"right": [0.9, 0.7], "seconds": 20.0},
}
MEASURED = {
    "auto": NESTED,
    "penalty": NESTED,
    "newcomer": {
        "shape": [60, 4],
        "nearer_plane": [0.85, 0.8],
        "auto": {"right": [0.9, 0.8], "wall": 2.0, "cpu": 1.0},
        "svc": {"right": [0.9, 0.9], "wall": 2.0, "cpu": 3.0},
    },
}

Calls = list[tuple[str, str, Any]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Calls:
    """Record which data sets are measured for which table and budget, instead of measuring."""
    made: Calls = []

    def measured(table: str, name: str, settings: Any, _measure: Any) -> Any:
        made.append((table, name, settings))
        return MEASURED[table]

    monkeypatch.setenv("FRTSVM_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    for module in (automatic, newcomer):
        monkeypatch.setattr(module, "cached", measured)
    return made


def test_with_selected_sets_no_table_is_stored(calls: Calls, tmp_path: Path) -> None:
    command.main(["auto", "--sets", "heart,pima"])
    command.main(["penalty", "--sets", "sonar"])
    command.main(["newcomer", "--sets", "magic", "--budget", "90"])
    assert calls == [
        ("auto", "heart", None),
        ("auto", "pima", None),
        ("penalty", "sonar", None),
        ("newcomer", "magic", 90.0),
    ]
    assert not list(tmp_path.iterdir())


def test_a_complete_table_is_stored(calls: Calls, tmp_path: Path) -> None:
    command.main(["auto"])
    assert [name for _, name, _ in calls] == list(command.SMALL_SETS)
    stored = (tmp_path / "search-auto.md").read_text()
    assert "| heart | 2 | 85.00 | 80.00 | +5.00 ± 5.00 | 1.00 | 20.00 | 5 % |" in stored
    assert "| **mean** | | | | **+5.00** | | | **5 %** |" in stored


def test_a_line_of_the_comparison_with_a_tuned_svc(
    calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(["newcomer", "--sets", "heart"])
    assert len(calls) == 1
    line = (
        "| heart | 60 x 4 | 2 | 85.00 | +2.50 | 90.00 | **-5.00** ± 5.00 | 1.0 | 3.0 | **3.0 x** |"
    )
    assert line in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--sets", "heart"],
        ["large", "--sets", "heart"],
        ["auto", "--sets", "heart,haert"],
        ["auto", "--budget", "5"],
    ],
)
def test_invalid_arguments_are_rejected(calls: Calls, arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert not calls


# --- cache of measurements
# ---------------------------------------------------------------------------


@pytest.fixture
def a_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    (data / "tiny.csv").write_text("a,y\n1,0\n")
    monkeypatch.setenv("FRTSVM_DATA_DIR", str(data))
    measurement_cache.data_digest.cache_clear()
    return tmp_path


def test_a_data_set_is_measured_again_only_if_code_data_or_settings_change(
    a_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    def measure() -> dict[str, Any]:
        measured.append(1)
        return {"right": [0.1 + 0.2]}

    def once_more(settings: Any = None) -> dict[str, Any]:
        return measurement_cache.cached("auto", "tiny", settings, measure, a_set)

    assert once_more() == once_more() == {"right": [0.1 + 0.2]}
    assert len(measured) == 1
    once_more(settings=90.0)
    assert len(measured) == 2
    (a_set / "data" / "tiny.csv").write_text("a,y\n2,0\n")
    measurement_cache.data_digest.cache_clear()
    once_more()
    assert len(measured) == 3
    monkeypatch.setattr(measurement_cache, "code_digest", lambda: "other")
    once_more()
    assert len(measured) == 4


def test_an_interrupted_measurement_is_not_cached(a_set: Path) -> None:
    def interrupted() -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measurement_cache.cached("auto", "tiny", None, interrupted, a_set)
    assert not list(a_set.rglob("*.json"))
