"""Schema of `search` in POST /train: the parameters to try and how to score them."""

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
#: Default time budget. docs/search.md shows the time of the plan `auto` on tables of several sizes.
DEFAULT_SECONDS = 30.0

Value = TypeVar("Value")
Values = Annotated[list[Value], Field(min_length=1, max_length=MAX_VALUES)] | None

#: scikit-learn's names of the scores; each is computed from labels or decision scores.
Scoring = Literal["accuracy", "balanced_accuracy", "f1_macro", "roc_auc"]
Probability = Literal["sigmoid", "isotonic"]


def _values(name: str) -> Any:
    """Return the field with the values of one parameter."""
    return Field(None, description=f"Distinct values of `{name}` to try.")


class SearchGrid(RequestModel):
    """Lists of parameter values. The search tries every combination of them.

    Parameters without a list keep the value in `params`, or their default. See `EstimatorParams`
    for their meaning.
    """

    kernel: Values[Kernel] = _values("kernel")
    c1: Values[Cost] = _values("c1")
    c2: Values[Cost] = _values("c2")
    c3: Values[Cost] = _values("c3")
    c4: Values[Cost] = _values("c4")
    penalty: Values[Penalty] = _values("penalty")
    membership: Values[Membership] = _values("membership")
    mu: Values[Mu] = _values("mu")
    gamma: Values[Gamma] = _values("gamma")
    degree: Values[Degree] = _values("degree")
    coef0: Values[Coef0] = _values("coef0")
    rank: Values[Rank] = _values("rank")
    multi_class: Values[MultiClass] = _values("multi_class")

    @model_validator(mode="after")
    def _require_distinct_values(self) -> Self:
        if not self.lists():
            raise _flawed("The grid is empty. Give at least one list of values.", "search.grid")
        for name, values in self.lists().items():
            if len(set(values)) < len(values):
                raise _flawed("The list contains a value twice.", f"search.grid.{name}")
        return self

    def lists(self) -> dict[str, list[Any]]:
        """Return the lists that were given, by parameter."""
        return {name: values for name, values in self.model_dump().items() if values is not None}

    @property
    def size(self) -> int:
        """Number of configurations to try."""
        return prod(len(values) for values in self.lists().values())


class Search(RequestModel):
    """Parameter search by cross-validation.

    Parameters that `params` sets are kept; the search chooses the others.
    """

    plan: Literal["auto", "grid"] = Field(
        "auto",
        description="`auto`: search kernels, kernel widths, costs and memberships, from coarse to "
        "fine. `grid`: try every combination of the values in `grid`. Default: `grid` if `grid` is "
        "given, else `auto`.",
    )
    grid: SearchGrid | None = Field(
        None, description="Values to try. Required by the plan `grid`, and allowed only with it."
    )
    folds: Annotated[int, Field(ge=2, le=50), WHOLE] | None = Field(
        None,
        description="Number of cross-validation folds. Default: 5, or the number of rows of the "
        "smallest class if that is less.",
    )
    scoring: Scoring = Field(
        "accuracy",
        description="Score to maximize, as defined by scikit-learn. `roc_auc` needs two classes.",
    )
    time_budget: Annotated[float, Field(gt=0, le=1e6)] | None = Field(
        None,
        description="Time in seconds for the search and the fit on all rows. When it is used up, "
        "the search stops and keeps the best result so far. With a `validation`, half of it is for "
        "the searches within the folds. Default: `FRTSVM_SEARCH_SECONDS` of the server, 30 unless "
        "configured.",
    )
    seed: Seed = Field(0, description="Seed for drawing the folds and the samples of rows.")
    probability: Probability | None = Field(
        None,
        description="Method that calibrates probabilities on the validation rows of the folds. "
        "Default: no probabilities.",
    )
    balance: bool | None = Field(
        None,
        description="Whether to fit the distance weights of the decision on the validation rows of "
        "the folds. Without them, the nearer plane decides. Default: true for the plan `auto` with "
        "`scoring` `accuracy` or `balanced_accuracy`, else false.",
    )

    @model_validator(mode="before")
    @classmethod
    def _choose_plan_of_grid(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("grid") is not None and "plan" not in value:
            return {**value, "plan": "grid"}
        return value

    @model_validator(mode="after")
    def _require_matching_grid(self) -> Self:
        if self.plan == "grid" and self.grid is None:
            raise _flawed(
                "The plan `grid` needs the field `grid` with values to try.", "search.grid"
            )
        if self.plan == "auto" and self.grid is not None:
            raise _flawed(
                "The plan `auto` does not use a `grid`. Remove it, or set the plan to `grid`.",
                "search.grid",
            )
        return self

    def folds_for(self, smallest_class: int) -> int:
        """Return the number of folds, given the number of rows of the smallest class."""
        return max(2, min(self.folds or DEFAULT_FOLDS, smallest_class))


def _flawed(detail: str, field: str) -> PydanticCustomError:
    return PydanticCustomError("search", "search", {"flaws": (Flaw(detail, field),)})
