"""Routes of the Open Inference Protocol (KServe V2) under /v2, with Triton's extensions."""

from app.api.v2 import health, infer, metadata, repository, statistics

#: In matching order: /v2/models/stats must come before /v2/models/{name}.
MODULES = (infer, health, statistics, metadata, repository)
