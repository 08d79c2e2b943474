"""The twin SVM of Jayadeva, Khemchandani & Chandra (2007), as the paper compares with it."""

from numbers import Real
from typing import Any, ClassVar, Self

from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from frtsvm_core.estimators._base import TwinPlaneClassifier, TwinSettings
from frtsvm_core.twin.problem import Costs, ProgressCallback

_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class TSVMClassifier(TwinPlaneClassifier):
    """Two non-parallel planes without memberships and without a margin term.

    Solved as the same problem as FR-TSVM with all memberships 1; the ridge that makes (H'H + ridge I)
    invertible takes the place of the margin term, and includes the bias.

    Parameters
    ----------
    c1, c2 : float, default=1.0, None
        Cost of slack for the planes of `classes_[1]` and `classes_[0]`; c2=None means c1.
    ridge : float, default=0.01
        The paper's lambda.

    All other parameters and the fitted attributes are those of `FRTSVMClassifier`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TwinPlaneClassifier._parameter_constraints,
        "c1": [_POSITIVE],
        "c2": [_POSITIVE, None],
        "ridge": [_POSITIVE],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        c1: float = 1.0,
        c2: float | None = None,
        ridge: float = 0.01,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        rank: int | str | None = "auto",
        kernel_tol: float = 1e-6,
        tol: float = 1e-3,
        max_iter: int = 1000,
        shrinking: bool = True,
        multi_class: str = "ovo",
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.c1 = c1
        self.c2 = c2
        self.ridge = ridge
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank = rank
        self.kernel_tol = kernel_tol
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: ProgressCallback | None = None
    ) -> Self:
        """Fit the planes. `callback` is called with a `Progress` at every sweep."""
        return self._fit(X, y, sample_weight, callback)

    def _settings(self) -> TwinSettings:
        c2 = self.c1 if self.c2 is None else self.c2
        costs = Costs(c1=self.ridge, c2=self.ridge, c3=self.c1, c4=c2)
        return TwinSettings(costs, self.multi_class, bias_ridge=self.ridge)
