"""The Open Inference Protocol (KServe V2) under /v2, with Triton's extensions."""

from app.api.v2 import health, infer, metadata, repository, statistics

#: In the order in which their routes are tried: /v2/models/stats before /v2/models/{name}.
MODULES = (infer, health, statistics, metadata, repository)
