"""Rank candidates by noisy scores."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.space import Point

# Standard deviation, in powers of two, of the Gaussian weights with which scores are averaged.
BANDWIDTH = 2.0


def ranking(pool: Sequence[tuple[Point, Evaluation]]) -> list[Point]:
    """Sort points from best to worst, by the mean of their own and their neighborhood's score.

    The highest of many noisy scores is mostly due to chance. The score of the neighborhood, an
    average with Gaussian weights over points with the same kernel and membership, distinguishes a
    good region from a point that was merely lucky. Failed candidates come last.
    """
    scores = np.array([evaluation.mean for _, evaluation in pool])
    known = ~np.isnan(scores)
    position = np.array(
        [
            [power or 0.0 for power in (point.gamma_power, point.c1_power, point.c3_power)]
            for point, _ in pool
        ]
    )
    smooth = np.full(scores.size, -np.inf)
    kinds = [(point.kernel, point.membership) for point, _ in pool]
    for kind in set(kinds):
        alike = np.flatnonzero(known & np.array([other == kind for other in kinds]))
        near = np.exp(
            -cdist(position[alike], position[alike], "sqeuclidean") / (2.0 * BANDWIDTH**2)
        )
        smooth[alike] = near @ scores[alike] / near.sum(axis=1)
    combined = np.where(known, 0.5 * (np.nan_to_num(scores) + smooth), -np.inf)
    # Of equal scores, prefer the point nearest to the units of the data (powers of 0).
    extremeness = np.square(position).sum(axis=1)
    return [pool[k][0] for k in np.lexsort((extremeness, -np.round(combined, 12)))]


def first_of_each(ranked: Sequence[Point], key: Callable[[Point], Any]) -> list[Point]:
    """Return the best point for each value of the key, from best to worst."""
    found: dict[Any, Point] = {}
    for point in ranked:
        found.setdefault(key(point), point)
    return list(found.values())
