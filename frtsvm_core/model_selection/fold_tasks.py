"""Prepare a fold once, then score blocks of candidates on it, locally or on a remote worker."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frtsvm_core.model_selection.candidates import Block, Group
from frtsvm_core.model_selection.fold import Fold, FoldProblem, Rows
from frtsvm_core.model_selection.scoring import FoldScorer, Scorer
from frtsvm_core.twin.parallel import one_blas_thread

FloatArray = NDArray[np.float64]

#: Candidates in a part at most (a larger block is a part of its own), so that progress arrives
#: often.
MAX_CANDIDATES_PER_PART = 64
#: Prepared folds that a remote worker caches: its next part is likely to need one of them.
MAX_PREPARED_FOLDS = 2


@dataclass(frozen=True)
class PreparedFold:
    """A fold in the feature space of a group, or the message of the failure to prepare it."""

    problem: FoldProblem | None
    scorer: FoldScorer | None
    failure: str | None
    seconds: float


@dataclass(frozen=True)
class BlockScores:
    """Scores of one block of candidates on one fold."""

    scores: FloatArray
    fit_seconds: float
    score_seconds: float
    not_converged: int
    failure: str | None


@dataclass(frozen=True)
class Part:
    """Unit of work for a remote worker: some blocks of a group, on one fold.

    It contains parameters only. The rows are in the `Task`, which is sent once.
    """

    group: Group
    fold: int
    blocks: Sequence[Block]
    key: tuple[int, int]  # numbers of the group and the fold


class PreparedFoldCache:
    """Cache of the folds that were prepared last.

    It belongs to a task: its memory is freed with the task, and its contents are not pickled.
    """

    def __init__(self, max_folds: int) -> None:
        self._max_folds = max_folds
        self._folds: dict[tuple[int, int], PreparedFold] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return PreparedFoldCache, (self._max_folds,)

    def __len__(self) -> int:
        return len(self._folds)

    def get(self, task: "Task", part: Part) -> PreparedFold:
        """Return the fold of a part, from the cache or newly prepared."""
        with self._lock:
            found = self._folds.pop(part.key, None)
            if found is not None:
                self._folds[part.key] = found
                return replace(found, seconds=0.0)
        made = task.prepare(part.group, task.folds[part.fold])
        with self._lock:
            self._folds[part.key] = made
            while len(self._folds) > self._max_folds:
                del self._folds[next(iter(self._folds))]
        return made


@dataclass(frozen=True, eq=False)
class Task:
    """Rows, folds and scoring of a search; sent to each remote worker once."""

    rows: Rows
    folds: Sequence[Fold]
    scoring: str | Scorer | None
    error_score: float | str
    prepared_folds: PreparedFoldCache = field(
        default_factory=lambda: PreparedFoldCache(MAX_PREPARED_FOLDS)
    )

    def __sizeof__(self) -> int:
        """Size with the rows, by which Dask accounts for the memory of its workers."""
        return object.__sizeof__(self) + int(self.rows.x.nbytes) + int(self.rows.labels.nbytes)

    def prepare(self, group: Group, fold: Fold) -> PreparedFold:
        """Prepare a fold for the candidates of a group."""
        began = time.perf_counter()
        try:
            problem = fold.problem(self.rows, group)
        except ValueError as failure:
            if self.error_score == "raise":
                raise
            return PreparedFold(None, None, str(failure), time.perf_counter() - began)
        scorer = FoldScorer(self.scoring, self.rows, fold.validation, problem.classes)
        return PreparedFold(problem, scorer, None, time.perf_counter() - began)

    def score(self, block: Block, prepared: PreparedFold) -> BlockScores:
        """Score all candidates of a block on a prepared fold."""
        began = time.perf_counter()
        if prepared.problem is None or prepared.scorer is None:
            return self._failed(block, prepared.failure or "", 0.0)
        try:
            evaluated = list(prepared.problem.distances(block))
            solved = time.perf_counter()
            scores = np.array([prepared.scorer(one) for one in evaluated])
        except ValueError as failure:
            if self.error_score == "raise":
                raise
            return self._failed(block, str(failure), time.perf_counter() - began)
        not_converged = sum(not one.converged for one in evaluated)
        return BlockScores(
            scores, solved - began, time.perf_counter() - solved, not_converged, None
        )

    def _failed(self, block: Block, failure: str, seconds: float) -> BlockScores:
        return BlockScores(np.full(block.size, self.error_score), seconds, 0.0, 0, failure)


def score_part(task: Task, part: Part) -> tuple[float, list[BlockScores]]:
    """Run a part; return the seconds spent on preparing the fold, and the scores of the blocks.

    The prepared fold is large, so it stays in the cache of the worker.
    """
    with one_blas_thread():
        prepared = task.prepared_folds.get(task, part)
        return prepared.seconds, [task.score(block, prepared) for block in part.blocks]


def parts_of(groups: Sequence[Group], n_folds: int) -> Iterator[list[Part]]:
    """Divide the search into parts; yield the same blocks on all folds together."""
    for number, group in enumerate(groups):
        for blocks in _portions(group.blocks):
            yield [Part(group, fold, blocks, (number, fold)) for fold in range(n_folds)]


def _portions(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    start = size = 0
    for end, block in enumerate(blocks):
        if size and size + block.size > MAX_CANDIDATES_PER_PART:
            yield blocks[start:end]
            start, size = end, 0
        size += block.size
    yield blocks[start:]
