"""Schemas of POST /train."""

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
    """Parameters of the estimator `frtsvm_core.FRTSVMClassifier`, with its defaults.

    Only the default of `random_state` differs.
    """

    kernel: Kernel = Field(
        "rbf",
        description="Kernel function: `linear`, `rbf` exp(-gamma |x - z|²), `poly` (gamma x·z + "
        "coef0)^degree, or `sigmoid` tanh(gamma x·z + coef0).",
    )
    c1: Cost = Field(
        1.0,
        description="Regularization of the plane of `classes[1]`. Larger values give a smoother "
        "plane. With more than two classes, `c1` and `c3` apply to the later class of each pair "
        "and `c2` and `c4` to the earlier one, or, with `multi_class` `ovr`, `c1` and `c3` apply "
        "to every plane.",
    )
    c2: Cost | None = Field(
        None,
        description="Regularization of the plane of `classes[0]`. With more than two classes and "
        "`multi_class` `ovr`, it must be equal to `c1`. Default: `c1`.",
    )
    c3: Cost = Field(
        1.0,
        description="Cost of rows of the opposite class that lie too close to the plane of "
        "`classes[1]`. Larger values push the plane further away from them.",
    )
    c4: Cost | None = Field(
        None,
        description="The same cost for the plane of `classes[0]`. With more than two classes and "
        "`multi_class` `ovr`, it must be equal to `c3`. Default: `c3`.",
    )
    penalty: Penalty = Field(
        "coefficients",
        description="Squared norm that c1 and c2 multiply. `coefficients`: |w|², as in the paper. "
        "`function`: w'Kw, the squared norm of the plane in the kernel's feature space, which is "
        "usually more accurate and needs a smaller c1. Without effect for the linear kernel.",
    )
    membership: Membership = Field(
        "center",
        description="How the weights of rows that look like noise are reduced. `center`: by their "
        "distance to the center of their class, as in the paper. `neighbors`: by the share of the "
        "10 nearest rows with the same label. `none`: all rows keep weight 1.",
    )
    mu: Mu = Field(
        0.1,
        description="Factor of the membership of suspected rows; other rows get the factor 1 - mu. "
        "Smaller values weaken suspected rows more.",
    )
    delta: Annotated[float, Field(gt=0, le=1)] = Field(
        1e-10,
        description="Positive constant of the `center` membership that keeps the membership of the "
        "farthest row of a class above 0.",
    )
    gamma: Gamma = Field(
        "scale",
        description="Kernel coefficient. `scale`: 1 / (number of inputs × variance of the inputs). "
        "`auto`: 1 / number of inputs. Larger values give a narrower RBF kernel.",
    )
    degree: Degree = Field(3, description="Degree of the polynomial kernel.")
    coef0: Coef0 = Field(1.0, description="Constant term of the polynomial and the sigmoid kernel.")
    rank: Rank | None = Field(
        "auto",
        description="Rank of the kernel factorization. `auto`: exact up to 256 rows; above, "
        "limited by `kernel_tol` and by a time of about one second per fit. An integer: the "
        "largest rank. `null`: the exact kernel.",
    )
    kernel_tol: Annotated[float, Field(gt=0, le=1)] = Field(
        1e-6,
        description="Share of the kernel's trace that the factorization may leave out. Without "
        "effect if `rank` is `null`, or `auto` with up to 256 rows.",
    )
    tol: Annotated[float, Field(ge=1e-14, le=1)] = Field(
        1e-3,
        description="Tolerance of the solver: it stops when the violation of the optimality "
        "conditions is below this value.",
    )
    max_iter: Annotated[int, Field(ge=1, le=1_000_000), WHOLE] = Field(
        1000, description="Largest number of sweeps of the solver per plane."
    )
    shrinking: bool = Field(
        True,
        description="Whether the solver visits rows in random order and skips rows at their "
        "bounds. This is faster and does not change the solution.",
    )
    multi_class: MultiClass = Field(
        "ovo",
        description="Scheme for more than two classes: `ovo` fits two planes per pair of classes, "
        "`ovr` one plane per class.",
    )
    class_weight: Literal["balanced"] | ClassWeights | None = Field(
        None,
        description="Factor for the weight of the rows of each class: an object whose keys are the "
        'labels, for example `{"yes": 5}`, or `{"1": 5}` for an integer label. `balanced`: inversely '
        "proportional to the class frequencies. Default: factor 1 for every class.",
    )
    random_state: Seed = Field(
        0,
        description="Seed of the solver's random order and of the kernel factorization. It is "
        "fixed by default, so that the same data give the same model.",
    )

    @model_validator(mode="before")
    @classmethod
    def _limit_class_weights(cls, value: Any) -> Any:
        weights = value.get("class_weight") if isinstance(value, dict) else None
        if isinstance(weights, dict) and len(weights) > 100:
            detail = f"At most 100 class weights are allowed; got {len(weights)}."
            flaw = Flaw(detail, "params.class_weight")
            raise PydanticCustomError("class_weight", "too many", {"flaws": (flaw,)})
        return value


class Validation(RequestModel):
    """Validation of the model on held-out rows: either `folds` or `holdout`."""

    folds: Annotated[int, Field(ge=2, le=50), WHOLE] | None = Field(
        None, description="Number of cross-validation folds."
    )
    holdout: Annotated[float, Field(ge=0.01, le=0.9)] | None = Field(
        None, description="Share of the rows to hold out."
    )

    @model_validator(mode="after")
    def _require_one_method(self) -> Self:
        if (self.folds is None) == (self.holdout is None):
            flaw = Flaw("Give exactly one of `folds` and `holdout`.", "validation")
            raise PydanticCustomError("validation", "one of two", {"flaws": (flaw,)})
        return self


class _OrAuto:
    """Allows the string "auto" in place of the parameters in the JSON Schema."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [handler(schema), {"const": AUTO, "type": "string"}]}


class TrainingOptions(RequestModel):
    """Options of a training job, without the data: the query parameter `options` of a table."""

    params: Annotated[EstimatorParams, _OrAuto()] = Field(
        default_factory=lambda: EstimatorParams.model_validate({}),
        description="Parameters of the estimator. `auto` searches for them, like `search: {}`. "
        "Default: the defaults of `EstimatorParams`.",
    )
    search: Search | None = Field(
        None, description="Search for parameters by cross-validation. Default: no search."
    )
    scale: Literal["minmax", "standard", "none"] = Field(
        "minmax",
        description="Scaling of the inputs. `minmax`: to [0, 1], as in the paper. `standard`: to "
        "mean 0 and variance 1. `none`: no scaling.",
    )
    impute: Literal["error", "median"] = Field(
        "error",
        description="Treatment of missing cells. `error`: refuse them. `median`: replace them by "
        "the median of the column; a missing text cell is encoded as zeros.",
    )
    one_hot: bool = Field(
        False,
        description="Whether to encode text columns as one input per distinct value. Without it, "
        "text is refused. Values that are unknown when predicting are encoded as zeros.",
    )
    validation: Validation | None = Field(
        None,
        description="Measure the model on held-out rows. A search is repeated within each fold. "
        "Default: no validation.",
    )

    @model_validator(mode="before")
    @classmethod
    def _search_if_auto(cls, value: Any) -> Any:
        params = value.get("params") if isinstance(value, dict) else None
        if isinstance(params, str) and params != AUTO:
            flaw = Flaw('Expected an object or the string "auto".', "params")
            raise PydanticCustomError("params", "params", {"flaws": (flaw,)})
        if params == AUTO:
            return {**value, "params": {}, "search": value.get("search") or {}}
        return value

    @model_validator(mode="after")
    def _require_disjoint_parameters(self) -> Self:
        grid = None if self.search is None else self.search.grid
        both = set() if grid is None else grid.lists().keys() & self.params.model_fields_set
        if both:
            name = min(both)
            detail = "The parameter is already set in `params`. Remove it there or from the grid."
            flaw = Flaw(detail, f"search.grid.{name}")
            raise PydanticCustomError("search", "fixed", {"flaws": (flaw,)})
        return self

    def stored(self) -> dict[str, Any]:
        """Return the options as stored with a job.

        With a search, `params` contains only the parameters that the client set.
        """
        params = self.params.model_dump(exclude_unset=self.search is not None)
        return {**self.model_dump(exclude={"params"}), "params": params}


class TrainingRequest(TrainingOptions):
    """Training data and options."""

    model: Name = Field(
        "default", description="Name of the model. The training adds a version to it."
    )
    X: Rows
    y: Labels
    feature_names: list[FeatureName] | None = Field(
        None,
        max_length=100_000,
        description="Distinct names of the columns, for rows that are lists. Default: no names.",
    )
    sample_weight: Weights | None = Field(
        None,
        description="One non-negative weight per row. A weight of 2 counts like two equal rows. "
        "Default: 1 for every row.",
    )

    @model_validator(mode="before")
    @classmethod
    def _check_feature_names(cls, value: Any) -> Any:
        """Report only the first invalid name: Pydantic would report each of them."""
        names = value.get("feature_names") if isinstance(value, dict) else None
        if isinstance(names, list):
            for i, name in enumerate(names):
                if not isinstance(name, str) or not 0 < len(name) <= MAX_TEXT:
                    detail = f"A feature name must be a string of 1 to {MAX_TEXT} characters."
                    flaw = Flaw(detail, "feature_names", i)
                    raise PydanticCustomError("names", "bad name", {"flaws": (flaw,)})
        return value

    @model_validator(mode="after")
    def _require_equal_lengths(self) -> Self:
        flaw = None
        n_rows, n_columns = self.X.n_rows, self.X.n_columns
        if len(self.y) != n_rows:
            detail = f"Expected one label per row, in total {n_rows}; got {len(self.y)}."
            flaw = Flaw(detail, "y")
        elif self.sample_weight is not None and len(self.sample_weight) != n_rows:
            n_weights = len(self.sample_weight)
            detail = f"Expected one weight per row, in total {n_rows}; got {n_weights}."
            flaw = Flaw(detail, "sample_weight")
        elif self.feature_names is not None and self.X.names is not None:
            detail = "The rows are objects and name their features. Remove `feature_names`."
            flaw = Flaw(detail, "feature_names")
        elif self.feature_names is not None and len(self.feature_names) != n_columns:
            n_names = len(self.feature_names)
            detail = f"Expected one name per column, in total {n_columns}; got {n_names}."
            flaw = Flaw(detail, "feature_names")
        elif self.feature_names is not None and len(set(self.feature_names)) != n_columns:
            flaw = Flaw("The feature names must be distinct.", "feature_names")
        if flaw is not None:
            raise PydanticCustomError("lengths", "lengths differ", {"flaws": (flaw,)})
        return self

    def options(self) -> TrainingOptions:
        """Return the options without the data."""
        return TrainingOptions.model_construct(
            **{name: getattr(self, name) for name in TrainingOptions.model_fields}
        )
