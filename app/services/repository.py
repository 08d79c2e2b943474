"""Models in the Open Inference Protocol: metadata, configuration, index, loading."""

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
#: Number of database rows to read at a time.
_PAGE = 500


class ModelRepository:
    """All operations of the protocol on models except inference."""

    def __init__(self, store: Store, cache: ModelCache, statistics: InferenceStatistics) -> None:
        self._registry = store.registry
        self._cache = cache
        self._statistics = statistics

    def metadata(self, model: str, version: int | None) -> ModelMetadata:
        """Return the tensors of the selected version, and all versions, newest first."""
        record = self._registry.resolve(model, version)
        return ModelMetadata(
            name=model,
            versions=[str(each.version) for each in self._versions(model)],
            platform=PLATFORM,
            inputs=inputs_of(record.info),
            outputs=outputs_of(record.info),
        )

    def config(self, model: str, version: int | None) -> ModelConfig:
        """Return the metadata in the form of a Triton model configuration."""
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
        """Return all versions of all models, or only those that can predict."""
        entries = [
            self._entry(record)
            for model in self._models()
            for record in sorted(self._versions(model), key=lambda each: each.version)
        ]
        return [entry for entry in entries if entry.state == "READY" or not ready]

    def load(self, model: str, request: RepositoryRequest) -> None:
        """Load the version that serves the model into this process."""
        for name in request.parameters:
            if name == "config" or name.startswith("file:"):
                detail = (
                    f"The parameter {name[:64]!r} is not supported. "
                    "Models are created with POST /train."
                )
                raise invalid([Flaw(detail, "parameters")])
        self._cache.get((model, None, None))

    def unload(self, model: str) -> None:
        """Remove all versions of a model from the memory of this process."""
        self._cache.unload(model, {record.predictor.sha256 for record in self._versions(model)})

    def statistics(self, model: str | None, version: int | None) -> list[ModelStatistics]:
        """Return the statistics of one version, or of all used versions of one or all models."""
        if model is None:
            used = self._statistics.known()
        else:
            resolved = self._registry.resolve(model, version).version
            only = [(model, resolved)]
            used = only if version is not None else self._statistics.known(model) or only
        return [self._statistics.show(*key) for key in used]

    def _entry(self, record: VersionRecord) -> IndexEntry:
        whole = self._registry.looks_whole(record)
        return IndexEntry(
            name=record.model,
            version=str(record.version),
            state="READY" if whole else "UNAVAILABLE",
            reason="" if whole else "The file of the version is missing or damaged.",
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
        """Yield the versions of a model, newest first."""
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
