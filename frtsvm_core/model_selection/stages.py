"""Stages of search="auto", and the choice of the best point over all stages."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtsvm_core.model_selection.evaluation import Evaluator
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.ranking import ranking
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.space import Point


@dataclass
class Stage:
    """Points that are evaluated on the same rows and folds."""

    rows: Rows
    folds: list[Fold]
    points: list[Point]
    evaluator: Evaluator
    # Whether it evaluates the best points again, on fresh folds.
    repeats: bool = False
    # Whether it evaluates one point with other memberships and mu, on the folds of another stage.
    varies_membership: bool = False
    seconds: float = 0.0

    def tried(self) -> list[tuple[Point, Evaluation]]:
        """Return the points with a complete evaluation."""
        found = self.evaluator.evaluations
        return [(self.points[number], found[number]) for number in sorted(found)]

    @property
    def complete(self) -> bool:
        """Whether all points were evaluated."""
        return len(self.evaluator.evaluations) == len(self.points)

    @property
    def explores(self) -> bool:
        """Whether it evaluates new points, rather than points that were found before."""
        return not (self.repeats or self.varies_membership)

    @property
    def n_rows(self) -> int:
        return self.rows.labels.size


def pool(stages: Sequence[Stage]) -> list[tuple[Point, Evaluation]]:
    """Return the evaluations that can be compared with each other.

    These are the evaluations on the rows of the last stage. If too few points were evaluated on
    them (less than half the points of the first stage on these rows), the stages before are used.
    """
    same = [stage for stage in stages if stage.n_rows == stages[-1].n_rows]
    tried = [pair for stage in same if stage.explores for pair in stage.tried()]
    if len(same) < len(stages) and 2 * len(tried) < len(same[0].points):
        return pool(stages[: -len(same)])
    return tried


def winner(stages: Sequence[Stage]) -> Point:
    """Return the best point.

    If points were evaluated again on fresh folds, the choice is among these, by all their scores.
    """
    found = pool(stages)
    again = [dict(stage.tried()) for stage in stages if stage.repeats and stage.complete]
    if again:
        found = [
            (point, _pooled([evaluation, *(stage[point] for stage in again)]))
            for point, evaluation in found
            if point in again[0]
        ]
    best = ranking(found)[0]
    return _with_best_membership(best, [s for s in stages if s.varies_membership and s.complete])


def _with_best_membership(best: Point, stages: Sequence[Stage]) -> Point:
    """Return the point with another membership or mu if that is better on the same folds."""
    if not stages:
        return best
    tried = [dict(stage.tried()) for stage in stages]
    scores = {point: np.mean([stage[point].mean for stage in tried]) for point in tried[0]}
    better = [point for point, score in scores.items() if score > scores[best]]
    return max(better, key=scores.__getitem__, default=best)


def _pooled(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Combine the evaluations of one candidate on several sets of folds."""
    return Evaluation(
        evaluations[0].params,
        np.concatenate([one.scores for one in evaluations]),
        np.concatenate([one.fit_times for one in evaluations]),
        np.concatenate([one.score_times for one in evaluations]),
    )
