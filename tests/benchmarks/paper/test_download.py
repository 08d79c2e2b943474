"""Downloads from UCI, with a stub in place of ucimlrepo."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.paper.download import MissingDataset, download
from benchmarks.paper.uci_sets import UCI_SETS

MEASURED = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
BLOOD = ["mcv", "alkphos", "sgpt", "sgot", "gammagt"]


def offered(
    columns: list[str], label: str, values: list[Any], *, identity: str = "", other: str = ""
) -> Any:
    """A data set as ucimlrepo returns it: features, targets, and the original table."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.normal(size=len(values)) for name in columns})
    table[label] = values
    if identity:
        table.insert(0, identity, np.arange(len(values)) + 1)
    if other:
        table[other] = [2] * 200 + [1] * (len(values) - 200)
    data = SimpleNamespace(features=table[columns], targets=table[[label]], original=table)
    return SimpleNamespace(data=data)


GLASS = offered(MEASURED, "Type_of_glass", [1] * 70 + [2] * 76 + [3] * 68, identity="Id_number")
BUPA = offered(BLOOD, "drinks", [0.5] * 345, other="selector")
HEART = offered([f"f{k}" for k in range(13)], "heart-disease", [2] * 120 + [1] * 150)
SONAR = offered([f"f{k}" for k in range(60)], "class", ["M "] * 111 + ["R"] * 97)


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The data sets that the stub of ucimlrepo can fetch, by name."""
    there = {
        "Glass Identification": GLASS,
        "Liver Disorders": BUPA,
        "Statlog (Heart)": HEART,
        "Connectionist Bench (Sonar, Mines vs. Rocks)": SONAR,
    }

    def fetch_ucirepo(name: str) -> Any:
        if name not in there:
            raise ConnectionError(f"no {name}")
        return there[name]

    module = ModuleType("ucimlrepo")
    module.fetch_ucirepo = fetch_ucirepo  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ucimlrepo", module)
    return there


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("key", ["glass", "glass_noid", "bupa", "heart", "sonar"])
def test_a_set_has_the_features_and_classes_of_the_paper(key: str) -> None:
    rows = download(UCI_SETS[key])
    positive = int((rows.y == 1).sum())
    size = (rows.size, positive, rows.size - positive, rows.x.shape[1])
    assert size == UCI_SETS[key].printed_size


@pytest.mark.usefixtures("repository")
def test_only_the_paper_s_glass_has_the_row_number_as_a_feature() -> None:
    rows, without_id = download(UCI_SETS["glass"]), download(UCI_SETS["glass_noid"])
    np.testing.assert_array_equal(rows.x[:, 0], np.arange(214) + 1)
    np.testing.assert_array_equal(rows.x[:, 1:], without_id.x)


def test_a_different_set_with_the_same_name_is_refused(repository: dict[str, Any]) -> None:
    repository["Statlog (Heart)"] = offered(["a", "b"], "y", [2] * 120 + [1] * 150)
    with pytest.raises(MissingDataset, match=r"heart: .* 2 features .* states 13 and 120\."):
        download(UCI_SETS["heart"])


def test_a_missing_label_column_is_reported(repository: dict[str, Any]) -> None:
    repository["Liver Disorders"] = offered(BLOOD, "drinks", [0.5] * 345)
    with pytest.raises(MissingDataset, match=r"bupa: .* no column 'selector'"):
        download(UCI_SETS["bupa"])


@pytest.mark.usefixtures("repository")
def test_a_failing_download_leaves_the_set_out_with_a_reason() -> None:
    with pytest.raises(MissingDataset, match=r"pima: The download from UCI failed: no Pima"):
        download(UCI_SETS["pima"])


def test_without_ucimlrepo_the_message_tells_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    with pytest.raises(MissingDataset, match="pip install --group paper"):
        download(UCI_SETS["heart"])
