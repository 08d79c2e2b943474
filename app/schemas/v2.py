"""The Open Inference Protocol (KServe V2) with its extensions, as JSON.

The binary tensor extension puts `binary_data_size` into the parameters of a tensor, and its data
behind the JSON object.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.errors import Flaw
from app.schemas.base import INT64, WHOLE, RequestModel, ResponseModel

Datatype = Literal[
    "BOOL",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "FP16",
    "FP32",
    "FP64",
    "BYTES",
]
#: One tensor per feature, so as many as a model may have features.
MAX_TENSORS = 10_000
MAX_DIMENSIONS = 8
MAX_TENSOR_NAME = 256
MAX_ID = 1024

Text = Annotated[str, StringConstraints(strict=True, max_length=MAX_ID)]
TensorName = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=MAX_TENSOR_NAME)
]
Dimension = Annotated[int, Field(ge=1, le=INT64), WHOLE]


def _read_parameters(value: Any) -> dict[str, Any]:
    """Names and plain values. By hand: pydantic would report each of a million wrong ones."""
    if value is None:  # as generated clients write what is not there
        return {}
    if type(value) is dict and {type(item) for item in value.values()} <= {str, int, float, bool}:
        return value
    flaw = Flaw("expected an object of strings, numbers and booleans", "parameters")
    raise PydanticCustomError("parameters", "bad parameters", {"flaws": (flaw,)})


_PLAIN = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
Parameters = Annotated[
    dict[str, Any],
    PlainValidator(_read_parameters),
    WithJsonSchema(
        {"anyOf": [{"type": "object", "additionalProperties": _PLAIN}, {"type": "null"}]}
    ),
]
Data = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "array",
            "description": "The elements in row-major order, flat or nested as `shape` says. "
            "`null` and NaN are missing cells. Left out if the data are binary.",
        }
    ),
]


class RequestInput(RequestModel):
    """An input tensor."""

    name: TensorName
    shape: Annotated[list[Dimension], Field(min_length=1, max_length=MAX_DIMENSIONS)]
    datatype: Datatype
    parameters: Parameters = Field(default_factory=dict)
    data: Data = None


class RequestOutput(RequestModel):
    """An output that is wanted."""

    name: TensorName
    parameters: Parameters = Field(default_factory=dict)


class InferenceRequest(RequestModel):
    """Rows to classify: one tensor `X` of shape [rows, features], or one tensor per feature name.

    `model_name` and `model_version` are what some clients repeat from the path; the path counts.
    """

    id: Text | None = None
    model_name: Text | None = None
    model_version: Text | None = None
    parameters: Parameters = Field(default_factory=dict)
    inputs: Annotated[list[RequestInput], Field(min_length=1, max_length=MAX_TENSORS)]
    outputs: Annotated[list[RequestOutput], Field(max_length=MAX_TENSORS)] | None = None


class IndexRequest(RequestModel):
    """Which models to list."""

    ready: bool = False


class RepositoryRequest(RequestModel):
    """Loading and unloading."""

    parameters: Parameters = Field(default_factory=dict)


# --- answers ---------------------------------------------------------------------------------


class ProtocolError(BaseModel):
    """The body of every answer that is not a success."""

    model_config = ConfigDict(extra="forbid")

    error: str


class ServerLive(ResponseModel):
    """The process answers."""

    live: bool


class ServerReady(ResponseModel):
    """The server takes requests."""

    ready: bool


class ModelReady(ResponseModel):
    """The model is loaded."""

    name: str
    ready: bool


class ServerMetadata(ResponseModel):
    """What this server is, and which extensions of the protocol it has."""

    name: str
    version: str
    extensions: list[str]


class TensorMetadata(ResponseModel):
    """A tensor of a model; -1 stands for the number of rows."""

    name: str
    datatype: Datatype
    shape: list[int]


class ModelMetadata(ResponseModel):
    """The tensors of a model, and its versions."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[TensorMetadata]
    outputs: list[TensorMetadata]


class ConfigTensor(ResponseModel):
    """A tensor in the words of a Triton configuration."""

    name: str
    data_type: str
    dims: list[int]


class ConfigParameter(ResponseModel):
    """A free parameter of a configuration."""

    string_value: str


class ModelConfig(ResponseModel):
    """The configuration of a model in Triton's shape."""

    name: str
    platform: str
    backend: str
    max_batch_size: int
    """0: the first dimension of every tensor is the number of rows."""
    input: list[ConfigTensor]
    output: list[ConfigTensor]
    parameters: dict[str, ConfigParameter]


class IndexEntry(ResponseModel):
    """One version in the index of the repository."""

    name: str
    version: str
    state: Literal["READY", "UNAVAILABLE"]
    reason: str


class ResponseOutput(ResponseModel):
    """An output tensor. Binary data have `parameters.binary_data_size` in the place of `data`."""

    name: str
    datatype: Datatype
    shape: list[int]
    parameters: dict[str, int] | None = None
    data: list[Any] | None = None


class InferenceResponse(ResponseModel):
    """The outputs, and the version that gave them."""

    model_name: str
    model_version: str
    id: str | None = None
    outputs: list[ResponseOutput]


class Duration(ResponseModel):
    """How often, and how long in all."""

    count: int
    ns: int


class InferenceDurations(ResponseModel):
    """Where the time of the requests went."""

    success: Duration
    fail: Duration
    queue: Duration
    compute_input: Duration
    compute_infer: Duration
    compute_output: Duration
    cache_hit: Duration
    cache_miss: Duration


class BatchDurations(ResponseModel):
    """The same for one number of rows."""

    batch_size: int
    compute_input: Duration
    compute_infer: Duration
    compute_output: Duration


class ModelStatistics(ResponseModel):
    """What one version has answered, through the protocol and in the process that was asked."""

    name: str
    version: str
    last_inference: int
    """Milliseconds since 1970; 0 is never."""
    inference_count: int
    """Rows."""
    execution_count: int
    inference_stats: InferenceDurations
    batch_stats: list[BatchDurations]


class Statistics(ResponseModel):
    """All that was asked for."""

    model_stats: list[ModelStatistics]
