"""The stages of an automatic search, and what they say together."""

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
    """Points tried on the same rows and folds."""

    rows: Rows
    folds: list[Fold]
    points: list[Point]
    evaluator: Evaluator
    # On folds of its own, to try points again that did well on the others.
    repeats: bool = False
    # The best point with other memberships and mu, on the folds of another stage.
    varies_trust: bool = False
    seconds: float = 0.0

    def tried(self) -> list[tuple[Point, Evaluation]]:
        found = self.evaluator.evaluations
        return [(self.points[number], found[number]) for number in sorted(found)]

    @property
    def complete(self) -> bool:
        return len(self.evaluator.evaluations) == len(self.points)

    @property
    def seeks(self) -> bool:
        """Whether it looks for points; others look closer at what was found."""
        return not (self.repeats or self.varies_trust)

    @property
    def n_rows(self) -> int:
        return self.rows.labels.size


def pool(stages: Sequence[Stage]) -> list[tuple[Point, Evaluation]]:
    """The evaluations that can be compared: those on the rows of the last stage, if it came far."""
    same = [stage for stage in stages if stage.n_rows == stages[-1].n_rows]
    tried = [pair for stage in same if stage.seeks for pair in stage.tried()]
    if len(same) < len(stages) and 2 * len(tried) < len(same[0].points):
        return pool(stages[: -len(same)])
    return tried


def winner(stages: Sequence[Stage]) -> Point:
    """The best point; of those that were tried again where there are any, by all their scores."""
    found = pool(stages)
    again = [dict(stage.tried()) for stage in stages if stage.repeats and stage.complete]
    if again:
        found = [
            (point, _together([evaluation, *(stage[point] for stage in again)]))
            for point, evaluation in found
            if point in again[0]
        ]
    best = ranking(found)[0]
    return _more_trusted(best, [s for s in stages if s.varies_trust and s.complete])


def _more_trusted(best: Point, stages: Sequence[Stage]) -> Point:
    """The same point with another membership or mu, if that is better on the same folds."""
    if not stages:
        return best
    tried = [dict(stage.tried()) for stage in stages]
    scores = {point: np.mean([stage[point].mean for stage in tried]) for point in tried[0]}
    better = [point for point, score in scores.items() if score > scores[best]]
    return max(better, key=scores.__getitem__, default=best)


def _together(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One candidate on several sets of folds."""
    return Evaluation(
        evaluations[0].params,
        np.concatenate([one.scores for one in evaluations]),
        np.concatenate([one.fit_times for one in evaluations]),
        np.concatenate([one.score_times for one in evaluations]),
    )
