"""JSON schemas of the Open Inference Protocol (KServe V2) and its extensions.

With the binary tensor extension, the parameters of a tensor contain `binary_data_size`, and its
data follow the JSON object.
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
#: A model may have one tensor per feature, so this is also a limit on features.
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
    """Check an object of plain values, with one error at most: Pydantic would report each value."""
    if value is None:  # generated clients send null for absent parameters
        return {}
    if type(value) is dict and {type(item) for item in value.values()} <= {str, int, float, bool}:
        return value
    flaw = Flaw("Expected an object of strings, numbers and booleans.", "parameters")
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
            "description": "Elements in row-major order, as a flat list or nested like `shape`. A "
            "`null` or NaN is a missing cell. Left out if the data are binary.",
        }
    ),
]


class RequestInput(RequestModel):
    """An input tensor."""

    name: TensorName = Field(description="`X` for a matrix of all features, or a feature name.")
    shape: Annotated[list[Dimension], Field(min_length=1, max_length=MAX_DIMENSIONS)] = Field(
        description="[rows, features] for `X`; [rows] or [rows, 1] for a single feature."
    )
    datatype: Datatype = Field(description="Type of the elements; `BYTES` is text in UTF-8.")
    parameters: Parameters = Field(
        default_factory=dict,
        description="`binary_data_size`: length of the tensor's binary data in bytes.",
    )
    data: Data = None


class RequestOutput(RequestModel):
    """A requested output tensor."""

    name: TensorName = Field(description="Name of the output, as in the metadata of the model.")
    parameters: Parameters = Field(
        default_factory=dict,
        description="`binary_data`: whether to send the tensor in binary form. Default: "
        "`binary_data_output` of the request.",
    )


class InferenceRequest(RequestModel):
    """Rows to classify: one tensor `X` of shape [rows, features], or one tensor per feature."""

    id: Text | None = Field(None, description="Identifier that the response repeats.")
    model_name: Text | None = Field(
        None, description="Ignored: the path names the model. Some clients send it."
    )
    model_version: Text | None = Field(
        None, description="Ignored: the path names the version. Some clients send it."
    )
    parameters: Parameters = Field(
        default_factory=dict,
        description="`binary_data_output`: whether to send all outputs in binary form. Default: "
        "false.",
    )
    inputs: Annotated[list[RequestInput], Field(min_length=1, max_length=MAX_TENSORS)] = Field(
        description="The input tensors."
    )
    outputs: Annotated[list[RequestOutput], Field(max_length=MAX_TENSORS)] | None = Field(
        None, description="Outputs to return. Default: all outputs of the model."
    )


class IndexRequest(RequestModel):
    """Selection of the versions to list."""

    ready: bool = Field(False, description="Whether to return only versions that can be loaded.")


class RepositoryRequest(RequestModel):
    """Options for loading or unloading a model."""

    parameters: Parameters = Field(
        default_factory=dict,
        description="Ignored, except that `config` and files are refused when loading.",
    )


# --- responses -------------------------------------------------------------------------------


class ProtocolError(BaseModel):
    """Body of every error response under /v2."""

    model_config = ConfigDict(extra="forbid")

    error: str = Field(description="Description of the error and what to do about it.")


class ServerLive(ResponseModel):
    """Liveness of the server."""

    live: bool = Field(description="Always true.")


class ServerReady(ResponseModel):
    """Readiness of the server."""

    ready: bool = Field(description="Always true; a server that is not ready returns an error.")


class ModelReady(ResponseModel):
    """Readiness of a model."""

    name: str = Field(description="Name of the model.")
    ready: bool = Field(description="Always true; a model that is not ready returns an error.")


class ServerMetadata(ResponseModel):
    """Metadata of the server."""

    name: str = Field(description="Name of the server software.")
    version: str = Field(description="Version of the server software.")
    extensions: list[str] = Field(description="Supported extensions of the protocol.")


class TensorMetadata(ResponseModel):
    """Metadata of a tensor."""

    name: str = Field(description="Name of the tensor.")
    datatype: Datatype = Field(description="Type of the elements.")
    shape: list[int] = Field(description="Shape; -1 stands for the number of rows.")


class ModelMetadata(ResponseModel):
    """Metadata of a model: its versions and tensors."""

    name: str = Field(description="Name of the model.")
    versions: list[str] = Field(description="Numbers of all versions, newest first.")
    platform: str = Field(description="Always `frtsvm`.")
    inputs: list[TensorMetadata] = Field(description="Input tensors.")
    outputs: list[TensorMetadata] = Field(description="Output tensors.")


class ConfigTensor(ResponseModel):
    """A tensor in a Triton configuration."""

    name: str = Field(description="Name of the tensor.")
    data_type: str = Field(description="Triton's name of the datatype, e.g. `TYPE_FP64`.")
    dims: list[int] = Field(description="Shape; -1 stands for the number of rows.")


class ConfigParameter(ResponseModel):
    """A parameter in a Triton configuration."""

    string_value: str = Field(description="Value of the parameter.")


class ModelConfig(ResponseModel):
    """Configuration of a model in Triton's format."""

    name: str = Field(description="Name of the model.")
    platform: str = Field(description="Always `frtsvm`.")
    backend: str = Field(description="Always `frtsvm`.")
    max_batch_size: int = Field(
        description="Always 0: the first dimension of every tensor is the number of rows."
    )
    input: list[ConfigTensor] = Field(description="Input tensors.")
    output: list[ConfigTensor] = Field(description="Output tensors.")
    parameters: dict[str, ConfigParameter] = Field(
        description="Version number, class labels (as a JSON list) and kernel."
    )


class IndexEntry(ResponseModel):
    """A version in the index of the repository."""

    name: str = Field(description="Name of the model.")
    version: str = Field(description="Version number.")
    state: Literal["READY", "UNAVAILABLE"] = Field(
        description="`READY`, or `UNAVAILABLE` if a file of the version is missing or its size has "
        "changed."
    )
    reason: str = Field(description="Reason why the version is unavailable, else empty.")


class ResponseOutput(ResponseModel):
    """An output tensor."""

    name: str = Field(description="Name of the output.")
    datatype: Datatype = Field(description="Type of the elements.")
    shape: list[int] = Field(description="Shape of the tensor.")
    parameters: dict[str, int] | None = Field(
        None,
        description="For a tensor in binary form, `binary_data_size`: the length of its data in "
        "bytes.",
    )
    data: list[Any] | None = Field(
        None, description="Elements in row-major order. Left out if the data are binary."
    )


class InferenceResponse(ResponseModel):
    """Predictions as output tensors, and the version that computed them."""

    model_name: str = Field(description="Name of the model.")
    model_version: str = Field(description="Number of the version that was used.")
    id: str | None = Field(None, description="Identifier of the request, if it had one.")
    outputs: list[ResponseOutput] = Field(description="Output tensors.")


class Duration(ResponseModel):
    """Number and total duration of events."""

    count: int = Field(description="Number of events.")
    ns: int = Field(description="Total duration in nanoseconds.")


class InferenceDurations(ResponseModel):
    """Durations of requests by outcome and by step."""

    success: Duration = Field(description="Requests that succeeded.")
    fail: Duration = Field(description="Requests that failed.")
    queue: Duration = Field(description="Waiting in a queue; always 0 ns.")
    compute_input: Duration = Field(description="Reading the inputs.")
    compute_infer: Duration = Field(description="Predicting.")
    compute_output: Duration = Field(description="Writing the outputs.")
    cache_hit: Duration = Field(description="Hits of a response cache; always 0.")
    cache_miss: Duration = Field(description="Misses of a response cache; always 0.")


class BatchDurations(ResponseModel):
    """Durations of the requests with the same number of rows."""

    batch_size: int = Field(description="Number of rows of a request.")
    compute_input: Duration = Field(description="Reading the inputs.")
    compute_infer: Duration = Field(description="Predicting.")
    compute_output: Duration = Field(description="Writing the outputs.")


class ModelStatistics(ResponseModel):
    """Statistics of one version in the web process that received the request."""

    name: str = Field(description="Name of the model.")
    version: str = Field(description="Version number.")
    last_inference: int = Field(
        description="Time of the last inference in milliseconds since 1970-01-01 UTC; 0 if none."
    )
    inference_count: int = Field(description="Number of rows predicted.")
    execution_count: int = Field(description="Number of requests that succeeded.")
    inference_stats: InferenceDurations = Field(description="Durations of all requests.")
    batch_stats: list[BatchDurations] = Field(description="Durations by number of rows.")


class Statistics(ResponseModel):
    """Inference statistics."""

    model_stats: list[ModelStatistics] = Field(description="Statistics of each version.")
