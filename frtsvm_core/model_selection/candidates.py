"""Group candidate parameter settings by the computations that they share.

A candidate is an estimator with some of its parameters set. Candidates with the same kernel, class
weights, ridge and random seed form a *group*: they share the kernel factor, the spectra of the
class scatter matrices and the projected rows. Inside a group, candidates with the same
regularization form a *block*: they share the matrix of the dual problem. Inside a block, the slack
costs form one regularization path per membership.
"""

from collections.abc import Hashable, Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import Any, cast

from sklearn.base import clone
from sklearn.utils import check_random_state

from frtsvm_core.estimators._base import TwinPlaneClassifier, TwinSettings
from frtsvm_core.estimators._preparation import KernelSettings
from frtsvm_core.solvers.box_qp import SolverOptions

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Candidate:
    """One parameter setting; `number` is its position in the grid."""

    number: int
    params: Params
    settings: TwinSettings
    options: SolverOptions


@dataclass(frozen=True)
class Block:
    """Candidates of a group with the same c1, c2 and solver options."""

    candidates: list[Candidate] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.candidates)


@dataclass(frozen=True)
class Group:
    """Candidates with the same kernel, ridge, random seed and class weights."""

    estimator: TwinPlaneClassifier  # configured as one of the candidates
    kernel: KernelSettings
    bias_ridge: float
    seed: int
    blocks: list[Block]

    @property
    def space(self) -> Hashable:
        """Key of the group; equal keys share all computations that do not depend on the costs."""
        return self.kernel, self.bias_ridge, self.seed, _key(self.estimator.class_weight)

    @property
    def smallest_regularization(self) -> float:
        """The smallest c1 or c2 of all candidates."""
        return min(
            min(candidate.settings.costs.c1, candidate.settings.costs.c2)
            for block in self.blocks
            for candidate in block.candidates
        )

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)


def group_candidates(
    estimator: TwinPlaneClassifier, grid: Iterable[Params], *, seed: int
) -> list[Group]:
    """Group the candidates of a grid, in the order of each group's first candidate.

    Candidates keep their position in the grid as their number. `seed` is used where the estimator
    has random_state=None.
    """
    groups: dict[Hashable, Group] = {}
    blocks: dict[Hashable, Block] = {}
    configured_with = _Configurator(estimator)
    for number, params in enumerate(grid):
        configured = configured_with(params)
        settings = configured._settings()
        options = SolverOptions(configured.tol, configured.max_iter, configured.shrinking)
        kernel = _effective(KernelSettings.of(configured))
        group = Group(configured, kernel, settings.bias_ridge, _seed(configured, seed), [])
        space = group.space
        group = groups.setdefault(space, group)
        block_key = (space, settings.costs.c1, settings.costs.c2, options)
        if block_key not in blocks:
            blocks[block_key] = Block()
            group.blocks.append(blocks[block_key])
        blocks[block_key].candidates.append(Candidate(number, params, settings, options))
    return list(groups.values())


def configure(estimator: TwinPlaneClassifier, params: Params) -> TwinPlaneClassifier:
    """Return an unfitted copy of the estimator with these parameters, and validate them."""
    configured: TwinPlaneClassifier = clone(estimator).set_params(**params)
    configured._validate_params()
    return configured


class _Configurator:
    """`configure` for many candidates: clones and validates once per distinct parameter value."""

    def __init__(self, estimator: TwinPlaneClassifier) -> None:
        self._estimator = clone(estimator)
        self._checked: set[Hashable] = set()

    def __call__(self, params: Params) -> TwinPlaneClassifier:
        seen = {(name, type(value), _key(value)) for name, value in params.items()}
        if not seen <= self._checked:
            configure(self._estimator, params)
            self._checked |= seen
        configured: TwinPlaneClassifier = copy(self._estimator)
        for name, value in params.items():
            setattr(configured, name, value)
        return configured


def _key(value: Any) -> Hashable:
    """Return a hashable key that is equal for equal values; class weights may be a dictionary."""
    if isinstance(value, dict):
        return tuple(value.items())
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return cast(Hashable, value)


def _effective(kernel: KernelSettings) -> KernelSettings:
    """Drop parameters without effect on this kernel, so that they do not separate groups."""
    if kernel.name == "linear":
        return KernelSettings("linear", 1.0, 1, 0.0)
    return kernel


def _seed(estimator: TwinPlaneClassifier, default: int) -> int:
    """Return the seed that `fit` would draw from the estimator's random_state."""
    if estimator.random_state is None:
        return default
    state = estimator.random_state
    if isinstance(state, Integral):
        return _first_draw(int(state))
    return int(deepcopy(state).randint(2**31 - 1))


@cache
def _first_draw(random_state: int) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))
