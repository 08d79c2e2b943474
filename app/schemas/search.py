"""The `search` of POST /train: which parameters to try, and how to judge them."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from app.errors import Flaw
from app.schemas.base import WHOLE, RequestModel
from app.schemas.values import (
    Coef0,
    Cost,
    Degree,
    Gamma,
    Kernel,
    Membership,
    Mu,
    MultiClass,
    Penalty,
    Rank,
    Seed,
)

MAX_VALUES = 100
DEFAULT_FOLDS = 5
#: Enough for the plan "auto" to come to its end on tables of ten thousand rows.
DEFAULT_SECONDS = 30.0

Value = TypeVar("Value")
Values = Annotated[list[Value], Field(min_length=1, max_length=MAX_VALUES)] | None

#: Whose names scikit-learn knows; each can be computed from labels or decision scores.
Scoring = Literal["accuracy", "balanced_accuracy", "f1_macro", "roc_auc"]
Probability = Literal["sigmoid", "isotonic"]


class SearchGrid(RequestModel):
    """Values for parameters of the estimator; every combination is tried."""

    kernel: Values[Kernel] = None
    c1: Values[Cost] = None
    c2: Values[Cost] = None
    c3: Values[Cost] = None
    c4: Values[Cost] = None
    penalty: Values[Penalty] = None
    membership: Values[Membership] = None
    mu: Values[Mu] = None
    gamma: Values[Gamma] = None
    degree: Values[Degree] = None
    coef0: Values[Coef0] = None
    rank: Values[Rank] = None
    multi_class: Values[MultiClass] = None

    @model_validator(mode="after")
    def _some_different_values(self) -> Self:
        if not self.lists():
            raise _flawed("the grid has no values", "search.grid")
        for name, values in self.lists().items():
            if len(set(values)) < len(values):
                raise _flawed("a value is there twice", f"search.grid.{name}")
        return self

    def lists(self) -> dict[str, list[Any]]:
        """The parameters that vary."""
        return {name: values for name, values in self.model_dump().items() if values is not None}

    @property
    def size(self) -> int:
        """Configurations to try."""
        return prod(len(values) for values in self.lists().values())


class Search(RequestModel):
    """Find parameters by cross-validation. Those that `params` sets hold, the others are searched.

    `auto` goes from coarse to fine through kernels, widths, costs and memberships; `grid` tries every
    combination of the values in `grid`.
    """

    plan: Literal["auto", "grid"] = Field("auto", description="Default: `grid` if there is one.")
    grid: SearchGrid | None = None
    folds: Annotated[int, Field(ge=2, le=50), WHOLE] | None = Field(
        None, description="Default: 5, or as many as the smallest class has rows."
    )
    scoring: Scoring = "accuracy"
    time_budget: Annotated[float, Field(gt=0, le=1e6)] | None = Field(
        None, description="Seconds; after them the best so far is taken. Default: a setting."
    )
    seed: Seed = Field(0, description="Draws the folds and samples.")
    probability: Probability | None = Field(
        None, description="Calibrate probabilities on the rows that the folds hold out."
    )
    balance: bool | None = Field(
        None,
        description="Learn from those rows how much the distance to each plane counts; false: the "
        "nearer plane decides. Default: the plan `auto` does where `scoring` is an accuracy.",
    )

    @model_validator(mode="before")
    @classmethod
    def _a_grid_is_a_plan(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("grid") is not None and "plan" not in value:
            return {**value, "plan": "grid"}
        return value

    @model_validator(mode="after")
    def _grid_with_its_plan(self) -> Self:
        if self.plan == "grid" and self.grid is None:
            raise _flawed("the plan `grid` needs a `grid`", "search.grid")
        if self.plan == "auto" and self.grid is not None:
            raise _flawed("the plan `auto` has no `grid`", "search.grid")
        return self

    def folds_for(self, smallest_class: int) -> int:
        """Folds that the rows allow."""
        return max(2, min(self.folds or DEFAULT_FOLDS, smallest_class))


def _flawed(detail: str, field: str) -> PydanticCustomError:
    return PydanticCustomError("search", "search", {"flaws": (Flaw(detail, field),)})
