"""What is known about a trained version."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from app.schemas.base import INT64, WHOLE, RequestModel, ResponseModel
from app.schemas.training import EstimatorParams, Validation

Labels = list[str] | list[int] | list[bool]


class ColumnInfo(ResponseModel):
    """One feature as it is sent."""

    name: str | None
    kind: Literal["number", "text"]
    categories: list[str] | None = None
    typical: float | str | None = None
    """The median of the training rows, or their commonest word; where there are more than 20,000 rows,
    of that many, evenly spread. None where all cells are missing, and for versions of an earlier
    release."""
    range: list[float] | None = None
    """Smallest and largest number of the same rows."""


class PlaneCertificate(ResponseModel):
    """Proof of how near one plane is to its optimum: primal - dual bounds the distance."""

    own_class: str | int | bool
    other_class: str | int | bool | None
    """None: all other classes."""
    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    n_sweeps: int
    converged: bool


class Certificate(ResponseModel):
    """The planes together."""

    converged: bool
    relative_gap: float
    """The largest of all planes."""
    planes: list[PlaneCertificate]


class PlaneConvergence(ResponseModel):
    """How one plane came to its optimum: the sweeps after which the gap was taken, at most some
    hundred. An exact step may follow; the certificate holds after it."""

    plane: int
    sweeps: list[int]
    violations: list[float]
    """Largest violation of the optimality conditions in each of these sweeps."""
    gaps: list[float] | None = None
    """Relative duality gap after each of them; None for versions of an earlier release."""


class MembershipSummary(ResponseModel):
    """The fuzzy memberships of the training rows."""

    min: float
    mean: float
    median: float
    max: float
    n_suspected: int
    histograms: list[list[int]] | None = None
    """Rows of each class in equal bins from 0 to 1; None for versions of an earlier release."""


class Scores(ResponseModel):
    """Measures on rows that the model has not seen."""

    accuracy: float
    balanced_accuracy: float
    f1: float
    """Mean over the classes."""
    confusion_matrix: list[list[int]]
    """Rows: true class, columns: predicted class, in the order of `classes`."""


class FoldScores(Scores):
    """One fold."""

    n_train: int
    n_test: int


class ValidationScores(Scores):
    """Means over the folds; the confusion matrix is their sum. With a search, every fold has
    searched anew on its own training rows."""

    method: Validation
    folds: list[FoldScores]


class KernelInfo(ResponseModel):
    """How the kernel is represented."""

    name: str
    gamma: float | None
    rank: int
    residual: float
    """Share of the kernel's trace left out; 0 is exact."""


class Configuration(ResponseModel):
    """One configuration that a search has tried."""

    number: int
    """In the order of the plan, from 0."""
    params: dict[str, Any]
    mean: float | None
    """Over the folds; null where it could not be fitted on some fold."""
    std: float | None
    rank: int
    """1 is the best; equal means share a rank."""
    scores: list[float | None]
    """Fold by fold."""
    fit_seconds: float
    """Mean over the folds; what configurations share is counted in equal parts."""
    stage: int
    n_rows: int
    """Rows it was tried on: the plan `auto` begins with a sample."""


class SearchInfo(ResponseModel):
    """The parameter search behind a version."""

    plan: Literal["auto", "grid"]
    grid: dict[str, list[Any]] | None
    fixed: dict[str, Any]
    """Parameters that the caller had set."""
    folds: int
    scoring: str
    seed: int
    time_budget: float | None
    seconds: float
    n_configurations: int
    n_planned: int
    stopped_early: Literal["time_budget", "requested"] | None
    best_params: dict[str, Any]
    """As tried. `params` of the version are for all rows: c1 and the rank grow with them."""
    best_score: float
    best_std: float
    best_number: int
    best: list[Configuration]
    """The ten best by mean score; all are at /search. The plan `auto` chooses by the scores of
    neighbouring configurations too."""


class PairDecision(ResponseModel):
    """Two planes: a d0 - b d1 + offset decides, positive for the second class."""

    classes: Labels
    weights: list[float]
    """a and b: how much the distance to the plane of each counts. They add up to 2."""
    offset: float


class DecisionInfo(ResponseModel):
    """What the search has learned about decisions, from rows that the planes had not seen."""

    pairs: list[PairDecision]
    """One for two classes, one for each pair of more."""
    held_out_accuracy: float
    """On folds that had no part in the weights; classes count as in the search."""
    nearest_plane_accuracy: float
    """What the nearer plane would have reached on the same rows."""


class ReliabilityBin(ResponseModel):
    """Held-out rows whose probability lay in [lower, upper)."""

    lower: float
    upper: float
    weight: float
    predicted: float | None
    """Their mean probability."""
    observed: float | None
    """The share for which it came true."""


class ProbabilityInfo(ResponseModel):
    """How probabilities are made, and how good they were for rows that did not shape them.

    Two classes: the probability of `classes[1]`; more: that of the likeliest class.
    """

    method: Literal["sigmoid", "isotonic"]
    brier: float
    calibration_error: float
    reliability: list[ReliabilityBin]


class ArtifactInfo(ResponseModel):
    """The file on disk."""

    format: int
    sha256: str
    bytes: int


class VersionInfo(ResponseModel):
    """One version."""

    model: str
    version: int
    status: Literal["ready", "damaged"]
    aliases: list[str]
    created_at: str
    job: str
    classes: Labels
    class_counts: list[int]
    n_rows: int
    n_features: int
    feature_names: list[str] | None
    columns: list[ColumnInfo]
    n_inputs: int
    """Columns after encoding."""
    params: EstimatorParams
    scale: str
    impute: str
    one_hot: bool
    kernel: KernelInfo
    certificate: Certificate
    convergence: list[PlaneConvergence] | None = None
    """None for versions of an earlier release."""
    memberships: MembershipSummary
    suspected_rows: list[int]
    """Rows whose label looks wrong, lowest membership first; at most 100, all at /memberships."""
    training_accuracy: float
    validation: ValidationScores | None
    search: SearchInfo | None = None
    decision: DecisionInfo | None = None
    """None: a row is given the class of the nearer plane."""
    probability: ProbabilityInfo | None = None
    timings: dict[str, float]
    artifact: ArtifactInfo
    libraries: dict[str, str]


class VersionSummary(ResponseModel):
    """One line about a version."""

    version: int
    created_at: str
    kernel: str
    n_rows: int
    n_features: int
    classes: Labels
    training_accuracy: float
    validation_accuracy: float | None
    aliases: list[str]


class ModelInfo(ResponseModel):
    """A model: its versions, newest first, and its aliases."""

    model: str
    latest: int
    serving: int
    """The version that answers when the caller names none."""
    aliases: dict[str, int]
    versions: list[VersionSummary]
    n_versions: int
    limit: int
    offset: int


class ModelSummary(ResponseModel):
    """One line about a model."""

    model: str
    latest: int
    n_versions: int
    aliases: dict[str, int]


class ModelPage(ResponseModel):
    """Some models, by name."""

    items: list[ModelSummary]
    total: int
    limit: int
    offset: int


class AliasRequest(RequestModel):
    """Where an alias shall point."""

    version: Annotated[int, Field(ge=1, le=INT64), WHOLE]


class AliasInfo(ResponseModel):
    """Where an alias points, and pointed before."""

    model: str
    alias: str
    version: int
    previous: int | None


class Plane(ResponseModel):
    """One fitted hyperplane, in the space after scaling and encoding.

    linear: f(x) = coef . x + intercept; kernel: f(x) = sum_j dual_coef_j k(x, landmark_j) +
    intercept. The distance of a row is |f(x)| / norm.
    """

    own_class: str | int | bool
    other_class: str | int | bool | None
    coef: list[float] | None
    dual_coef: list[float] | None
    intercept: float
    norm: float


class Scaling(ResponseModel):
    """x_scaled = (x - offset) * factor, per input."""

    inputs: list[str]
    offset: list[float]
    factor: list[float]


class PlanesInfo(ResponseModel):
    """All planes of a version; landmarks and their coefficients come in pages."""

    model: str
    version: int
    kernel: KernelInfo
    scaling: Scaling
    planes: list[Plane]
    landmarks: list[list[float]] | None
    n_landmarks: int
    limit: int
    offset: int


class RowMembership(ResponseModel):
    """One training row."""

    row: int
    label: str | int | bool
    predicted: str | int | bool
    unseen: str | int | bool | None = None
    """What a model of the validation that has not seen it takes it for; null where there is none."""
    membership: float
    suspected: bool
    distances: list[float] | None


class MembershipPage(ResponseModel):
    """Some training rows of a version."""

    model: str
    version: int
    items: list[RowMembership]
    total: int
    limit: int
    offset: int


class SearchPage(ResponseModel):
    """Some configurations of a search."""

    model: str
    version: int
    scoring: str
    items: list[Configuration]
    total: int
    limit: int
    offset: int


#: The stored part of `VersionInfo`: what is fixed once a version exists.
StoredInfo = dict[str, Any]
