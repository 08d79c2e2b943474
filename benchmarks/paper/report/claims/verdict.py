"""Verdicts on the claims of the paper."""

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.paper.results import Results

YES, NO, UNKNOWN = "confirmed", "not confirmed", "inconclusive"


@dataclass(frozen=True)
class Verdict:
    claim: str
    verdict: str
    evidence: str


# A judge computes the verdict on one claim. The claim is the docstring of the judge.
Judge = Callable[[Results], Verdict]


class NotRun(Exception):
    """The results that a verdict or paragraph needs are missing."""


Found = TypeVar("Found", bound=Sized)


def require(found: Found) -> Found:
    """Return `found`; raise NotRun if it is empty."""
    if not found:
        raise NotRun
    return found


def claim_of(judge: Judge) -> str:
    return " ".join((judge.__doc__ or "").split())
