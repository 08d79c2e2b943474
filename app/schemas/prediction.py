"""POST /predict."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.errors import Flaw
from app.schemas.arrays import Rows
from app.schemas.base import INT64, WHOLE, Answer, Name, Wire

VersionNumber = Annotated[int, Field(ge=1, le=INT64), WHOLE]


class PredictionRequest(Wire):
    """Rows to classify.

    Without `version` and `alias` the alias `production` answers if it is set, else the newest
    version.
    """

    model: Name = "default"
    X: Rows
    version: VersionNumber | None = None
    alias: Name | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _require_one_target(self.version, self.alias)
        return self


class PredictionQuery(Wire):
    """What a call says in its query when its body is not JSON, or its answer is bare numbers."""

    model: Name = "default"
    version: Annotated[int, Field(ge=1, le=INT64, strict=False)] | None = None
    alias: Name | None = None
    output: Literal["labels", "scores", "distances", "probabilities"] | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _require_one_target(self.version, self.alias)
        return self


def _require_one_target(version: int | None, alias: str | None) -> None:
    if version is not None and alias is not None:
        flaw = Flaw("give `version` or `alias`, not both", "alias")
        raise PydanticCustomError("target", "two targets", {"flaws": (flaw,)})


class PredictionAnswer(Answer):
    """Labels, decision scores and distances, row by row, and the version that gave them.

    Two classes: one score per row, the distance to the plane of `classes[0]` minus the distance to
    the plane of `classes[1]`; positive means `classes[1]`. More classes: one score per class, the
    largest wins. `distances` has one column per class and is null for one-vs-one models, whose
    planes belong to pairs of classes. `probabilities` has one column per class and is null where the
    version was trained without a calibration.
    """

    model: str
    version: int
    labels: list[str] | list[int] | list[bool]
    scores: list[float] | list[list[float]]
    distances: list[list[float]] | None
    probabilities: list[list[float]] | None
