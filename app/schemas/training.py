"""POST /train."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema, PydanticCustomError

from app.errors import Flaw
from app.schemas.arrays import Labels, Rows, Weights
from app.schemas.base import WHOLE, Name, RequestModel
from app.schemas.cells import MAX_TEXT
from app.schemas.search import Search
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

AUTO = "auto"

FeatureName = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
ClassWeights = Annotated[dict[str, Cost], Field(min_length=1, max_length=100)]


class EstimatorParams(RequestModel):
    """The parameters of `frtsvm_core.FRTSVMClassifier`, with its defaults."""

    kernel: Kernel = "rbf"
    c1: Cost = 1.0
    c2: Cost | None = Field(None, description="Default: c1.")
    c3: Cost = 1.0
    c4: Cost | None = Field(None, description="Default: c3.")
    penalty: Penalty = Field(
        "coefficients",
        description="What c1 and c2 weigh for a kernel: the paper's |w|², or the norm w'Kw of the "
        "plane in the kernel's own space, which is mostly more accurate and asks for a smaller c1.",
    )
    membership: Membership = "center"
    mu: Mu = 0.1
    delta: Annotated[float, Field(gt=0, le=1)] = 1e-10
    gamma: Gamma = "scale"
    degree: Degree = 3
    coef0: Coef0 = 1.0
    rank: Rank | None = Field("auto", description="`null` is the exact kernel.")
    kernel_tol: Annotated[float, Field(gt=0, le=1)] = 1e-6
    tol: Annotated[float, Field(ge=1e-14, le=1)] = 1e-3
    max_iter: Annotated[int, Field(ge=1, le=1_000_000), WHOLE] = 1000
    shrinking: bool = True
    multi_class: MultiClass = "ovo"
    class_weight: Literal["balanced"] | ClassWeights | None = Field(
        None, description="Keys are the labels as JSON would write them, without quotes."
    )
    random_state: Seed = Field(
        0, description="Fixed by default, so that the same data give the same model."
    )

    @model_validator(mode="before")
    @classmethod
    def _few_class_weights(cls, value: Any) -> Any:
        weights = value.get("class_weight") if isinstance(value, dict) else None
        if isinstance(weights, dict) and len(weights) > 100:
            flaw = Flaw("at most 100 class weights", "params.class_weight")
            raise PydanticCustomError("class_weight", "too many", {"flaws": (flaw,)})
        return value


class Validation(RequestModel):
    """How to measure the model: by folds, or on a holdout share. Not both."""

    folds: Annotated[int, Field(ge=2, le=50), WHOLE] | None = None
    holdout: Annotated[float, Field(ge=0.01, le=0.9)] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.folds is None) == (self.holdout is None):
            flaw = Flaw("give either `folds` or `holdout`", "validation")
            raise PydanticCustomError("validation", "one of two", {"flaws": (flaw,)})
        return self


class _OrAuto:
    """Says in the JSON Schema that the word "auto" may stand in for the parameters."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [handler(schema), {"const": AUTO, "type": "string"}]}


class TrainingOptions(RequestModel):
    """Everything about a training but its data; the `options` of a CSV or Parquet body."""

    params: Annotated[EstimatorParams, _OrAuto()] = Field(
        default_factory=lambda: EstimatorParams.model_validate({}),
        description='"auto" finds them, as an empty `search` does.',
    )
    search: Search | None = None
    scale: Literal["minmax", "standard", "none"] = "minmax"
    impute: Literal["error", "median"] = "error"
    one_hot: bool = Field(False, description="Encode text columns; without it, text is refused.")
    validation: Validation | None = None

    @model_validator(mode="before")
    @classmethod
    def _automatic(cls, value: Any) -> Any:
        params = value.get("params") if isinstance(value, dict) else None
        if isinstance(params, str) and params != AUTO:
            flaw = Flaw('an object, or the word "auto"', "params")
            raise PydanticCustomError("params", "params", {"flaws": (flaw,)})
        if params == AUTO:
            return {**value, "params": {}, "search": value.get("search") or {}}
        return value

    @model_validator(mode="after")
    def _fixed_or_searched(self) -> Self:
        grid = None if self.search is None else self.search.grid
        both = set() if grid is None else grid.lists().keys() & self.params.model_fields_set
        if both:
            name = min(both)
            flaw = Flaw("is fixed in `params` already", f"search.grid.{name}")
            raise PydanticCustomError("search", "fixed", {"flaws": (flaw,)})
        return self

    def stored(self) -> dict[str, Any]:
        """What is kept with a job. With a search, which parameters are fixed is a part of it."""
        params = self.params.model_dump(exclude_unset=self.search is not None)
        return {**self.model_dump(exclude={"params"}), "params": params}


class TrainingRequest(TrainingOptions):
    """Rows and labels, and how to train on them."""

    model: Name = "default"
    X: Rows
    y: Labels
    feature_names: list[FeatureName] | None = Field(None, max_length=100_000)
    sample_weight: Weights | None = None

    @model_validator(mode="before")
    @classmethod
    def _bounded_feature_names(cls, value: Any) -> Any:
        """Look for the first wrong name only, as with every other long list."""
        names = value.get("feature_names") if isinstance(value, dict) else None
        if isinstance(names, list):
            for i, name in enumerate(names):
                if not isinstance(name, str) or not 0 < len(name) <= MAX_TEXT:
                    detail = f"a feature name is a string of 1 to {MAX_TEXT} characters"
                    flaw = Flaw(detail, "feature_names", i)
                    raise PydanticCustomError("names", "bad name", {"flaws": (flaw,)})
        return value

    @model_validator(mode="after")
    def _lengths_agree(self) -> Self:
        flaw = None
        n_rows, n_columns = self.X.n_rows, self.X.n_columns
        if len(self.y) != n_rows:
            flaw = Flaw(f"{len(self.y)} labels for {n_rows} rows", "y")
        elif self.sample_weight is not None and len(self.sample_weight) != n_rows:
            flaw = Flaw(f"{len(self.sample_weight)} weights for {n_rows} rows", "sample_weight")
        elif self.feature_names is not None and self.X.names is not None:
            flaw = Flaw("rows that are objects bring their own names", "feature_names")
        elif self.feature_names is not None and len(self.feature_names) != n_columns:
            detail = f"{len(self.feature_names)} names for {n_columns} features"
            flaw = Flaw(detail, "feature_names")
        elif self.feature_names is not None and len(set(self.feature_names)) != n_columns:
            flaw = Flaw("feature names must differ from each other", "feature_names")
        if flaw is not None:
            raise PydanticCustomError("lengths", "lengths differ", {"flaws": (flaw,)})
        return self

    def options(self) -> TrainingOptions:
        """The part that is kept with the job and the version."""
        return TrainingOptions.model_construct(
            **{name: getattr(self, name) for name in TrainingOptions.model_fields}
        )
