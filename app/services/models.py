"""Model info, aliases and deletion."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.errors import SearchNotFound
from app.pipeline.preprocess import Preprocessor
from app.pipeline.search_table import ranked, table_row
from app.plots import draw
from app.schemas.models import (
    AliasInfo,
    ArtifactInfo,
    Configuration,
    KernelInfo,
    MembershipPage,
    ModelInfo,
    ModelPage,
    ModelSummary,
    Plane,
    PlanesInfo,
    RowMembership,
    Scaling,
    SearchPage,
    VersionInfo,
    VersionSummary,
)
from app.schemas.training import EstimatorParams
from app.store.registry import PRODUCTION, VersionRecord
from app.store.store import Store

#: Sort keys of /memberships; a leading minus means descending order.
SORTS = ("row", "membership", "label", "distance")


class ModelService:
    """All operations on models except training and prediction."""

    def __init__(self, store: Store) -> None:
        self._registry = store.registry

    def page(self, limit: int, offset: int) -> ModelPage:
        """Return a page of models, by name."""
        records, total = self._registry.page_of_models(limit, offset)
        items = [
            ModelSummary(
                model=record.name,
                latest=record.latest,
                n_versions=record.n_versions,
                aliases=self._registry.aliases_of(record.name),
            )
            for record in records
        ]
        return ModelPage(items=items, total=total, limit=limit, offset=offset)

    def model(self, name: str, limit: int, offset: int) -> ModelInfo:
        """Return one model with a page of its versions."""
        latest = self._registry.resolve(name, None, None)
        newest, _, _ = self._registry.page_of_versions(name, 1, 0)
        records, total, aliases = self._registry.page_of_versions(name, limit, offset)
        return ModelInfo(
            model=name,
            latest=newest[0].version,
            serving=aliases.get(PRODUCTION, latest.version),
            aliases=aliases,
            versions=[_summary(record, aliases) for record in records],
            n_versions=total,
            limit=limit,
            offset=offset,
        )

    def version(self, name: str, version: int) -> VersionInfo:
        """Return the info of one version."""
        record = self._registry.resolve(name, version)
        aliases = self._registry.aliases_of(name)
        info = dict(record.info)
        # Not validated: a search may choose parameters outside the bounds for callers.
        params = EstimatorParams.model_construct(**info.pop("params"))
        stored_format = info.pop("format")
        return VersionInfo(
            model=record.model,
            version=record.version,
            status="ready" if self._registry.looks_whole(record) else "damaged",
            aliases=[alias for alias, at in aliases.items() if at == record.version],
            created_at=record.created_at,
            job=record.job,
            params=params,
            artifact=ArtifactInfo(
                format=stored_format,
                sha256=record.predictor.sha256,
                bytes=record.predictor.size,
            ),
            **info,
        )

    def planes(self, name: str, version: int, limit: int, offset: int) -> PlanesInfo:
        """Return the fitted hyperplanes; `limit` and `offset` select a page of the landmarks."""
        record = self._registry.resolve(name, version)
        state = self._registry.load_predictor(record)
        model = state["model"]
        landmarks = model.get("landmarks")
        page = slice(offset, offset + limit)
        preprocessor = Preprocessor.from_state(state["preprocess"])
        names = state["names"] or [f"x{j}" for j in range(state["n_columns"])]
        return PlanesInfo(
            model=name,
            version=record.version,
            kernel=KernelInfo(**record.info["kernel"]),
            scaling=Scaling(
                inputs=preprocessor.input_names(names),
                offset=preprocessor.offset.tolist(),
                factor=preprocessor.factor.tolist(),
            ),
            planes=[
                _plane(model, number, state["classes"], landmarks is None, page)
                for number in range(len(model["plane_classes"]))
            ],
            landmarks=None if landmarks is None else np.asarray(landmarks)[page].tolist(),
            n_landmarks=0 if landmarks is None else len(landmarks),
            limit=limit,
            offset=offset,
        )

    def memberships(
        self,
        name: str,
        version: int,
        *,
        sort: str,
        suspected: bool | None,
        limit: int,
        offset: int,
    ) -> MembershipPage:
        """Return a page of the training rows with memberships and distances, sorted."""
        record = self._registry.resolve(name, version)
        evidence = self._registry.load_evidence(record)
        rows = np.arange(len(evidence["codes"]))
        if suspected is not None:
            rows = rows[evidence["suspected"] == suspected]
        rows = rows[_order(evidence, rows, sort)]
        classes, distances = record.info["classes"], evidence["distances"]
        unseen = evidence.get("unseen")  # versions of older releases do not have it
        items = [
            RowMembership(
                row=int(row),
                label=classes[evidence["codes"][row]],
                predicted=classes[evidence["predicted"][row]],
                unseen=None if unseen is None or unseen[row] < 0 else classes[unseen[row]],
                membership=float(evidence["memberships"][row]),
                suspected=bool(evidence["suspected"][row]),
                distances=None if distances is None else distances[row].tolist(),
            )
            for row in rows[offset : offset + limit]
        ]
        return MembershipPage(
            model=name,
            version=record.version,
            items=items,
            total=len(rows),
            limit=limit,
            offset=offset,
        )

    def search(self, name: str, version: int, *, sort: str, limit: int, offset: int) -> SearchPage:
        """Return a page of the configurations that the search of a version evaluated."""
        record = self._registry.resolve(name, version)
        table = self._search_table(record)
        numbers = ranked(table) if sort == "rank" else np.arange(len(table["params"]))
        items = [
            Configuration(**table_row(table, number))
            for number in numbers[offset : offset + limit].tolist()
        ]
        return SearchPage(
            model=name,
            version=record.version,
            scoring=record.info["search"]["scoring"],
            items=items,
            total=len(numbers),
            limit=limit,
            offset=offset,
        )

    def plot(self, name: str, version: int, plot: str) -> str:
        """Return a plot of the search as SVG."""
        record = self._registry.resolve(name, version)
        table = self._search_table(record)
        return draw(plot, f"{name} version {record.version}", record.info["search"], table)

    def _search_table(self, record: VersionRecord) -> dict[str, Any]:
        table: dict[str, Any] | None = None
        if record.info.get("search") is not None:
            table = self._registry.load_evidence(record)["search"]
        if table is None:
            raise SearchNotFound(
                f"Version {record.version} of {record.model!r} was trained without a search. "
                "Choose a version that was trained with one."
            )
        return table

    def delete_version(self, name: str, version: int) -> None:
        """Delete one version."""
        self._registry.delete_version(name, version)

    def delete_model(self, name: str) -> None:
        """Delete a model with all its versions."""
        self._registry.delete_model(name)

    def move_alias(self, name: str, alias: str, version: int) -> AliasInfo:
        """Point an alias to a version."""
        previous = self._registry.move_alias(name, alias, version)
        return AliasInfo(model=name, alias=alias, version=version, previous=previous)

    def roll_back_alias(self, name: str, alias: str) -> AliasInfo:
        """Point an alias to its previous version."""
        version, previous = self._registry.roll_back_alias(name, alias)
        return AliasInfo(model=name, alias=alias, version=version, previous=previous)

    def remove_alias(self, name: str, alias: str) -> None:
        """Delete an alias."""
        self._registry.remove_alias(name, alias)


def _summary(record: VersionRecord, aliases: dict[str, int]) -> VersionSummary:
    info = record.info
    validation = info["validation"]
    return VersionSummary(
        version=record.version,
        created_at=record.created_at,
        kernel=info["kernel"]["name"],
        n_rows=info["n_rows"],
        n_features=info["n_features"],
        classes=info["classes"],
        training_accuracy=info["training_accuracy"],
        validation_accuracy=None if validation is None else validation["accuracy"],
        aliases=[alias for alias, at in aliases.items() if at == record.version],
    )


def _plane(
    model: dict[str, Any], number: int, classes: list[Any], linear: bool, page: slice
) -> Plane:
    own, other = (int(code) for code in model["plane_classes"][number])
    coefficients = model["coef"][number]
    return Plane(
        own_class=classes[own],
        other_class=None if other < 0 else classes[other],
        coef=coefficients.tolist() if linear else None,
        dual_coef=None if linear else coefficients[page].tolist(),
        intercept=float(model["intercept"][number]),
        norm=float(model["norms"][number]),
    )


def _order(evidence: dict[str, Any], rows: Any, sort: str) -> Any:
    """Return the positions of `rows` in the requested order; equal keys by row number."""
    descending, key = sort.startswith("-"), sort.removeprefix("-")
    if key == "membership":
        values = evidence["memberships"][rows]
    elif key == "label":
        values = evidence["codes"][rows]
    elif key == "distance" and evidence["distances"] is not None:
        codes = evidence["codes"][rows]  # the distance to the plane of the row's own class
        values = evidence["distances"][rows, codes]
    else:
        values = rows
    return np.argsort(-values if descending else values, kind="stable")
