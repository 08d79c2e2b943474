"""Evaluate candidates on folds in parallel, with progress, failures and a deadline."""

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
from frtsvm_core.model_selection.fold_tasks import BlockScores, PreparedFold, Task, parts_of
from frtsvm_core.model_selection.progress import OutOfTime, Reporter
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.scoring import Scorer


class Evaluator:
    """Evaluates groups of candidates on the same folds and keeps every complete evaluation.

    Folds run on joblib threads: the compiled solvers and BLAS release the interpreter lock, and the
    folds share large arrays. If the caller has chosen a distributed joblib backend
    (`joblib.parallel_config("dask")`), each task of its workers is a `Part`: some blocks of one
    group on one fold.
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
        """Return the complete evaluations, in the order of the candidates."""
        return [self.evaluations[number] for number in sorted(self.evaluations)]

    def evaluate(
        self,
        groups: Sequence[Group],
        *,
        deadline: float = math.inf,
        at_least_one: bool = True,
    ) -> None:
        """Evaluate the groups in order.

        Raise OutOfTime once `deadline` seconds have passed since the search began, but with
        `at_least_one` not before a first candidate has been evaluated on all folds. Complete
        evaluations are kept.
        """
        self._deadline, self._at_least_one = deadline, at_least_one
        self._reporter.plan(sum(group.size for group in groups))
        workers = workers_of(self._task, self._n_jobs)
        if workers is not None:
            self._evaluate_on_workers(workers, groups)
            return
        # Several groups at a time if there are more threads than folds.
        together = max(1, effective_n_jobs(self._n_jobs) // len(self._folds))
        with Parallel(self._n_jobs, require="sharedmem", return_as="generator") as parallel:
            for start in range(0, len(groups), together):
                self._evaluate_on_threads(parallel, groups[start : start + together])

    def _evaluate_on_threads(self, parallel: Any, groups: Sequence[Group]) -> None:
        pairs = [(group, fold) for group in groups for fold in self._folds]
        prepared = []
        with _closing(
            parallel(delayed(self._task.prepare)(group, fold) for group, fold in pairs)
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
        with _closing(
            parallel(delayed(self._task.score)(block, fold) for _, block, fold in tasks)
        ) as scored:
            for group, block, folds_of_block, outcomes in _by_block(tasks, scored, n_folds):
                seconds = [fold.seconds for fold in folds_of_block]
                self._record(group, block, seconds, outcomes)
                self._check()

    def _evaluate_on_workers(
        self, workers: DaskWorkers | JoblibBackend, groups: Sequence[Group]
    ) -> None:
        plan = list(parts_of(groups, len(self._folds)))
        with _closing(workers.results([part for parts in plan for part in parts])) as results:
            for parts in plan:
                folds = []
                for _ in parts:
                    folds.append(next(results))
                    self._check()
                seconds = [shared for shared, _ in folds]
                for number, block in enumerate(parts[0].blocks):
                    outcomes = [scored[number] for _, scored in folds]
                    self._record(parts[0].group, block, seconds, outcomes)
                self._check()

    def _check(self) -> None:
        """Report progress, then raise OutOfTime if the deadline has passed."""
        self._reporter.notify("search")
        late = self._reporter.seconds > self._deadline
        if late and (self.evaluations or not self._at_least_one):
            raise OutOfTime

    def _record(
        self,
        group: Group,
        block: Block,
        seconds: Sequence[float],
        outcomes: Sequence[BlockScores],
    ) -> None:
        scores = np.stack([outcome.scores for outcome in outcomes], axis=1)
        shared = np.array(seconds) / group.size
        fit_times = shared + np.array([outcome.fit_seconds for outcome in outcomes]) / block.size
        score_times = np.array([outcome.score_seconds for outcome in outcomes]) / block.size
        for candidate, row in zip(block.candidates, scores, strict=True):
            evaluation = Evaluation(candidate.params, row, fit_times, score_times)
            self.evaluations[candidate.number] = evaluation
            self._reporter.record(evaluation.mean, candidate.params)
        self.failures += [outcome.failure for outcome in outcomes if outcome.failure is not None]
        self.n_block_folds += len(outcomes)
        self.n_fits += scores.size
        self.n_not_converged += sum(outcome.not_converged for outcome in outcomes)


def _by_block(
    tasks: Sequence[tuple[Group, Block, PreparedFold]], scored: Iterator[BlockScores], n_folds: int
) -> Iterator[tuple[Group, Block, list[PreparedFold], list[BlockScores]]]:
    """Yield the scores of each block on all folds, as they become available."""
    for start in range(0, len(tasks), n_folds):
        group, block, _ = tasks[start]
        folds = [fold for _, _, fold in tasks[start : start + n_folds]]
        yield group, block, folds, [next(scored) for _ in range(n_folds)]


@contextmanager
def _closing(results: Any) -> Iterator[Any]:
    """Close a generator of joblib results on exit, without a warning about unread results."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*", UserWarning, "joblib")
            results.close()
