"""What a claim of the paper is found to be."""

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.paper.results import Results

YES, NO, UNKNOWN = "confirmed", "not confirmed", "cannot be told"


@dataclass(frozen=True)
class Verdict:
    claim: str
    verdict: str
    evidence: str


# The claim is the docstring of its judge.
Judge = Callable[[Results], Verdict]


class NotRun(Exception):
    """There are no results to judge by."""


Found = TypeVar("Found", bound=Sized)


def require(found: Found) -> Found:
    """`found`, unless there is nothing in it."""
    if not found:
        raise NotRun
    return found


def claim_of(judge: Judge) -> str:
    return " ".join((judge.__doc__ or "").split())
