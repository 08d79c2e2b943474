"""The work on one fold, here or on another machine: prepare it once, then score blocks on it."""

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

#: Candidates that another machine gets at a time: few enough to hear from it often.
AT_A_TIME = 64
#: Prepared folds that another machine keeps: its next part is likely to be of one of them.
KEPT = 2


@dataclass(frozen=True)
class Prepared:
    """A fold in the feature space of a group, or why there is none."""

    problem: FoldProblem | None
    scorer: FoldScorer | None
    failure: str | None
    seconds: float


@dataclass(frozen=True)
class Scored:
    """One block on one fold."""

    scores: FloatArray
    fit_seconds: float
    score_seconds: float
    not_converged: int
    failure: str | None


@dataclass(frozen=True)
class Part:
    """Some blocks of a group on one fold, for another machine. No rows: those are in the task."""

    group: Group
    fold: int
    blocks: Sequence[Block]
    place: tuple[int, int]  # group and fold


class Places:
    """The folds that were prepared last. They go when the task goes, and stay when it is sent."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._places: dict[tuple[int, int], Prepared] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Places, (self._most,)

    def __len__(self) -> int:
        return len(self._places)

    def of(self, task: "Task", part: Part) -> Prepared:
        with self._lock:
            found = self._places.pop(part.place, None)
            if found is not None:
                self._places[part.place] = found
                return replace(found, seconds=0.0)
        made = task.prepare(part.group, task.folds[part.fold])
        with self._lock:
            self._places[part.place] = made
            while len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        return made


@dataclass(frozen=True, eq=False)
class Task:
    """Rows and folds, and what can be done with them. Another machine gets it once."""

    rows: Rows
    folds: Sequence[Fold]
    scoring: str | Scorer | None
    error_score: float | str
    places: Places = field(default_factory=lambda: Places(KEPT))

    def __sizeof__(self) -> int:
        """With the rows: Dask counts what its workers hold."""
        return object.__sizeof__(self) + int(self.rows.x.nbytes) + int(self.rows.labels.nbytes)

    def prepare(self, group: Group, fold: Fold) -> Prepared:
        began = time.perf_counter()
        try:
            problem = fold.problem(self.rows, group)
        except ValueError as failure:
            if self.error_score == "raise":
                raise
            return Prepared(None, None, str(failure), time.perf_counter() - began)
        scorer = FoldScorer(self.scoring, self.rows, fold.validation, problem.classes)
        return Prepared(problem, scorer, None, time.perf_counter() - began)

    def score(self, block: Block, place: Prepared) -> Scored:
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
        return Scored(scores, solved - began, time.perf_counter() - solved, not_converged, None)

    def _failed(self, block: Block, failure: str, seconds: float) -> Scored:
        return Scored(np.full(block.size, self.error_score), seconds, 0.0, 0, failure)


def score_part(task: Task, part: Part) -> tuple[float, list[Scored]]:
    """The seconds of what the blocks share, and their scores. What is shared is large, and stays."""
    with one_blas_thread():
        place = task.places.of(task, part)
        return place.seconds, [task.score(block, place) for block in part.blocks]


def parts_of(groups: Sequence[Group], n_folds: int) -> Iterator[list[Part]]:
    """What is to be done, in the order in which it is kept: the same blocks on all folds together."""
    for number, group in enumerate(groups):
        for blocks in _portions(group.blocks):
            yield [Part(group, fold, blocks, (number, fold)) for fold in range(n_folds)]


def _portions(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    start = size = 0
    for end, block in enumerate(blocks):
        if size and size + block.size > AT_A_TIME:
            yield blocks[start:end]
            start, size = end, 0
        size += block.size
    yield blocks[start:]
