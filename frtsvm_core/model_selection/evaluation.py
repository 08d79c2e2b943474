"""Candidates over folds: groups of them in parallel, with progress, failures and an end in time."""

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from frtsvm_core.model_selection.candidates import Block, Group
from frtsvm_core.model_selection.fold import Fold, FoldProblem, Rows
from frtsvm_core.model_selection.progress import OutOfTime, Reporter
from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.scoring import FoldScorer, Scorer
from frtsvm_core.twin.parallel import one_blas_thread

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class _Prepared:
    """A fold in the feature space of a group, or why there is none."""

    problem: FoldProblem | None
    scorer: FoldScorer | None
    failure: str | None
    seconds: float


@dataclass(frozen=True)
class _Scored:
    """One block on one fold."""

    scores: FloatArray
    fit_seconds: float
    score_seconds: float
    not_converged: int
    failure: str | None


@dataclass(frozen=True)
class _Task:
    """What can be done with a fold, here or on another machine."""

    rows: Rows
    scoring: str | Scorer | None
    error_score: float | str

    def __sizeof__(self) -> int:
        """With the rows: joblib sends large arguments to each machine once, not with each call."""
        return object.__sizeof__(self) + int(self.rows.x.nbytes) + int(self.rows.labels.nbytes)

    def prepare(self, group: Group, fold: Fold) -> _Prepared:
        began = time.perf_counter()
        try:
            problem = FoldProblem(group, self.rows, fold)
        except ValueError as failure:
            if self.error_score == "raise":
                raise
            return _Prepared(None, None, str(failure), time.perf_counter() - began)
        scorer = FoldScorer(self.scoring, self.rows, fold.validation, problem.classes)
        return _Prepared(problem, scorer, None, time.perf_counter() - began)

    def score(self, block: Block, place: _Prepared) -> _Scored:
        began = time.perf_counter()
        if place.problem is None or place.scorer is None:
            return self._failed(block, place.failure or "", 0.0)
        try:
            decided = list(place.problem.decide(block))
            solved = time.perf_counter()
            scores = np.array([place.scorer(one) for one in decided])
        except ValueError as failure:
            if self.error_score == "raise":
                raise
            return self._failed(block, str(failure), time.perf_counter() - began)
        not_converged = sum(not one.converged for one in decided)
        return _Scored(scores, solved - began, time.perf_counter() - solved, not_converged, None)

    def _failed(self, block: Block, failure: str, seconds: float) -> _Scored:
        return _Scored(np.full(block.size, self.error_score), seconds, 0.0, 0, failure)


#: Candidates that another machine gets at a time: few enough to hear from it often.
_AT_A_TIME = 64


@dataclass(frozen=True)
class _Part:
    """Some blocks of a group on one fold, for another machine."""

    group: Group
    fold: Fold
    blocks: Sequence[Block]
    place: tuple[str, int, int]  # search, group and fold


class _Places:
    """The places where this machine has worked last: the next part is likely to be of one of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._places: dict[tuple[str, int, int], _Prepared] = {}
        self._lock = Lock()

    def of(self, task: _Task, part: _Part) -> _Prepared:
        with self._lock:
            found = self._places.pop(part.place, None)
            if found is not None:
                self._places[part.place] = found
                return replace(found, seconds=0.0)
        made = task.prepare(part.group, part.fold)
        with self._lock:
            self._places[part.place] = made
            while len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        return made


_places = _Places(2)


def _score_part(task: _Task, part: _Part) -> tuple[float, list[_Scored]]:
    """The seconds of what the blocks share, and their scores. What is shared is large, and stays."""
    with one_blas_thread():
        place = _places.of(task, part)
        return place.seconds, [task.score(block, place) for block in part.blocks]


def _parts(search: str, groups: Sequence[Group], folds: Sequence[Fold]) -> Iterator[list[_Part]]:
    """What is to be done, in the order in which it is kept: the same blocks on all folds together."""
    for number, group in enumerate(groups):
        for blocks in _portions(group.blocks):
            yield [
                _Part(group, fold, blocks, (search, number, place))
                for place, fold in enumerate(folds)
            ]


def _portions(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    start = size = 0
    for end, block in enumerate(blocks):
        if size and size + block.size > _AT_A_TIME:
            yield blocks[start:end]
            start, size = end, 0
        size += block.size
    yield blocks[start:]


class Evaluator:
    """Evaluates groups of candidates on the same folds, and keeps every complete evaluation.

    The compiled solvers and BLAS release the interpreter lock and the folds share large arrays, so
    joblib runs them on threads; unless the caller has chosen one of its backends for several machines
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
        self._task = _Task(rows, scoring, error_score)
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
        if _elsewhere():
            self._evaluate_elsewhere(groups)
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

    def _evaluate_elsewhere(self, groups: Sequence[Group]) -> None:
        plan = list(_parts(uuid4().hex, groups, self._folds))
        with (
            Parallel(self._n_jobs, return_as="generator", batch_size=1) as parallel,
            _half_read(
                parallel(delayed(_score_part)(self._task, part) for parts in plan for part in parts)
            ) as results,
        ):
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
        outcomes: Sequence[_Scored],
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
    tasks: Sequence[tuple[Group, Block, _Prepared]], scored: Iterator[_Scored], n_folds: int
) -> Iterator[tuple[Group, Block, list[_Prepared], list[_Scored]]]:
    """Outcomes of all folds together, block by block, as they arrive."""
    for start in range(0, len(tasks), n_folds):
        group, block, _ = tasks[start]
        places = [place for _, _, place in tasks[start : start + n_folds]]
        yield group, block, places, [next(scored) for _ in range(n_folds)]


def _elsewhere() -> bool:
    """Whether the caller has chosen a backend that is not one of this machine's own."""
    backend, _ = get_active_backend()
    return type(backend).__module__ != "joblib._parallel_backends"


@contextmanager
def _half_read(results: Any) -> Iterator[Any]:
    """Results of joblib that a search may leave before their end, without a warning about the rest."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*", UserWarning, "joblib")
            results.close()
