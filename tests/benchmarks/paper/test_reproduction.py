"""A complete run, from data to report, with a plan that takes seconds."""

import re
from pathlib import Path

import pytest

from benchmarks.paper import cells
from benchmarks.paper.__main__ import reproduce
from benchmarks.paper.cells import Cell
from benchmarks.paper.figures import planes, style
from benchmarks.paper.plan import QUICK, TINY
from benchmarks.paper.result_file import ResultFile
from benchmarks.paper.runs import Run
from benchmarks.paper.store import Store

# The page is read on the web, so figures must stay small.
MOST_BYTES = 150_000
TITLES = (
    "The claims",
    "Main findings",
    "planes among noisy rows",
    "How exact",
    "second artificial",
    "UCI sets",
    "Training time",
    "Robustness",
    "Duration and machine",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the output of a complete run: results.json, reproduction.md and its figures."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        # Draw coarsely, and skip the layout computation, to save time.
        patch.setattr(planes, "STEPS", 25)
        patch.setitem(style.SETTINGS, "figure.constrained_layout.use", False)
        reproduce(
            TINY, Store(folder / "cache", ResultFile(folder / "results.json")), folder, jobs=1
        )
    return folder


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace drawing by empty files, for tests that only read the text."""

    def save(figure: object, path: Path) -> Path:
        style.plt.close(figure)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    monkeypatch.setattr(style, "save", save)
    monkeypatch.setattr(planes, "STEPS", 3)


def text_of(folder: Path) -> str:
    return (folder / "reproduction.md").read_text()


def flat(text: str) -> str:
    """The text without line breaks."""
    return " ".join(text.split())


def not_again(cell: Cell) -> None:
    raise AssertionError(f"{cell} was computed a second time")


def test_every_section_and_figure_is_there(made: Path) -> None:
    text = text_of(made)
    for title in TITLES:
        assert title in text
    for absent in ("not complete", "earlier version", "nan"):
        assert absent not in text
    figures = sorted((made / "reproduction").glob("*.png"))
    named = re.findall(r"\(reproduction/(.*?)\)", text)
    assert sorted(named) == [figure.name for figure in figures]
    assert {"bands_boundaries.png", "robustness.png", "toy_planes.png", "uci_times.png"} <= {*named}
    assert all(0 < figure.stat().st_size < MOST_BYTES for figure in figures)


def test_every_table_and_figure_has_its_command(made: Path) -> None:
    text = text_of(made).split("## Robustness, set by set")[0]
    figures_and_tables = len(re.findall(r"^!\[|^\|---", text, flags=re.MULTILINE))
    assert flat(text).count(f"Produced by `{TINY.command}`") >= figures_and_tables


def test_the_report_has_cpu_and_wall_time(made: Path) -> None:
    text = text_of(made)
    assert "minutes of CPU time in" in flat(text)
    run = Run.of(ResultFile(made / "results.json").runs[TINY.name])
    assert run.cpu > 0.0
    assert {*run.wall} == {*TINY.experiments([]), "report"} - _needs_data()


def _needs_data() -> set[str]:
    """Experiments that need Ripley's data, if FRTSVM_DATA_DIR does not have it."""
    return {name for name in ("ripley", "sensitivity") if not _has_ripley()}


def _has_ripley() -> bool:
    try:
        cells.artificial.ripley()
    except cells.datasets.MissingDataset:
        return False
    return True


@pytest.mark.usefixtures("_undrawn")
def test_the_result_file_is_enough_for_the_same_report(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on another machine, which has the result file but no cache and perhaps no data."""
    for some in TINY.experiments(TINY.sets).values():
        for kind in {type(cell) for cell in some}:
            monkeypatch.setattr(kind, "compute", not_again)
    result_file = tmp_path / "results.json"
    result_file.write_bytes((made / "results.json").read_bytes())
    store = Store(tmp_path / "cache", ResultFile(result_file))
    reproduce(TINY, store, tmp_path, jobs=1, only=list(TINY.experiments([])))
    reproduce(
        TINY, Store(tmp_path / "cache", ResultFile(result_file)), tmp_path, jobs=1, report_only=True
    )
    assert text_of(tmp_path) == text_of(made)


@pytest.mark.usefixtures("_undrawn")
def test_the_report_says_if_results_come_from_other_code(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "code_digest", lambda _: "changed")
    store = Store(tmp_path / "cache", ResultFile(made / "results.json"))
    reproduce(TINY, store, tmp_path, jobs=1, report_only=True)
    assert "results were computed with an earlier version of the code" in flat(text_of(tmp_path))
    assert "not complete" not in text_of(tmp_path)


def test_an_interrupted_run_keeps_its_results_and_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = TINY.experiments(TINY.sets)["bands"][0]

    def interrupted(_: list[Cell], store: Store, **__: object) -> int:
        store.put(first, {"svm": {"accuracy": 90.0}}, 1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.paper.__main__.run", interrupted)
    store = Store(tmp_path / "cache", ResultFile(tmp_path / "results.json"))
    with pytest.raises(KeyboardInterrupt):
        reproduce(TINY, store, tmp_path, jobs=1, only=["bands"])
    result_file = ResultFile(tmp_path / "results.json")
    assert result_file.get(first) is not None
    assert result_file.runs[TINY.name]["wall"].keys() == {"bands"}


@pytest.mark.usefixtures("_undrawn")
def test_the_report_says_which_results_are_missing(tmp_path: Path) -> None:
    reproduce(TINY, Store(tmp_path / "cache"), tmp_path, jobs=1, report_only=True)
    assert "not complete" in text_of(tmp_path)
    assert "not run" in text_of(tmp_path)


@pytest.mark.slow
def test_the_quick_plan_takes_less_than_three_minutes(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", ResultFile(tmp_path / "results.json"))
    reproduce(QUICK, store, tmp_path, jobs=2)
    assert "not complete" not in text_of(tmp_path)
    run = Run.of(store.result_file.runs[QUICK.name])
    # Wall time on an idle machine; CPU time if other processes use the cores.
    assert min(run.wall_seconds, run.cpu / 2 + run.wall["report"]) < 180.0
