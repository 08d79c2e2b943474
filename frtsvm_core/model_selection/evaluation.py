"""Candidates over folds: groups of them in parallel, with progress, failures and an end in time."""

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from frtsvm_core.model_selection.candidates import Block, Group
from frtsvm_core.model_selection.cluster import DaskWorkers, JoblibBackend, workers_of
from frtsvm_core.model_selection.fold import Fold, Rows
from frtsvm_core.model_selection.fold_tasks import Prepared, Scored, Task, parts_of
from frtsvm_core.model_selection.progress import OutOfTime, Reporter
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.scoring import Scorer


class Evaluator:
    """Evaluates groups of candidates on the same folds, and keeps every complete evaluation.

    The compiled solvers and BLAS release the interpreter lock and the folds share large arrays, so
    joblib runs them on threads; unless the caller has chosen one of its backends for several workers
    (`joblib.parallel_config("dask")`), which then get one group and fold at a time.
    """

    def __init__(
        self,
        rows: Rows,
        folds: Sequence[Fold],
        *,
        scoring: str | Scorer | None,
        error_score: float | str,
        n_jobs: int | None,
        reporter: Reporter,
    ) -> None:
        self._task = Task(rows, folds, scoring, error_score)
        self._folds, self._reporter = folds, reporter
        self._n_jobs = n_jobs
        self._deadline, self._at_least_one = math.inf, True
        self.evaluations: dict[int, Evaluation] = {}  # by candidate number
        self.failures: list[str] = []
        self.n_block_folds = self.n_fits = self.n_not_converged = 0

    def in_order(self) -> list[Evaluation]:
        """The complete evaluations, in the order of the candidates."""
        return [self.evaluations[number] for number in sorted(self.evaluations)]

    def evaluate(
        self,
        groups: Sequence[Group],
        *,
        deadline: float = math.inf,
        at_least_one: bool = True,
    ) -> None:
        """Evaluate the groups in order. Ends with OutOfTime once `deadline` seconds have passed
        since the search began, but not before `at_least_one` candidate is complete; what is
        complete by then is kept."""
        self._deadline, self._at_least_one = deadline, at_least_one
        self._reporter.plan(sum(group.size for group in groups))
        workers = workers_of(self._task, self._n_jobs)
        if workers is not None:
            self._evaluate_elsewhere(workers, groups)
            return
        # As many groups at a time as it takes to give every worker a fold.
        together = max(1, effective_n_jobs(self._n_jobs) // len(self._folds))
        with Parallel(self._n_jobs, require="sharedmem", return_as="generator") as parallel:
            for start in range(0, len(groups), together):
                self._evaluate_together(parallel, groups[start : start + together])

    def _evaluate_together(self, parallel: Any, groups: Sequence[Group]) -> None:
        places = [(group, fold) for group in groups for fold in self._folds]
        prepared = []
        with _half_read(
            parallel(delayed(self._task.prepare)(group, fold) for group, fold in places)
        ) as results:
            for one in results:
                prepared.append(one)
                self._check()
        n_folds = len(self._folds)
        tasks = [
            (group, block, prepared[n_folds * number + fold])
            for number, group in enumerate(groups)
            for block in group.blocks
            for fold in range(n_folds)
        ]
        with _half_read(
            parallel(delayed(self._task.score)(block, place) for _, block, place in tasks)
        ) as scored:
            for group, block, places_of_block, outcomes in _by_block(tasks, scored, n_folds):
                seconds = [place.seconds for place in places_of_block]
                self._keep(group, block, seconds, outcomes)
                self._check()

    def _evaluate_elsewhere(
        self, workers: DaskWorkers | JoblibBackend, groups: Sequence[Group]
    ) -> None:
        plan = list(parts_of(groups, len(self._folds)))
        with _half_read(workers.results([part for parts in plan for part in parts])) as results:
            for parts in plan:
                folds = []
                for _ in parts:
                    folds.append(next(results))
                    self._check()
                seconds = [shared for shared, _ in folds]
                for number, block in enumerate(parts[0].blocks):
                    outcomes = [scored[number] for _, scored in folds]
                    self._keep(parts[0].group, block, seconds, outcomes)
                self._check()

    def _check(self) -> None:
        self._reporter.tell("search")
        late = self._reporter.seconds > self._deadline
        if late and (self.evaluations or not self._at_least_one):
            raise OutOfTime

    def _keep(
        self,
        group: Group,
        block: Block,
        seconds: Sequence[float],
        outcomes: Sequence[Scored],
    ) -> None:
        scores = np.stack([outcome.scores for outcome in outcomes], axis=1)
        shared = np.array(seconds) / group.size
        fit_times = shared + np.array([outcome.fit_seconds for outcome in outcomes]) / block.size
        score_times = np.array([outcome.score_seconds for outcome in outcomes]) / block.size
        for candidate, row in zip(block.candidates, scores, strict=True):
            evaluation = Evaluation(candidate.params, row, fit_times, score_times)
            self.evaluations[candidate.number] = evaluation
            self._reporter.tried(evaluation.mean, candidate.params)
        self.failures += [outcome.failure for outcome in outcomes if outcome.failure is not None]
        self.n_block_folds += len(outcomes)
        self.n_fits += scores.size
        self.n_not_converged += sum(outcome.not_converged for outcome in outcomes)


def _by_block(
    tasks: Sequence[tuple[Group, Block, Prepared]], scored: Iterator[Scored], n_folds: int
) -> Iterator[tuple[Group, Block, list[Prepared], list[Scored]]]:
    """Outcomes of all folds together, block by block, as they arrive."""
    for start in range(0, len(tasks), n_folds):
        group, block, _ = tasks[start]
        places = [place for _, _, place in tasks[start : start + n_folds]]
        yield group, block, places, [next(scored) for _ in range(n_folds)]


@contextmanager
def _half_read(results: Any) -> Iterator[Any]:
    """Results of joblib that a search may leave before their end, without a warning about the rest."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*", UserWarning, "joblib")
            results.close()
