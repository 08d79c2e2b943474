"""POST /predict."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.errors import Flaw
from app.schemas.arrays import Rows
from app.schemas.base import INT64, WHOLE, Name, RequestModel, ResponseModel

VersionNumber = Annotated[int, Field(ge=1, le=INT64), WHOLE]
Output = Literal["labels", "scores", "distances", "probabilities"]
#: In the order of an answer.
OUTPUTS: tuple[str, ...] = get_args(Output)


class PredictionRequest(RequestModel):
    """Rows to classify.

    Without `version` and `alias` the alias `production` answers if it is set, else the newest
    version. `outputs` is what the answer should have, all there is if it is not given: whoever
    needs the labels alone gets them in a small part of the bytes.
    """

    model: Name = "default"
    X: Rows
    version: VersionNumber | None = None
    alias: Name | None = None
    outputs: Annotated[list[Output], Field(min_length=1, max_length=len(OUTPUTS))] | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _require_one_target(self.version, self.alias)
        return self


class PredictionQuery(RequestModel):
    """What a call says in its query when its body is not JSON, or its answer is bare numbers."""

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
        flaw = Flaw("give `version` or `alias`, not both", "alias")
        raise PydanticCustomError("target", "two targets", {"flaws": (flaw,)})


#: Not required in the schema, and without a value that would stand for it.
_IF_ASKED: Any = Field(default_factory=list)


class PredictionAnswer(ResponseModel):
    """Labels, decision scores and distances, row by row, and the version that gave them.

    Two classes: one score per row, the distance to the plane of `classes[0]` minus the distance to
    the plane of `classes[1]`, weighed by the `decision` of the version if it has one; positive means
    `classes[1]`. More classes: one score per class, the largest wins. `distances` has one column per
    class and is null for one-vs-one models, whose planes belong to pairs of classes. `probabilities`
    has one column per class and is null where the version was trained without a calibration. What
    `outputs` did not ask for is not there.
    """

    model: str
    version: int
    labels: list[str] | list[int] | list[bool] = _IF_ASKED
    scores: list[float] | list[list[float]] = _IF_ASKED
    distances: list[list[float]] | None = _IF_ASKED
    probabilities: list[list[float]] | None = _IF_ASKED
