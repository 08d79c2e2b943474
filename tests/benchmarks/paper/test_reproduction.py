"""The whole road from data to report, on a plan that takes seconds."""

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

# Documents are read on the web: no figure should weigh more.
MOST_BYTES = 150_000
TITLES = (
    "The claims",
    "What to take from it",
    "Two planes among noise",
    "How exact",
    "second artificial",
    "UCI sets",
    "Training time",
    "Robustness",
    "How long it took",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a complete run: results.json, reproduction.md and its figures."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        # Drawn coarsely, and without the search for the best use of the space.
        patch.setattr(planes, "STEPS", 25)
        patch.setitem(style.SETTINGS, "figure.constrained_layout.use", False)
        reproduce(
            TINY, Store(folder / "cache", ResultFile(folder / "results.json")), folder, jobs=1
        )
    return folder


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are looked at once; where the text alone counts they need not be drawn again."""

    def save(figure: object, path: Path) -> Path:
        style.plt.close(figure)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    monkeypatch.setattr(style, "save", save)
    monkeypatch.setattr(planes, "STEPS", 3)


def text_of(folder: Path) -> str:
    return (folder / "reproduction.md").read_text()


def not_again(cell: Cell) -> None:
    raise AssertionError(f"{cell} was computed a second time")


def test_every_section_and_figure_is_there(made: Path) -> None:
    text = text_of(made)
    for title in TITLES:
        assert title in text
    for absent in ("not complete", "earlier state", "nan"):
        assert absent not in text
    figures = sorted((made / "reproduction").glob("*.png"))
    named = re.findall(r"\(reproduction/(.*?)\)", text)
    assert sorted(named) == [figure.name for figure in figures]
    assert {"bands_boundaries.png", "robustness.png", "toy_planes.png", "uci_times.png"} <= {*named}
    assert all(0 < figure.stat().st_size < MOST_BYTES for figure in figures)


def test_every_table_and_figure_has_its_command(made: Path) -> None:
    text = text_of(made).split("## Robustness, set by set")[0]
    figures_and_tables = len(re.findall(r"^!\[|^\|---", text, flags=re.MULTILINE))
    assert text.count(f"Made by `{TINY.command}`") >= figures_and_tables


def test_cpu_and_wall_time_are_told(made: Path) -> None:
    text = text_of(made)
    assert "minutes of CPU time in" in text
    run = Run.of(ResultFile(made / "results.json").runs[TINY.name])
    assert run.cpu > 0.0
    assert {*run.wall} == {*TINY.experiments([]), "report"} - _needs_data()


def _needs_data() -> set[str]:
    """Without FRTSVM_DATA_DIR there is no Ripley."""
    return {name for name in ("ripley", "sensitivity") if not _has_ripley()}


def _has_ripley() -> bool:
    try:
        cells.artificial.ripley()
    except cells.datasets.MissingDataset:
        return False
    return True


@pytest.mark.usefixtures("_undrawn")
def test_the_file_alone_makes_the_same_report(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine has the file and neither a cache nor, perhaps, the data."""
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
def test_results_of_other_code_are_reported_with_a_word(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "code_digest", lambda _: "changed")
    store = Store(tmp_path / "cache", ResultFile(made / "results.json"))
    reproduce(TINY, store, tmp_path, jobs=1, report_only=True)
    assert "results are of an earlier state" in text_of(tmp_path)
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
def test_a_report_says_what_is_not_there_yet(tmp_path: Path) -> None:
    reproduce(TINY, Store(tmp_path / "cache"), tmp_path, jobs=1, report_only=True)
    assert "not complete" in text_of(tmp_path)
    assert "not run" in text_of(tmp_path)


@pytest.mark.slow
def test_the_quick_plan_takes_less_than_three_minutes(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", ResultFile(tmp_path / "results.json"))
    reproduce(QUICK, store, tmp_path, jobs=2)
    assert "not complete" not in text_of(tmp_path)
    run = Run.of(store.result_file.runs[QUICK.name])
    # By the clock where the cores are ours; CPU seconds where others use them too.
    assert min(run.wall_seconds, run.cpu / 2 + run.wall["report"]) < 180.0
