"""Out-of-fold distances, from which decision rules and probabilities are learned.

The out-of-fold distance of a row is its distance to planes that were fitted without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from frtsvm_core.model_selection.calibration import Calibration
from frtsvm_core.model_selection.calibration_fitting import fit_calibration
from frtsvm_core.model_selection.candidates import Group
from frtsvm_core.model_selection.distance_weights import (
    LearnedBalance,
    fit_distance_weights,
    learn_distance_weights,
)
from frtsvm_core.model_selection.fold import CandidateDistances, Fold, Rows
from frtsvm_core.twin.decision import class_scores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class IncompleteFold(ValueError):
    """The training rows of a fold lack a class."""


@dataclass(frozen=True)
class OutOfFold:
    """Out-of-fold distances of one candidate, fold by fold."""

    distances: FloatArray  # one column per plane
    plane_classes: IntArray
    codes: IntArray  # class numbers
    fold: IntArray  # number of the fold that held the row out
    weight: FloatArray | None

    def balance(self, importance: FloatArray) -> LearnedBalance | None:
        """Learn distance weights; `importance` is the weight of each class."""
        weight = self._weight(importance)
        return fit_distance_weights(
            self.distances, self.plane_classes, self.codes, self.fold, weight
        )

    def calibration(self, method: str, balanced_by: FloatArray | None = None) -> Calibration:
        """Calibrate the scores.

        With `balanced_by`, the weight of each class for `balance`, the scores are those of the
        weighted distances. The weights are then learned again for every fold that is left out.
        """

        def scores(known: NDArray[np.bool_]) -> FloatArray:
            balance = None
            if balanced_by is not None:
                weight = self._weight(balanced_by)[known]
                balance = learn_distance_weights(
                    self.distances[known], self.plane_classes, self.codes[known], weight
                )
            return class_scores(self.distances, self.plane_classes, balance)

        return fit_calibration(
            scores, self.codes, self.fold, method=method, sample_weight=self.weight
        )

    def _weight(self, importance: FloatArray) -> FloatArray:
        """Row weights with mean 1, so that the ridge penalty relates to the number of rows."""
        weight: FloatArray = importance[self.codes]
        if self.weight is not None:
            weight = weight * self.weight
        relative: FloatArray = weight / weight.mean()
        return relative


def out_of_fold(
    groups: Sequence[Group], rows: Rows, folds: Sequence[Fold], *, n_jobs: int | None
) -> OutOfFold:
    """Fit the only candidate of `groups` on each fold, and return its out-of-fold distances."""
    (group,) = groups
    (block,) = group.blocks
    classes, codes = np.unique(rows.labels, return_inverse=True)

    def evaluate(fold: Fold) -> CandidateDistances:
        problem = fold.problem(rows, group)
        if problem.classes.size < classes.size:
            missing = np.setdiff1d(classes, problem.classes)
            raise IncompleteFold(
                f"A training fold has no row of class {missing.tolist()[0]!r}, so the planes of "
                "this class cannot be fitted. Use stratified folds, or more rows of this class."
            )
        (found,) = problem.distances(block)
        return found

    evaluated = Parallel(n_jobs, require="sharedmem")(delayed(evaluate)(fold) for fold in folds)
    index = np.concatenate([fold.validation for fold in folds])
    return OutOfFold(
        np.concatenate([one.distances for one in evaluated]),
        evaluated[0].plane_classes,
        codes[index],
        np.repeat(np.arange(len(folds)), [fold.validation.size for fold in folds]),
        None if rows.weight is None else rows.weight[index],
    )
