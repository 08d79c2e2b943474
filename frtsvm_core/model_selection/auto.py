"""A search without a grid: from coarse to fine, from few rows to many, within a time budget.

    coarse   every kernel, width and membership on a coarse lattice of costs, on a small sample

Where the data are small it is on all rows, and scores are noisy rather than costly:

    again    the two best kernels or widths on fresh folds, twice, and the choice by all of them
    trust    the chosen one with other memberships and several mu, on the fresh folds

Where they are not:

    fine     the best kernel with neighbouring widths and several mu, and the other kernel and the second
             best membership, on finer costs and more rows
    finest   the finalists, and costs and widths around the best, on as many rows as time allows; and
             on from there in the direction of what is better
    trust    the chosen one with the best membership and several mu, if no stage has varied mu

What makes it cheap is that a candidate costs next to nothing once its kernel is factored
(docs/search.md): the stages are planned around few kernels with many costs each.
"""

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from frtsvm_core.estimators._base import TwinPlaneClassifier
from frtsvm_core.estimators.frtsvm import FRTSVMClassifier
from frtsvm_core.model_selection.candidates import group_candidates
from frtsvm_core.model_selection.evaluation import Evaluator
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.progress import OutOfTime, Reporter, StopSearch
from frtsvm_core.model_selection.ranking import first_of_each, ranking
from frtsvm_core.model_selection.refit import affordable_refit_rank
from frtsvm_core.model_selection.results import Evaluation, Outcome, results_table
from frtsvm_core.model_selection.samples import Samples
from frtsvm_core.model_selection.scoring import Scorer
from frtsvm_core.model_selection.space import Point, Units, lattice
from frtsvm_core.model_selection.stages import Stage, pool, winner

# Rows and kernel rank of the stages. Up to EXACT_ROWS rows it is the estimator's own.
STAGE_ROWS = (600, 2000, 6000)
STAGE_RANK = (100, 200, 400)
EXACT_ROWS = 256
# Up to this many rows, scores are so noisy that the best are tried again on fresh folds.
SMALL_ROWS = 1000

# The paper's |w|^2 is hardly ever better (docs/decisions/0006-penalty-of-the-function.md), so no time
# goes into trying both.
PENALTY = "function"
COARSE_GAMMAS = (-4.0, -2.0, 0.0, 2.0, 4.0)
COARSE_C1 = (-8.0, -4.0, 0.0, 4.0, 8.0)
COARSE_C3 = (-8.0, -4.0, 0.0, 4.0)
COARSE_MEMBERSHIPS = ("center", "none", "neighbors")
COARSE_MU = (0.1,)
# On few rows a third membership is one more chance to be lucky; it gets its turn in the end.
SMALL_MEMBERSHIPS = ("center", "none")
# There, so many kernels or widths are tried again, each on so many other sets of folds.
AGAIN_KERNELS = 2
AGAIN_FOLDS = 2
FINE_STEP = 2.0
FINE_MU = (0.03, 0.1, 0.3)
# Around one point that is all there is to try.
TRUST_MU = (0.01, 0.03, 0.1, 0.3, 1.0)
# How many finalists of the fine stage are tried again on the rows of the finest.
N_FINALISTS = 8
# How often the finest stage goes on from a better point.
MOST_MOVES = 6
# A score from which on there is nothing left to look for: one row in a thousand.
GOOD_ENOUGH = 0.999

# Share of the time budget that the stages may use; the rest is for the refit and the calibration.
SEARCH_SHARE = 0.65
REFIT_SHARE = 0.25


class AutoSearch:
    """Plans and runs the stages."""

    def __init__(
        self,
        base: TwinPlaneClassifier,
        *,
        cv: Any,
        scoring: str | Scorer | None,
        n_jobs: int | None,
        seed: int,
        reporter: Reporter,
        fixed: Collection[str] = (),
    ) -> None:
        if not isinstance(base, FRTSVMClassifier):
            raise ValueError("search='auto' knows the parameters of FRTSVMClassifier only")
        self._base, self._cv, self._scoring, self._n_jobs = base, cv, scoring, n_jobs
        self._seed, self._reporter = seed, reporter
        self._fixed = frozenset(fixed)
        self._deadline = SEARCH_SHARE * reporter.remaining
        self._easy = False  # whether a sample was enough to find what is good enough

    def run(self, rows: Rows, groups: Any) -> Outcome:
        rng = np.random.default_rng(self._seed)
        pairwise = self._base.__sklearn_tags__().input_tags.pairwise
        # A c1 that is held was meant for the penalty that the estimator has.
        held = self._fixed & {"penalty", "c1"}
        penalty = self._base.penalty if held else PENALTY
        self._units = Units.of(rows.prepared(), penalty, rng)
        self._samples = Samples(rows, groups, self._cv, pairwise=pairwise, seed=self._seed, rng=rng)
        stages: list[Stage] = []
        stopped = False
        try:
            self._coarse(stages)
            if self._small:
                self._again(stages)
                self._trust(stages)
            else:
                self._fine(stages)
                # Scores by name are 1 at most; those of a callable may mean anything.
                tried = dict(pool(stages))
                reached = tried[_best_of(tried)].mean
                self._easy = not callable(self._scoring) and reached >= GOOD_ENOUGH
                if not self._easy:
                    self._finest(stages)
                self._trust_after_all(stages)
        except (OutOfTime, StopSearch):
            stages = [stage for stage in stages if stage.evaluator.evaluations]
            if not stages:
                raise
            stopped = True
        return self._outcome(stages, stopped)

    @property
    def _small(self) -> bool:
        return self._samples.n_rows <= SMALL_ROWS

    # --- stages ------------------------------------------------------------------------------

    def _coarse(self, stages: list[Stage]) -> None:
        kernels = [self._base.kernel]
        if isinstance(kernels[0], str) and kernels[0] in ("linear", "rbf"):
            kernels = self._unless_fixed("kernel", ("linear", "rbf"))
        gammas: tuple[float | None, ...] = (None,) if "gamma" in self._fixed else COARSE_GAMMAS
        features: list[tuple[Any, float | None]] = [
            (kernel, gamma)
            for kernel in kernels
            for gamma in (gammas if isinstance(kernel, str) and kernel == "rbf" else (None,))
        ]
        memberships = SMALL_MEMBERSHIPS if self._small else COARSE_MEMBERSHIPS
        trust = [
            (membership, mu)
            for membership in self._unless_fixed("membership", memberships)
            for mu in self._unless_fixed("mu", COARSE_MU)
        ]
        c1 = (None,) if "c1" in self._fixed else COARSE_C1
        c3 = (None,) if "c3" in self._fixed else COARSE_C3
        self._run(stages, 0, lattice(features, c1, c3, trust, self._rank(0)))

    def _unless_fixed(self, name: str, values: Sequence[Any]) -> list[Any]:
        """The values to try for a parameter: its own alone if it is fixed."""
        return [getattr(self._base, name)] if name in self._fixed else list(values)

    def _again(self, stages: list[Stage]) -> None:
        """The best of many noisy scores is partly luck, which does not come twice."""
        found = first_of_each(ranking(pool(stages)), lambda point: point.features)
        best = {point.features for point in found[:AGAIN_KERNELS]}
        points = [point for point in stages[0].points if point.features in best]
        for number in range(1, AGAIN_FOLDS + 1):
            folds = self._samples.fresh_folds(number)
            if folds:
                self._evaluate(stages, self._stage(stages[0].rows, folds, points, repeats=True))

    def _trust(self, stages: list[Stage]) -> None:
        """How far rows that look like noise count; costs and widths hide it on few rows."""
        best = winner(stages)
        compared = {point.membership for point in stages[0].points}
        points = [best]
        if best.membership != "none":
            points += self._with_trust(best, best.membership, TRUST_MU)
        for membership in self._unless_fixed("membership", COARSE_MEMBERSHIPS):
            if membership not in compared:
                points += self._with_trust(best, membership, TRUST_MU)
        again = [stage for stage in stages if stage.repeats] or stages[:1]
        self._compare_trust(stages, again, points)

    def _trust_after_all(self, stages: list[Stage]) -> None:
        """Several mu for the best membership, where the stages before had none to vary mu for."""
        trusting = [p for stage in stages for p in stage.points if p.membership != "none"]
        if len({point.mu for point in trusting}) > 1:
            return
        best = winner(stages)
        memberships = [point.membership for point in (best, *ranking(pool(stages[:1])))]
        for membership in [one for one in memberships if one != "none"][:1]:
            points = [best, *self._with_trust(best, membership, FINE_MU)]
            self._compare_trust(stages, stages[-1:], points)

    def _with_trust(self, point: Point, membership: str, mus: Sequence[float]) -> list[Point]:
        return [
            replace(point, membership=membership, mu=mu) for mu in self._unless_fixed("mu", mus)
        ]

    def _compare_trust(
        self, stages: list[Stage], where: Sequence[Stage], points: Sequence[Point]
    ) -> None:
        """Points that differ in their memberships or mu, on the rows and folds of other stages."""
        points = list(dict.fromkeys(points))
        if len(points) == 1:
            return
        for stage in where:
            self._evaluate(stages, self._stage(stage.rows, stage.folds, points, varies_trust=True))

    def _fine(self, stages: list[Stage]) -> None:
        ranked = ranking(pool(stages))
        best, *others = first_of_each(ranked, lambda point: point.kernel)
        trusted, *less_trusted = first_of_each(ranked, lambda point: point.membership)
        mus = self._unless_fixed("mu", FINE_MU)
        if trusted.membership == "none":
            mus = [trusted.mu]
        trust = [(trusted.membership, mu) for mu in mus]
        trust += [(point.membership, point.mu) for point in less_trusted[:1]]
        points = self._around(best, (-1.0, 0.0, 1.0), trust, 1)
        for other in others:
            points += self._around(other, (0.0,), trust, 1)
        self._run(stages, 1, points)

    def _finest(self, stages: list[Stage]) -> None:
        ranked = ranking(pool(stages))
        finalists = [replace(point, rank=self._rank(2)) for point in ranked[:N_FINALISTS]]
        best = finalists[0]
        around = self._around(best, (-1.0, 0.0, 1.0), [(best.membership, best.mu)], 2)
        self._run(stages, 2, list(dict.fromkeys([*finalists, *around])))
        # More rows allow finer structure: go on as long as that is better.
        for _ in range(MOST_MOVES):
            tried = dict(pool(stages))
            moved = _best_of(tried)
            if not tried[moved].mean > tried[best].mean:
                return
            trust = [(moved.membership, moved.mu)]
            points = self._around(moved, (0.0, *_onward(best, moved)), trust, 2)
            self._run(stages, 2, points, n_rows=stages[-1].n_rows)
            best = moved

    def _around(
        self,
        point: Point,
        gamma_shifts: Sequence[float],
        trust: Sequence[tuple[str, float]],
        stage: int,
    ) -> list[Point]:
        """The costs of a point and one step around them, at its width and others."""
        steps = (-FINE_STEP, 0.0, FINE_STEP)
        return lattice(
            [(point.kernel, gamma) for gamma in _shifted(point.gamma_power, gamma_shifts)],
            _shifted(point.c1_power, steps),
            _shifted(point.c3_power, steps),
            trust,
            self._rank(stage),
        )

    def _rank(self, stage: int) -> int | str | None:
        if "rank" in self._fixed:
            return self._base.rank
        if self._samples.n_rows <= EXACT_ROWS:
            return self._base.rank
        # Few rows need no more than the stage that is made for as many.
        return STAGE_RANK[min(stage, 1 if self._samples.n_rows <= STAGE_ROWS[1] else 2)]

    def _run(
        self, stages: list[Stage], number: int, points: list[Point], n_rows: int | None = None
    ) -> None:
        if stages and self._reporter.seconds > self._deadline:
            raise OutOfTime
        if n_rows is None:
            most = SMALL_ROWS if self._small else STAGE_ROWS[number]
            n_rows = self._affordable(stages, most, points)
        same = [stage for stage in stages if stage.n_rows == n_rows]
        if same:  # the same rows and folds, so that all their candidates can be compared
            rows, folds = same[-1].rows, same[-1].folds
            done = {point for stage in same for point in stage.points}
            points = [point for point in points if point not in done]
            if not points:
                return
        else:
            rows, folds = self._samples.draw(n_rows)
        self._evaluate(stages, self._stage(rows, folds, points))

    def _stage(self, rows: Rows, folds: list[Fold], points: list[Point], **kind: bool) -> Stage:
        evaluator = Evaluator(
            rows,
            folds,
            scoring=self._scoring,
            error_score=np.nan,
            n_jobs=self._n_jobs,
            reporter=self._reporter,
        )
        return Stage(rows, folds, points, evaluator, **kind)

    def _evaluate(self, stages: list[Stage], stage: Stage) -> None:
        stages.append(stage)
        grid = [self._units.params(point, stage.n_rows) for point in stage.points]
        began = time.perf_counter()
        stage.evaluator.evaluate(
            group_candidates(self._base, grid, seed=self._seed),
            deadline=self._deadline,
            # However short the time, there is something to choose.
            at_least_one=len(stages) == 1,
        )
        stage.seconds = time.perf_counter() - began
        if len(stages) == 1 and all(math.isnan(one.mean) for _, one in stage.tried()):
            raise ValueError(f"No candidate could be fitted. {stage.evaluator.failures[0]}")

    def _affordable(self, stages: list[Stage], most: int, points: list[Point]) -> int:
        """How many rows a stage can have, going by the time of the last one; not fewer than that."""
        n_rows = self._samples.nearest(most)
        if not stages or not points:
            return n_rows
        last = stages[-1]
        per_row = last.seconds / (len(last.points) * last.n_rows or 1)
        growth = (_rank_of(points[0], n_rows) / _rank_of(last.points[0], last.n_rows)) ** 2
        predicted_per_row = per_row * growth * len(points)
        left = self._deadline - self._reporter.seconds
        if predicted_per_row * n_rows > left:
            n_rows = self._samples.nearest(int(max(last.n_rows, left / predicted_per_row)))
        return n_rows

    # --- the end -----------------------------------------------------------------------------

    def _outcome(self, stages: list[Stage], stopped: bool) -> Outcome:
        rows_of_table = [
            (number, stage, point, evaluation)
            for number, stage in enumerate(stages)
            for point, evaluation in stage.tried()
        ]
        table = results_table([evaluation for *_, evaluation in rows_of_table])
        table["stage"] = np.array([number for number, *_ in rows_of_table])
        table["n_rows"] = np.array([stage.n_rows for _, stage, *_ in rows_of_table])
        chosen = winner(stages)
        # Its last evaluation: on folds that had no part in the choice of the finalists, if any.
        best = max(k for k, row in enumerate(rows_of_table) if row[2] == chosen)
        last = rows_of_table[best][1]
        return Outcome(
            table, best, self._for_all_rows(chosen, last), last.rows, last.folds, stopped
        )

    def _for_all_rows(self, chosen: Point, stage: Stage) -> dict[str, Any]:
        """The parameters for a fit on all rows, with the largest kernel rank that there is time for:
        that of the search is for its pace."""
        n_rows = self._samples.n_rows
        rank: int | str | None = chosen.rank
        if self._small:
            rank = self._base.rank
        elif chosen.kernel != "linear" and "rank" not in self._fixed:
            allowed = REFIT_SHARE / (1.0 - SEARCH_SHARE) * self._reporter.remaining
            params = self._units.params(chosen, stage.n_rows)
            rank = affordable_refit_rank(self._base, params, stage.rows, n_rows, allowed)
            if self._easy:
                rank = min(rank, STAGE_RANK[-1])
        return self._units.params(replace(chosen, rank=rank), n_rows)


def _best_of(tried: dict[Point, Evaluation]) -> Point:
    return ranking(list(tried.items()))[0]


def _shifted(power: float | None, shifts: Sequence[float]) -> list[float | None]:
    return [None] if power is None else [power + shift for shift in shifts]


def _onward(before: Point, now: Point) -> tuple[float, ...]:
    """Steps in gamma that lead on in the direction of a move."""
    if before.kernel != now.kernel:
        return -1.0, 1.0
    way = (now.gamma_power or 0.0) - (before.gamma_power or 0.0)
    return (math.copysign(1.0, way),) if way else ()


def _rank_of(point: Point, n_rows: int) -> int:
    return min(point.rank, n_rows) if isinstance(point.rank, int) else n_rows
