"""Schemas of models, versions and aliases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from app.schemas.base import INT64, WHOLE, RequestModel, ResponseModel
from app.schemas.training import EstimatorParams, Validation

Labels = list[str] | list[int] | list[bool]


class ColumnInfo(ResponseModel):
    """A feature as it is sent by the client."""

    name: str | None = Field(description="Name of the feature; `null` if features have no names.")
    kind: Literal["number", "text"] = Field(description="Type of the cells.")
    categories: list[str] | None = Field(
        None, description="Distinct values of a text feature, sorted; `null` for numbers."
    )
    typical: float | str | None = Field(
        None,
        description="Median of a numeric column, or most common value of a text column, in the "
        "training rows. If there are more than 20,000 rows, it is computed from an evenly spaced "
        "sample of 20,000. `null` if all cells are missing, or for versions of earlier releases.",
    )
    range: list[float] | None = Field(
        None,
        description="Smallest and largest number in the rows from which `typical` is computed; "
        "`null` for text columns, and where `typical` is `null`.",
    )


class PlaneCertificate(ResponseModel):
    """Certificate of optimality of one plane: the duality gap bounds the error of its objective."""

    own_class: str | int | bool = Field(description="Class to which the plane is close.")
    other_class: str | int | bool | None = Field(
        description="Opposite class; `null` for all other classes together."
    )
    primal: float = Field(description="Value of the primal objective.")
    dual: float = Field(description="Value of the dual objective.")
    gap: float = Field(
        description="Duality gap: primal minus dual. The objective exceeds the optimum by at most "
        "this value."
    )
    relative_gap: float = Field(description="Duality gap relative to the objective.")
    kkt_violation: float = Field(
        description="Largest violation of the Karush-Kuhn-Tucker (optimality) conditions."
    )
    n_sweeps: int = Field(description="Number of sweeps of the solver.")
    converged: bool = Field(description="Whether the solver reached its tolerance `tol`.")


class Certificate(ResponseModel):
    """Certificates of optimality of all planes."""

    converged: bool = Field(description="Whether the solver converged for every plane.")
    relative_gap: float = Field(description="Largest relative duality gap of all planes.")
    planes: list[PlaneCertificate] = Field(description="Certificate of each plane.")


class PlaneConvergence(ResponseModel):
    """Convergence of the solver for one plane, recorded at up to 200 of its sweeps.

    Newton steps on the active set may follow the last sweep. The certificate describes the plane
    after them.
    """

    plane: int = Field(description="Position of the plane in the list of certificates.")
    sweeps: list[int] = Field(description="Numbers of the sweeps after which values were recorded.")
    violations: list[float] = Field(
        description="Largest minus smallest projected gradient of each of these sweeps."
    )
    gaps: list[float] | None = Field(
        None,
        description="Relative duality gap after each of these sweeps; `null` for versions of an "
        "earlier release.",
    )


class MembershipSummary(ResponseModel):
    """Summary of the fuzzy memberships of the training rows, which lie between 0 and 1."""

    min: float = Field(description="Smallest membership.")
    mean: float = Field(description="Mean membership.")
    median: float = Field(description="Median membership.")
    max: float = Field(description="Largest membership.")
    n_suspected: int = Field(description="Number of rows whose label is suspected to be wrong.")
    histograms: list[list[int]] | None = Field(
        None,
        description="For each class, the number of rows in each of 20 equal bins from 0 to 1; "
        "`null` for versions of an earlier release.",
    )


class Scores(ResponseModel):
    """Scores on held-out rows."""

    accuracy: float = Field(description="Share of rows that are classified correctly.")
    balanced_accuracy: float = Field(description="Mean of the recall of each class.")
    f1: float = Field(description="F1 score, averaged over the classes without weights.")
    confusion_matrix: list[list[int]] = Field(
        description="Number of rows by true class (row) and predicted class (column), in the order "
        "of `classes`."
    )


class FoldScores(Scores):
    """Scores on one fold."""

    n_train: int = Field(description="Number of training rows.")
    n_test: int = Field(description="Number of held-out rows.")


class ValidationScores(Scores):
    """Scores averaged over the folds; the confusion matrix is the sum over the folds.

    With a search, each fold repeats the search on its own training rows.
    """

    method: Validation = Field(description="Method of validation, as requested.")
    folds: list[FoldScores] = Field(description="Scores on each fold.")


class KernelInfo(ResponseModel):
    """Kernel of a model and its factorization."""

    name: str = Field(description="Kernel function.")
    gamma: float | None = Field(
        description="Kernel coefficient that was used; `null` for the linear kernel."
    )
    rank: int = Field(description="Rank of the factorization.")
    residual: float = Field(
        description="Share of the kernel's trace that the factorization leaves out; 0 if it is "
        "exact."
    )


class Configuration(ResponseModel):
    """A configuration that a search has tried."""

    number: int = Field(description="Position in the order of the search, counted from 0.")
    params: dict[str, Any] = Field(description="Parameters of the configuration.")
    mean: float | None = Field(
        description="Mean score over the folds; `null` if the fit failed on a fold."
    )
    std: float | None = Field(
        description="Standard deviation of the score over the folds; `null` if a fit failed."
    )
    rank: int = Field(description="Rank by mean score; 1 is the best, equal means share a rank.")
    scores: list[float | None] = Field(description="Score on each fold; `null` if the fit failed.")
    fit_seconds: float = Field(
        description="Mean time per fold in seconds. Work shared by several configurations is "
        "divided equally among them."
    )
    stage: int = Field(description="Stage of the plan `auto`, from 0; 0 for the plan `grid`.")
    n_rows: int = Field(
        description="Number of rows on which the configuration was tried. The plan `auto` starts "
        "with a sample of the rows."
    )


class SearchInfo(ResponseModel):
    """The parameter search that led to a version."""

    plan: Literal["auto", "grid"] = Field(description="Plan of the search.")
    grid: dict[str, list[Any]] | None = Field(
        description="Values that were tried; `null` for the plan `auto`."
    )
    fixed: dict[str, Any] = Field(description="Parameters that the client set in `params`.")
    folds: int = Field(description="Number of cross-validation folds.")
    scoring: str = Field(description="Score that was maximized.")
    seed: int = Field(description="Seed of the folds and samples.")
    time_budget: float | None = Field(description="Time budget in seconds.")
    seconds: float = Field(description="Time of the search in seconds.")
    n_configurations: int = Field(description="Number of configurations tried.")
    n_planned: int = Field(description="Number of configurations planned.")
    stopped_early: Literal["time_budget", "requested"] | None = Field(
        description="Why the search stopped early: the time budget was used up, or a client "
        "requested it. `null` if it was completed."
    )
    best_params: dict[str, Any] = Field(
        description="Best parameters as tried in the search. With the plan `auto`, `params` of the "
        "version can have another rank, and another c1 if the search used a sample of the rows."
    )
    best_score: float = Field(description="Mean score of the best parameters over the folds.")
    best_std: float = Field(description="Standard deviation of that score over the folds.")
    best_number: int = Field(description="Number of the best configuration.")
    best: list[Configuration] = Field(
        description="The ten configurations with the best mean scores. GET .../search returns all "
        "of them. The plan `auto` also takes the scores of neighboring configurations into "
        "account, so its choice need not be the first one."
    )


class PairDecision(ResponseModel):
    """Decision between two classes by the sign of a·d0 - b·d1 + offset.

    d0 and d1 are the distances to the planes of the two classes. A positive value means the second
    class.
    """

    classes: Labels = Field(description="The two classes.")
    weights: list[float] = Field(
        description="Distance weights a and b of the two planes. They add up to 2."
    )
    offset: float = Field(description="Constant term of the decision.")


class DecisionInfo(ResponseModel):
    """Distance weights of the decision, fitted on validation rows of the search."""

    pairs: list[PairDecision] = Field(description="Decision for each pair of classes.")
    held_out_accuracy: float = Field(
        description="Accuracy with the weights, on rows that were not used to fit them. The rows "
        "are weighted by `class_weight` if it is set; otherwise, if the scoring of the search is "
        "`balanced_accuracy`, all classes have the same total weight."
    )
    nearest_plane_accuracy: float = Field(
        description="Accuracy on the same rows if the nearer plane decides."
    )


class ReliabilityBin(ResponseModel):
    """Held-out rows whose predicted probability lies in [lower, upper); the last bin has 1 too."""

    lower: float = Field(description="Lower bound of the bin.")
    upper: float = Field(description="Upper bound of the bin.")
    weight: float = Field(description="Total weight of the rows in the bin.")
    predicted: float | None = Field(
        description="Mean predicted probability; `null` if the bin is empty."
    )
    observed: float | None = Field(
        description="Share of rows for which the prediction was true; `null` if the bin is empty."
    )


class ProbabilityInfo(ResponseModel):
    """Calibration of probabilities, measured on rows that were not used to fit it.

    The reliability bins refer to the probability of `classes[1]` for two classes, and to that of
    the most probable class for more classes.
    """

    method: Literal["sigmoid", "isotonic"] = Field(description="Method of calibration.")
    brier: float = Field(
        description="Brier score: mean squared error of the probability of `classes[1]`, or, for "
        "more than two classes, of all probabilities summed over the classes."
    )
    calibration_error: float = Field(
        description="Expected calibration error: mean over the bins of the absolute difference "
        "between predicted and observed frequency, weighted by the weight of each bin."
    )
    reliability: list[ReliabilityBin] = Field(description="Bins of the reliability diagram.")


class ArtifactInfo(ResponseModel):
    """File with which a version predicts. The memberships are stored in a second file."""

    format: int = Field(description="Version of the file format.")
    sha256: str = Field(description="SHA-256 digest of the file in hexadecimal.")
    bytes: int = Field(description="Size of the file in bytes.")


class VersionInfo(ResponseModel):
    """A trained version of a model."""

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Version number.")
    status: Literal["ready", "damaged"] = Field(
        description="`ready`, or `damaged` if a file of the version is missing or its size has "
        "changed."
    )
    aliases: list[str] = Field(description="Aliases that point at the version.")
    created_at: str = Field(description="Time when the version was stored (ISO 8601, UTC).")
    job: str = Field(description="Id of the job that trained the version.")
    classes: Labels = Field(description="Class labels, sorted.")
    class_counts: list[int] = Field(description="Number of training rows of each class.")
    n_rows: int = Field(description="Number of training rows.")
    n_features: int = Field(description="Number of features as sent by the client.")
    feature_names: list[str] | None = Field(
        description="Names of the features; `null` if features have no names."
    )
    columns: list[ColumnInfo] = Field(description="The features, in training order.")
    n_inputs: int = Field(description="Number of inputs of the model, after one-hot encoding.")
    params: EstimatorParams = Field(description="Parameters of the estimator.")
    scale: str = Field(description="Scaling of the inputs.")
    impute: str = Field(description="Treatment of missing cells.")
    one_hot: bool = Field(description="Whether text columns are one-hot encoded.")
    kernel: KernelInfo = Field(description="Kernel and its factorization.")
    certificate: Certificate = Field(description="Certificate of optimality.")
    convergence: list[PlaneConvergence] | None = Field(
        None,
        description="Convergence of the solver for each plane; `null` for versions of an earlier "
        "release.",
    )
    memberships: MembershipSummary = Field(description="Summary of the memberships.")
    suspected_rows: list[int] = Field(
        description="Training rows whose label is suspected to be wrong, lowest membership first, "
        "at most 100. GET .../memberships returns all of them."
    )
    training_accuracy: float = Field(description="Accuracy on the training rows.")
    validation: ValidationScores | None = Field(
        description="Scores on held-out rows; `null` without a validation."
    )
    search: SearchInfo | None = Field(
        None, description="Parameter search; `null` without a search."
    )
    decision: DecisionInfo | None = Field(
        None, description="Distance weights of the decision; `null` if the nearer plane decides."
    )
    probability: ProbabilityInfo | None = Field(
        None, description="Calibration of probabilities; `null` if the version has none."
    )
    timings: dict[str, float] = Field(description="Time of each step of the training in seconds.")
    artifact: ArtifactInfo = Field(description="File with which the version predicts.")
    libraries: dict[str, str] = Field(description="Versions of the libraries used for training.")


class VersionSummary(ResponseModel):
    """Summary of a version."""

    version: int = Field(description="Version number.")
    created_at: str = Field(description="Time when the version was stored (ISO 8601, UTC).")
    kernel: str = Field(description="Kernel function.")
    n_rows: int = Field(description="Number of training rows.")
    n_features: int = Field(description="Number of features.")
    classes: Labels = Field(description="Class labels, sorted.")
    training_accuracy: float = Field(description="Accuracy on the training rows.")
    validation_accuracy: float | None = Field(
        description="Accuracy on held-out rows; `null` without a validation."
    )
    aliases: list[str] = Field(description="Aliases that point at the version.")


class ModelInfo(ResponseModel):
    """A model: its aliases and a page of its versions."""

    model: str = Field(description="Name of the model.")
    latest: int = Field(description="Number of the newest version.")
    serving: int = Field(
        description="Number of the version that serves requests that name neither a version nor an "
        "alias."
    )
    aliases: dict[str, int] = Field(description="Version number of each alias.")
    versions: list[VersionSummary] = Field(description="Versions of this page, newest first.")
    n_versions: int = Field(description="Number of versions on all pages.")
    limit: int = Field(description="Largest number of versions on a page, as requested.")
    offset: int = Field(description="Number of versions before this page, as requested.")


class ModelSummary(ResponseModel):
    """Summary of a model."""

    model: str = Field(description="Name of the model.")
    latest: int = Field(description="Number of the newest version.")
    n_versions: int = Field(description="Number of versions.")
    aliases: dict[str, int] = Field(description="Version number of each alias.")


class ModelPage(ResponseModel):
    """A page of models, sorted by name."""

    items: list[ModelSummary] = Field(description="The models of this page.")
    total: int = Field(description="Number of models on all pages.")
    limit: int = Field(description="Largest number of items on a page, as requested.")
    offset: int = Field(description="Number of items before this page, as requested.")


class AliasRequest(RequestModel):
    """New target of an alias."""

    version: Annotated[
        int, Field(ge=1, le=INT64, description="Number of the version to point at."), WHOLE
    ]


class AliasInfo(ResponseModel):
    """Target of an alias."""

    model: str = Field(description="Name of the model.")
    alias: str = Field(description="Name of the alias.")
    version: int = Field(description="Number of the version at which the alias points.")
    previous: int | None = Field(
        description="Number of the version at which it pointed before; `null` if there is none."
    )


class Plane(ResponseModel):
    """A fitted hyperplane f(x) = 0 in the space of scaled and encoded inputs.

    For the linear kernel, f(x) = coef · x + intercept. For other kernels, f(x) = sum over j of
    dual_coef[j] k(x, landmarks[j]) + intercept. The distance of a row to the plane is |f(x)| /
    norm.
    """

    own_class: str | int | bool = Field(description="Class to which the plane is close.")
    other_class: str | int | bool | None = Field(
        description="Opposite class; `null` for all other classes together."
    )
    coef: list[float] | None = Field(
        description="Coefficient of each input; `null` for other kernels than the linear one."
    )
    dual_coef: list[float] | None = Field(
        description="Coefficient of each landmark on this page; `null` for the linear kernel."
    )
    intercept: float = Field(description="Constant term.")
    norm: float = Field(description="Norm that turns |f(x)| into a distance.")


class Scaling(ResponseModel):
    """Scaling of the inputs: x_scaled = (x - offset) * factor."""

    inputs: list[str] = Field(description="Names of the inputs after encoding.")
    offset: list[float] = Field(description="Offset of each input.")
    factor: list[float] = Field(description="Factor of each input.")


class PlanesInfo(ResponseModel):
    """All planes of a version, with a page of the landmarks and their coefficients."""

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Version number.")
    kernel: KernelInfo = Field(description="Kernel and its factorization.")
    scaling: Scaling = Field(description="Scaling of the inputs.")
    planes: list[Plane] = Field(description="The planes.")
    landmarks: list[list[float]] | None = Field(
        description="Landmarks of this page, as scaled inputs; `null` for the linear kernel."
    )
    n_landmarks: int = Field(description="Number of landmarks on all pages.")
    limit: int = Field(description="Largest number of landmarks on a page, as requested.")
    offset: int = Field(description="Number of landmarks before this page, as requested.")


class RowMembership(ResponseModel):
    """A training row with its membership."""

    row: int = Field(description="Position among the training rows, counted from 0.")
    label: str | int | bool = Field(description="Label in the training data.")
    predicted: str | int | bool = Field(description="Label predicted by the model.")
    unseen: str | int | bool | None = Field(
        None,
        description="Label predicted by the validation fold that held the row out; `null` if the "
        "row was not held out.",
    )
    membership: float = Field(
        description="Fuzzy membership from 0 to 1. A low value marks a row that looks like noise."
    )
    suspected: bool = Field(description="Whether the label is suspected to be wrong.")
    distances: list[float] | None = Field(
        description="Distance to the plane of each class; `null` for one-vs-one models of more "
        "than two classes."
    )


class MembershipPage(ResponseModel):
    """A page of the training rows of a version."""

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Version number.")
    items: list[RowMembership] = Field(description="The training rows of this page.")
    total: int = Field(description="Number of rows on all pages.")
    limit: int = Field(description="Largest number of items on a page, as requested.")
    offset: int = Field(description="Number of items before this page, as requested.")


class SearchPage(ResponseModel):
    """A page of the configurations of a search."""

    model: str = Field(description="Name of the model.")
    version: int = Field(description="Version number.")
    scoring: str = Field(description="Score that was maximized.")
    items: list[Configuration] = Field(description="The configurations of this page.")
    total: int = Field(description="Number of configurations on all pages.")
    limit: int = Field(description="Largest number of items on a page, as requested.")
    offset: int = Field(description="Number of items before this page, as requested.")


#: The stored part of `VersionInfo`, which does not change after training.
StoredInfo = dict[str, Any]
