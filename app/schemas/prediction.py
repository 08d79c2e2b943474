"""Schemas of POST /predict."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.errors import Flaw
from app.schemas.arrays import Rows
from app.schemas.base import INT64, WHOLE, Name, RequestModel, ResponseModel

VersionNumber = Annotated[int, Field(ge=1, le=INT64), WHOLE]
Output = Literal["labels", "scores", "distances", "probabilities"]
#: All outputs, in the order in which a response lists them.
OUTPUTS: tuple[str, ...] = get_args(Output)


class PredictionRequest(RequestModel):
    """Rows to classify, and the model to use.

    Without `version` and `alias`, the version of the alias `production` is used, or the newest
    version if that alias does not exist.
    """

    model: Name = Field("default", description="Name of the model.")
    X: Rows
    version: VersionNumber | None = Field(
        None, description="Version number. Cannot be combined with `alias`."
    )
    alias: Name | None = Field(
        None, description="Alias of a version. Cannot be combined with `version`."
    )
    outputs: Annotated[list[Output], Field(min_length=1, max_length=len(OUTPUTS))] | None = Field(
        None,
        description="Parts of the prediction to return. Fewer parts make the response smaller. "
        "Default: all parts.",
    )

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _require_one_target(self.version, self.alias)
        return self


class PredictionQuery(RequestModel):
    """Query of POST /predict, for bodies other than JSON or responses of a single array."""

    model: Name = "default"
    version: Annotated[int, Field(ge=1, le=INT64, strict=False)] | None = None
    alias: Name | None = None
    output: Output | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _require_one_target(self.version, self.alias)
        return self


def _require_one_target(version: int | None, alias: str | None) -> None:
    if version is not None and alias is not None:
        flaw = Flaw("`version` and `alias` exclude each other. Remove one of them.", "alias")
        raise PydanticCustomError("target", "two targets", {"flaws": (flaw,)})


def _if_requested(description: str) -> Any:
    """Return a field that is not required in the schema and has no default there."""
    return Field(default_factory=list, description=description)


class PredictionAnswer(ResponseModel):
    """Predictions, row by row, and the version that computed them.

    Parts that `outputs` does not request are left out.
    """

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Number of the version that was used.")
    labels: list[str] | list[int] | list[bool] = _if_requested(
        "Predicted label of each row, of the same type as the training labels."
    )
    scores: list[float] | list[list[float]] = _if_requested(
        "Decision scores. Two classes: one score per row, the distance to the plane of "
        "`classes[0]` minus the distance to the plane of `classes[1]`, both weighted by the "
        "`decision` of the version if it has one. A positive score means `classes[1]`. More "
        "classes: one score per class, and the largest score decides."
    )
    distances: list[list[float]] | None = _if_requested(
        "Distance of each row to the plane of each class. `null` for one-vs-one models of more "
        "than two classes, whose planes belong to pairs of classes."
    )
    probabilities: list[list[float]] | None = _if_requested(
        "Probability of each class. `null` if the version was trained without a calibration."
    )
