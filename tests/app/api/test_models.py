"""Models, versions and aliases over HTTP."""

from __future__ import annotations

import uuid

import httpx
import numpy as np
import pytest

from tests.app.data import training, two_blobs


@pytest.fixture
def name(client: httpx.Client) -> str:
    """A model of three versions."""
    name = f"m{uuid.uuid4().hex[:8]}"
    for seed in range(3):
        answer = client.post("/train", json=training(name, seed=seed))
        assert answer.status_code == 201, answer.text
    return name


def test_list_is_paged(client: httpx.Client, name: str) -> None:
    everything = client.get("/models?limit=1000").json()
    assert {"model": name, "latest": 3, "n_versions": 3, "aliases": {}} in everything["items"]
    names = [item["model"] for item in everything["items"]]
    assert names == sorted(names)
    assert everything["total"] == len(names)
    page = client.get(f"/models?limit=1&offset={names.index(name)}").json()
    assert [item["model"] for item in page["items"]] == [name]


def test_model_lists_versions_newest_first(client: httpx.Client, name: str) -> None:
    info = client.get(f"/models/{name}").json()
    assert [version["version"] for version in info["versions"]] == [3, 2, 1]
    assert info["latest"] == info["serving"] == 3
    page = client.get(f"/models/{name}?limit=1&offset=1").json()
    assert [version["version"] for version in page["versions"]] == [2]
    assert page["n_versions"] == 3


def test_aliases_move_and_roll_back(client: httpx.Client, name: str) -> None:
    path = f"/models/{name}/aliases/production"
    first = client.put(path, json={"version": 1}).json()
    assert first == {"model": name, "alias": "production", "version": 1, "previous": None}
    assert client.put(path, json={"version": 2}).json()["previous"] == 1
    client.put(path, json={"version": 3})
    assert client.get(f"/models/{name}").json()["aliases"] == {"production": 3}
    assert client.post(f"{path}/rollback").json()["version"] == 2
    assert client.get(f"/models/{name}").json()["serving"] == 2
    assert client.post(f"{path}/rollback").json()["version"] == 1
    nothing = client.post(f"{path}/rollback")
    assert nothing.status_code == 409
    assert nothing.json()["type"] == "urn:frtsvm:problem:nothing-to-roll-back"
    assert client.put(path, json={"version": 9}).status_code == 404
    assert client.put(path, json={"version": "1"}).status_code == 422
    assert client.put(path, content=b"{").status_code == 400


def test_rollback_skips_deleted_versions(client: httpx.Client, name: str) -> None:
    path = f"/models/{name}/aliases/production"
    for version in (1, 2, 3):
        client.put(path, json={"version": version})
    assert client.delete(f"/models/{name}/versions/2").status_code == 204
    assert client.post(f"{path}/rollback").json()["version"] == 1


def test_delete_version(client: httpx.Client, name: str) -> None:
    client.put(f"/models/{name}/aliases/production", json={"version": 3})
    used = client.delete(f"/models/{name}/versions/3")
    assert used.status_code == 409
    assert used.json()["type"] == "urn:frtsvm:problem:version-in-use"
    assert client.delete(f"/models/{name}/versions/2").status_code == 204
    assert client.delete(f"/models/{name}/versions/2").status_code == 404
    ask = {"model": name, "X": [[0, 0]], "version": 2}
    assert client.post("/predict", json=ask).status_code == 404
    assert client.post("/predict", json={**ask, "version": 1}).status_code == 200


def test_delete_model_never_gives_a_number_twice(client: httpx.Client, name: str) -> None:
    client.put(f"/models/{name}/aliases/production", json={"version": 1})
    assert client.delete(f"/models/{name}").status_code == 204
    assert client.get(f"/models/{name}").status_code == 404
    assert client.post("/predict", json={"model": name, "X": [[0, 0]]}).status_code == 404
    assert client.post("/train", json=training(name)).json()["version"] == 4


def test_equal_models_share_a_file_until_both_are_deleted(client: httpx.Client) -> None:
    body = training(f"twin{uuid.uuid4().hex[:6]}")
    first = client.post("/train", json=body).json()
    second = client.post("/train", json=body).json()
    assert first["artifact"] == second["artifact"]
    client.delete(f"/models/{body['model']}/versions/1")
    assert client.get(f"/models/{body['model']}/versions/2").json()["status"] == "ready"


def test_linear_planes_give_the_distances(client: httpx.Client) -> None:
    body = training("planes-linear", params={"kernel": "linear"})
    client.post("/train", json=body)
    version = client.get("/models/planes-linear").json()["latest"]
    found = client.get(f"/models/planes-linear/versions/{version}/planes").json()
    x = np.array(body["X"][:5])
    scaling = found["scaling"]
    scaled = (x - np.array(scaling["offset"])) * np.array(scaling["factor"])
    expected = [
        np.abs(scaled @ np.array(p["coef"]) + p["intercept"]) / p["norm"] for p in found["planes"]
    ]
    served = client.post("/predict", json={"model": "planes-linear", "X": x.tolist()}).json()
    np.testing.assert_allclose(np.stack(expected, axis=1), served["distances"], atol=1e-9)
    assert [p["own_class"] for p in found["planes"]] == ["no", "yes"]
    assert scaling["inputs"] == ["x0", "x1"]


def test_kernel_planes_give_the_distances_and_are_paged(client: httpx.Client, name: str) -> None:
    path = f"/models/{name}/versions/3/planes"
    found = client.get(path).json()
    n = found["n_landmarks"]
    assert len(found["landmarks"]) == len(found["planes"][0]["dual_coef"]) == n
    part = client.get(f"{path}?limit=2&offset=1").json()
    assert part["landmarks"] == found["landmarks"][1:3]
    assert part["planes"][0]["dual_coef"] == found["planes"][0]["dual_coef"][1:3]
    x = np.array(two_blobs(seed=2)[0][:4])
    scaled = (x - found["scaling"]["offset"]) * found["scaling"]["factor"]
    landmarks = np.array(found["landmarks"])
    squared = ((scaled[:, None, :] - landmarks[None]) ** 2).sum(axis=2)
    kernel = np.exp(-found["kernel"]["gamma"] * squared)
    expected = [
        np.abs(kernel @ np.array(p["dual_coef"]) + p["intercept"]) / p["norm"]
        for p in found["planes"]
    ]
    served = client.post("/predict", json={"model": name, "X": x.tolist()}).json()
    np.testing.assert_allclose(np.stack(expected, axis=1), served["distances"], atol=1e-6)


def test_memberships_find_the_flipped_row(client: httpx.Client) -> None:
    body = training("flipped", n=60)
    body["y"][7] = "no" if body["y"][7] == "yes" else "yes"
    info = client.post("/train", json=body).json()
    path = f"/models/flipped/versions/{info['version']}/memberships"
    assert 7 in info["suspected_rows"]
    assert info["memberships"]["n_suspected"] >= 1
    suspects = client.get(f"{path}?suspected=true").json()
    assert suspects["total"] == info["memberships"]["n_suspected"]
    seven = next(item for item in suspects["items"] if item["row"] == 7)
    assert seven["suspected"]
    assert seven["label"] == body["y"][7] != seven["predicted"]
    assert len(seven["distances"]) == 2
    assert client.get(f"{path}?suspected=false").json()["total"] == 60 - suspects["total"]


def test_held_out_predictions_of_the_training_rows(client: httpx.Client) -> None:
    """An overfitted model reproduces a wrong label; a model of another fold does not."""
    body = training("by-heart", n=60, params={"gamma": 100.0, "c1": 1e-6, "membership": "center"})
    body["y"][7] = "no" if body["y"][7] == "yes" else "yes"

    def items(**validation: object) -> tuple[dict[str, object], list[dict[str, object]]]:
        info = client.post("/train", json=body | validation).json()
        path = f"/models/by-heart/versions/{info['version']}/memberships"
        return info, client.get(f"{path}?sort=row&limit=1000").json()["items"]

    info, rows = items(validation={"folds": 5})
    assert rows[7]["predicted"] == rows[7]["label"] != rows[7]["unseen"]
    matrix = np.array(info["validation"]["confusion_matrix"])  # type: ignore[index]
    wrong = sum(row["unseen"] != row["label"] for row in rows)
    assert wrong == matrix.sum() - np.trace(matrix)
    _, rows = items(validation={"holdout": 0.25})
    assert sum(row["unseen"] is not None for row in rows) == 15
    _, rows = items()
    assert {row["unseen"] for row in rows} == {None}


@pytest.mark.parametrize("sort", ["membership", "row", "label", "distance"])
def test_memberships_are_sorted_and_paged(client: httpx.Client, name: str, sort: str) -> None:
    path = f"/models/{name}/versions/1/memberships"

    def keys(items: list[dict[str, object]]) -> list[object]:
        if sort == "distance":
            return [
                item["distances"][["no", "yes"].index(str(item["label"]))]  # type: ignore[index]
                for item in items
            ]
        return [item[sort] for item in items]

    up = client.get(f"{path}?sort={sort}").json()["items"]
    down = client.get(f"{path}?sort=-{sort}").json()["items"]
    assert keys(up) == sorted(keys(up))  # type: ignore[type-var]
    assert keys(down) == sorted(keys(down), reverse=True)  # type: ignore[type-var]
    page = client.get(f"{path}?sort={sort}&limit=5&offset=5").json()
    assert page["items"] == up[5:10]
    assert page["total"] == 40
    assert client.get(f"{path}?sort=colour").status_code == 422
