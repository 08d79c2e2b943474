"""Distances of rows to planes that were fitted without them: what decisions are learned from."""

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
from frtsvm_core.model_selection.fold import Decided, Fold, Rows
from frtsvm_core.twin.decision import class_scores

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class IncompleteFold(ValueError):
    """A fold trains on rows of some classes only."""


@dataclass(frozen=True)
class OutOfFold:
    """One candidate on the rows that its folds hold out, fold after fold."""

    distances: FloatArray  # one column per plane
    plane_classes: IntArray
    codes: IntArray  # class numbers
    fold: IntArray  # number of the fold that held a row out
    weight: FloatArray | None

    def balance(self, importance: FloatArray) -> LearnedBalance | None:
        """Learn how much each distance should count; `importance` is that of each class."""
        weight = self._weight(importance)
        return fit_distance_weights(
            self.distances, self.plane_classes, self.codes, self.fold, weight
        )

    def calibration(self, method: str, balanced_by: FloatArray | None = None) -> Calibration:
        """Calibrate the scores; with `balanced_by`, the importance of each class for the balance,
        those of a balance which is learned anew wherever a fold is left out."""

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
        """One on the mean: it is the number of rows that says how much is known."""
        weight: FloatArray = importance[self.codes]
        if self.weight is not None:
            weight = weight * self.weight
        relative: FloatArray = weight / weight.mean()
        return relative


def out_of_fold(
    groups: Sequence[Group], rows: Rows, folds: Sequence[Fold], *, n_jobs: int | None
) -> OutOfFold:
    """The only candidate of `groups`, fitted on each fold."""
    (group,) = groups
    (block,) = group.blocks
    classes, codes = np.unique(rows.labels, return_inverse=True)

    def decide(fold: Fold) -> Decided:
        problem = fold.problem(rows, group)
        if problem.classes.size < classes.size:
            missing = np.setdiff1d(classes, problem.classes)
            raise IncompleteFold(
                f"a training fold has no row of class {missing.tolist()[0]!r}, so there is nothing to "
                f"learn from the rows that it holds out; use fewer folds or more rows of it"
            )
        (decided,) = problem.decide(block)
        return decided

    decided = Parallel(n_jobs, require="sharedmem")(delayed(decide)(fold) for fold in folds)
    index = np.concatenate([fold.validation for fold in folds])
    return OutOfFold(
        np.concatenate([one.distances for one in decided]),
        decided[0].plane_classes,
        codes[index],
        np.repeat(np.arange(len(folds)), [fold.validation.size for fold in folds]),
        None if rows.weight is None else rows.weight[index],
    )
