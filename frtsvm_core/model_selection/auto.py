"""search="auto": a search without a grid, from coarse to fine, within a time budget.

The first stage is the same for all data:

    coarse       every kernel, kernel width and membership on a coarse grid of costs, on a sample

On small data the sample is all rows. Scores are noisy there, and cheap:

    repeat       the two best kernels or widths again on fresh folds, twice; all scores count
    membership   the best point with other memberships and several mu, on the fresh folds

On larger data:

    fine         the best kernel with neighboring widths and several mu, the other kernel and the
                 second-best membership, on a finer grid of costs and on more rows
    finest       the finalists, with costs and widths around the best, on as many rows as time
                 allows; then further in the direction in which the scores improve
    mu           the best point with the best membership and several mu, if no stage has varied mu

A candidate costs very little once its kernel matrix is factored (docs/search.md), so each stage has
few kernels with many costs each.
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
from frtsvm_core.model_selection.space import Point, Units, point_grid
from frtsvm_core.model_selection.stages import Stage, pool, winner

# Limits on the rows and the kernel rank of the stages coarse, fine and finest. Up to EXACT_ROWS
# rows, every stage uses the rank of the estimator.
STAGE_ROWS = (600, 2000, 6000)
STAGE_RANK = (100, 200, 400)
EXACT_ROWS = 256
# Up to this many rows, scores are so noisy that the best points are evaluated again on fresh folds.
SMALL_ROWS = 1000

# The paper's penalty |w|^2 is hardly ever better (docs/decisions/0006-penalty-of-the-function.md),
# so "auto" does not spend time on trying both.
PENALTY = "function"
# The grid of the coarse stage. Widths and costs are exponents of 2, in the units of space.py.
COARSE_GAMMAS = (-4.0, -2.0, 0.0, 2.0, 4.0)
COARSE_C1 = (-8.0, -4.0, 0.0, 4.0, 8.0)
COARSE_C3 = (-8.0, -4.0, 0.0, 4.0)
COARSE_MEMBERSHIPS = ("center", "none", "neighbors")
COARSE_MU = (0.1,)
# On few rows a third membership would mostly add candidates that can win by chance. "neighbors" is
# compared at the end instead, for the best point only.
SMALL_MEMBERSHIPS = ("center", "none")
# On few rows, this many kernels or widths are evaluated again, on this many fresh sets of folds.
REPEATED_KERNELS = 2
FRESH_FOLD_SETS = 2
# Distance of neighboring costs, as an exponent of 2, in the stages fine and finest.
FINE_STEP = 2.0
FINE_MU = (0.03, 0.1, 0.3)
# Values of mu for the comparison of memberships at the best point.
FINAL_MU = (0.01, 0.03, 0.1, 0.3, 1.0)
# Points of the fine stage that are evaluated again on the rows of the finest stage.
N_FINALISTS = 8
# How many times the finest stage moves on to a better point, at most.
MAX_MOVES = 6
# From this score on (one error in a thousand rows) the finest stage is skipped.
GOOD_ENOUGH = 0.999

# Shares of the time budget for the stages and for the refit; the rest is for the calibration.
SEARCH_SHARE = 0.65
REFIT_SHARE = 0.25


class AutoSearch:
    """Plans and runs the stages of search="auto"."""

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
            raise ValueError(
                f"search='auto' supports FRTSVMClassifier only; got {type(base).__name__}. Give "
                "`search` a grid of parameters instead."
            )
        self._base, self._cv, self._scoring, self._n_jobs = base, cv, scoring, n_jobs
        self._seed, self._reporter = seed, reporter
        self._fixed = frozenset(fixed)
        self._deadline = SEARCH_SHARE * reporter.remaining
        self._good_enough = False  # whether the fine stage reached GOOD_ENOUGH

    def run(self, rows: Rows, groups: Any) -> Outcome:
        """Run the stages and return the best point; raise StopSearch if nothing was evaluated."""
        rng = np.random.default_rng(self._seed)
        pairwise = self._base.__sklearn_tags__().input_tags.pairwise
        # A fixed c1 was chosen for the penalty of the estimator, so keep that penalty.
        kept = self._fixed & {"penalty", "c1"}
        penalty = self._base.penalty if kept else PENALTY
        self._units = Units.of(rows.prepared(), penalty, rng)
        self._samples = Samples(rows, groups, self._cv, pairwise=pairwise, seed=self._seed, rng=rng)
        stages: list[Stage] = []
        stopped = False
        try:
            self._coarse(stages)
            if self._small:
                self._repeat_on_fresh_folds(stages)
                self._vary_membership(stages)
            else:
                self._fine(stages)
                # The scale of a callable's scores is unknown; scores with a name are 1 at most.
                tried = dict(pool(stages))
                reached = tried[_best_of(tried)].mean
                self._good_enough = not callable(self._scoring) and reached >= GOOD_ENOUGH
                if not self._good_enough:
                    self._finest(stages)
                self._vary_mu_if_untried(stages)
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
        with_mu = [
            (membership, mu)
            for membership in self._unless_fixed("membership", memberships)
            for mu in self._unless_fixed("mu", COARSE_MU)
        ]
        c1 = (None,) if "c1" in self._fixed else COARSE_C1
        c3 = (None,) if "c3" in self._fixed else COARSE_C3
        self._run(stages, 0, point_grid(features, c1, c3, with_mu, self._rank(0)))

    def _unless_fixed(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Return the values to try for a parameter: only that of the estimator if it is fixed."""
        return [getattr(self._base, name)] if name in self._fixed else list(values)

    def _repeat_on_fresh_folds(self, stages: list[Stage]) -> None:
        """Evaluate the best kernels or widths on fresh folds.

        The best of many noisy scores is partly due to chance, which does not repeat on other folds.
        """
        found = first_of_each(ranking(pool(stages)), lambda point: point.features)
        best = {point.features for point in found[:REPEATED_KERNELS]}
        points = [point for point in stages[0].points if point.features in best]
        for number in range(1, FRESH_FOLD_SETS + 1):
            folds = self._samples.fresh_folds(number)
            if folds:
                self._evaluate(stages, self._stage(stages[0].rows, folds, points, repeats=True))

    def _vary_membership(self, stages: list[Stage]) -> None:
        """Compare memberships and mu at the best point.

        Their effect is smaller than that of costs and widths, so on few rows it only shows in a
        comparison at one point, on the same folds.
        """
        best = winner(stages)
        compared = {point.membership for point in stages[0].points}
        points = [best]
        if best.membership != "none":
            points += self._with_membership(best, best.membership, FINAL_MU)
        for membership in self._unless_fixed("membership", COARSE_MEMBERSHIPS):
            if membership not in compared:
                points += self._with_membership(best, membership, FINAL_MU)
        again = [stage for stage in stages if stage.repeats] or stages[:1]
        self._compare_memberships(stages, again, points)

    def _vary_mu_if_untried(self, stages: list[Stage]) -> None:
        """Try several mu with the best membership, if no earlier stage has varied mu."""
        weighted = [p for stage in stages for p in stage.points if p.membership != "none"]
        if len({point.mu for point in weighted}) > 1:
            return
        best = winner(stages)
        memberships = [point.membership for point in (best, *ranking(pool(stages[:1])))]
        for membership in [one for one in memberships if one != "none"][:1]:
            points = [best, *self._with_membership(best, membership, FINE_MU)]
            self._compare_memberships(stages, stages[-1:], points)

    def _with_membership(self, point: Point, membership: str, mus: Sequence[float]) -> list[Point]:
        return [
            replace(point, membership=membership, mu=mu) for mu in self._unless_fixed("mu", mus)
        ]

    def _compare_memberships(
        self, stages: list[Stage], where: Sequence[Stage], points: Sequence[Point]
    ) -> None:
        """Evaluate points that differ in membership or mu, on the rows and folds of stages."""
        points = list(dict.fromkeys(points))
        if len(points) == 1:
            return
        for stage in where:
            self._evaluate(
                stages, self._stage(stage.rows, stage.folds, points, varies_membership=True)
            )

    def _fine(self, stages: list[Stage]) -> None:
        ranked = ranking(pool(stages))
        best, *others = first_of_each(ranked, lambda point: point.kernel)
        first, *second = first_of_each(ranked, lambda point: point.membership)
        mus = self._unless_fixed("mu", FINE_MU)
        if first.membership == "none":
            mus = [first.mu]
        memberships = [(first.membership, mu) for mu in mus]
        memberships += [(point.membership, point.mu) for point in second[:1]]
        points = self._around(best, (-1.0, 0.0, 1.0), memberships, 1)
        for other in others:
            points += self._around(other, (0.0,), memberships, 1)
        self._run(stages, 1, points)

    def _finest(self, stages: list[Stage]) -> None:
        ranked = ranking(pool(stages))
        finalists = [replace(point, rank=self._rank(2)) for point in ranked[:N_FINALISTS]]
        best = finalists[0]
        around = self._around(best, (-1.0, 0.0, 1.0), [(best.membership, best.mu)], 2)
        self._run(stages, 2, list(dict.fromkeys([*finalists, *around])))
        # More rows support finer structure: move on as long as the score improves.
        for _ in range(MAX_MOVES):
            tried = dict(pool(stages))
            moved = _best_of(tried)
            if not tried[moved].mean > tried[best].mean:
                return
            memberships = [(moved.membership, moved.mu)]
            points = self._around(moved, (0.0, *_next_gamma_shifts(best, moved)), memberships, 2)
            self._run(stages, 2, points, n_rows=stages[-1].n_rows)
            best = moved

    def _around(
        self,
        point: Point,
        gamma_shifts: Sequence[float],
        memberships: Sequence[tuple[str, float]],
        stage: int,
    ) -> list[Point]:
        """Return the costs around a point, one step in each direction, at several widths."""
        steps = (-FINE_STEP, 0.0, FINE_STEP)
        return point_grid(
            [(point.kernel, gamma) for gamma in _shifted(point.gamma_power, gamma_shifts)],
            _shifted(point.c1_power, steps),
            _shifted(point.c3_power, steps),
            memberships,
            self._rank(stage),
        )

    def _rank(self, stage: int) -> int | str | None:
        """Return the kernel rank of a stage."""
        if "rank" in self._fixed:
            return self._base.rank
        if self._samples.n_rows <= EXACT_ROWS:
            return self._base.rank
        # Data that fit into an earlier stage need no higher rank than that stage.
        return STAGE_RANK[min(stage, 1 if self._samples.n_rows <= STAGE_ROWS[1] else 2)]

    def _run(
        self, stages: list[Stage], number: int, points: list[Point], n_rows: int | None = None
    ) -> None:
        """Evaluate points on a sample, or on the sample of an earlier stage with as many rows."""
        if stages and self._reporter.seconds > self._deadline:
            raise OutOfTime
        if n_rows is None:
            most = SMALL_ROWS if self._small else STAGE_ROWS[number]
            n_rows = self._affordable(stages, most, points)
        same = [stage for stage in stages if stage.n_rows == n_rows]
        if same:  # the same rows and folds, so that all their candidates are comparable
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
            # However short the time budget is, at least one candidate must be available.
            at_least_one=len(stages) == 1,
        )
        stage.seconds = time.perf_counter() - began
        if len(stages) == 1 and all(math.isnan(one.mean) for _, one in stage.tried()):
            raise ValueError(
                "No candidate could be fitted. The first failure was: "
                f"{stage.evaluator.failures[0]}"
            )

    def _affordable(self, stages: list[Stage], most: int, points: list[Point]) -> int:
        """Return the number of rows that the remaining time allows, by the time of the last stage.

        It is at least the number of rows of the last stage.
        """
        n_rows = self._samples.allowed_size(most)
        if not stages or not points:
            return n_rows
        last = stages[-1]
        per_row = last.seconds / (len(last.points) * last.n_rows or 1)
        growth = (_rank_of(points[0], n_rows) / _rank_of(last.points[0], last.n_rows)) ** 2
        predicted_per_row = per_row * growth * len(points)
        left = self._deadline - self._reporter.seconds
        if predicted_per_row * n_rows > left:
            n_rows = self._samples.allowed_size(int(max(last.n_rows, left / predicted_per_row)))
        return n_rows

    # --- outcome ---------------------------------------------------------------------------

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
        # Its last evaluation, which is on folds that did not take part in choosing the finalists.
        best = max(k for k, row in enumerate(rows_of_table) if row[2] == chosen)
        last = rows_of_table[best][1]
        return Outcome(
            table, best, self._refit_params(chosen, last), last.rows, last.folds, stopped
        )

    def _refit_params(self, chosen: Point, stage: Stage) -> dict[str, Any]:
        """Return the parameters for a fit on all rows, with the largest rank that the time allows.

        The ranks of the stages are low only to make the search fast.
        """
        n_rows = self._samples.n_rows
        rank: int | str | None = chosen.rank
        if self._small:
            rank = self._base.rank
        elif chosen.kernel != "linear" and "rank" not in self._fixed:
            allowed = REFIT_SHARE / (1.0 - SEARCH_SHARE) * self._reporter.remaining
            params = self._units.params(chosen, stage.n_rows)
            rank = affordable_refit_rank(self._base, params, stage.rows, n_rows, allowed)
            if self._good_enough:
                rank = min(rank, STAGE_RANK[-1])
        return self._units.params(replace(chosen, rank=rank), n_rows)


def _best_of(tried: dict[Point, Evaluation]) -> Point:
    return ranking(list(tried.items()))[0]


def _shifted(power: float | None, shifts: Sequence[float]) -> list[float | None]:
    return [None] if power is None else [power + shift for shift in shifts]


def _next_gamma_shifts(before: Point, now: Point) -> tuple[float, ...]:
    """Return shifts of gamma in the direction of a move."""
    if before.kernel != now.kernel:
        return -1.0, 1.0
    move = (now.gamma_power or 0.0) - (before.gamma_power or 0.0)
    return (math.copysign(1.0, move),) if move else ()


def _rank_of(point: Point, n_rows: int) -> int:
    return min(point.rank, n_rows) if isinstance(point.rank, int) else n_rows
