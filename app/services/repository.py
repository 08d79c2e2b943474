"""The models as the inference protocol sees them: metadata, configuration, index, loading."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from app.errors import Flaw
from app.schemas.v2 import (
    ConfigParameter,
    ConfigTensor,
    IndexEntry,
    ModelConfig,
    ModelMetadata,
    ModelStatistics,
    RepositoryRequest,
    TensorMetadata,
)
from app.schemas.validation import invalid
from app.services.loaded import ModelCache
from app.services.signatures import inputs_of, outputs_of
from app.services.statistics import InferenceStatistics
from app.store.registry import VersionRecord
from app.store.store import Store

PLATFORM = "frtsvm"
#: Rows that are read from the database at a time.
_PAGE = 500


class ModelRepository:
    """Everything about models that the protocol asks but inference itself."""

    def __init__(self, store: Store, cache: ModelCache, statistics: InferenceStatistics) -> None:
        self._registry = store.registry
        self._cache = cache
        self._statistics = statistics

    def metadata(self, model: str, version: int | None) -> ModelMetadata:
        """The tensors of the version that would answer, and all versions, newest first."""
        record = self._registry.resolve(model, version)
        return ModelMetadata(
            name=model,
            versions=[str(each.version) for each in self._versions(model)],
            platform=PLATFORM,
            inputs=inputs_of(record.info),
            outputs=outputs_of(record.info),
        )

    def config(self, model: str, version: int | None) -> ModelConfig:
        """The same in the shape of a Triton configuration."""
        record = self._registry.resolve(model, version)
        facts = {
            "version": str(record.version),
            "classes": orjson.dumps(record.info["classes"]).decode(),
            "kernel": record.info["kernel"]["name"],
        }
        return ModelConfig(
            name=model,
            platform=PLATFORM,
            backend=PLATFORM,
            max_batch_size=0,
            input=[_config_tensor(tensor) for tensor in inputs_of(record.info)],
            output=[_config_tensor(tensor) for tensor in outputs_of(record.info)],
            parameters={name: ConfigParameter(string_value=fact) for name, fact in facts.items()},
        )

    def index(self, *, ready: bool) -> list[IndexEntry]:
        """All versions of all models, or those that can answer."""
        entries = [
            self._entry(record)
            for model in self._models()
            for record in sorted(self._versions(model), key=lambda each: each.version)
        ]
        return [entry for entry in entries if entry.state == "READY" or not ready]

    def load(self, model: str, request: RepositoryRequest) -> None:
        """Load the version that answers for the model into this process."""
        for name in request.parameters:
            if name == "config" or name.startswith("file:"):
                detail = f"{name[:64]!r} is not supported: models are made by POST /train"
                raise invalid([Flaw(detail, "parameters")])
        self._cache.get((model, None, None))

    def unload(self, model: str) -> None:
        """Drop all versions of a model from the memory of this process."""
        self._cache.unload(model, {record.predictor.sha256 for record in self._versions(model)})

    def statistics(self, model: str | None, version: int | None) -> list[ModelStatistics]:
        """Of one version, of the versions of a model that have been asked, or of all such."""
        if model is None:
            asked = self._statistics.known()
        else:
            resolved = self._registry.resolve(model, version).version
            only = [(model, resolved)]
            asked = only if version is not None else self._statistics.known(model) or only
        return [self._statistics.show(*key) for key in asked]

    def _entry(self, record: VersionRecord) -> IndexEntry:
        whole = self._registry.looks_whole(record)
        return IndexEntry(
            name=record.model,
            version=str(record.version),
            state="READY" if whole else "UNAVAILABLE",
            reason="" if whole else "its file is missing or damaged",
        )

    def _models(self) -> Iterator[str]:
        offset = 0
        while True:
            records, total = self._registry.page_of_models(_PAGE, offset)
            yield from (record.name for record in records)
            offset += _PAGE
            if offset >= total or not records:
                return

    def _versions(self, model: str) -> Iterator[VersionRecord]:
        """Newest first."""
        offset = 0
        while True:
            records, total, _ = self._registry.page_of_versions(model, _PAGE, offset)
            yield from records
            offset += _PAGE
            if offset >= total or not records:
                return


def _config_tensor(tensor: TensorMetadata) -> ConfigTensor:
    kind = "STRING" if tensor.datatype == "BYTES" else tensor.datatype
    return ConfigTensor(name=tensor.name, data_type=f"TYPE_{kind}", dims=tensor.shape)
