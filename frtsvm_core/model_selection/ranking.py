"""Which of many candidates with noisy scores is best."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from frtsvm_core.model_selection.results import Evaluation
from frtsvm_core.model_selection.space import Point

# Distance, in powers of two, over which scores are averaged.
BANDWIDTH = 2.0


def ranking(pool: Sequence[tuple[Point, Evaluation]]) -> list[Point]:
    """Points from best to worst, by scores that lean on those of their neighbours.

    The best of many noisy scores is mostly the luckiest. A mean over the neighbourhood, with weights
    that fall with the distance in powers, tells a good region from a lucky point.
    """
    scores = np.array([evaluation.mean for _, evaluation in pool])
    known = ~np.isnan(scores)
    place = np.array(
        [
            [power or 0.0 for power in (point.gamma_power, point.c1_power, point.c3_power)]
            for point, _ in pool
        ]
    )
    smooth = np.full(scores.size, -np.inf)
    kinds = [(point.kernel, point.membership) for point, _ in pool]
    for kind in set(kinds):
        alike = np.flatnonzero(known & np.array([other == kind for other in kinds]))
        near = np.exp(-cdist(place[alike], place[alike], "sqeuclidean") / (2.0 * BANDWIDTH**2))
        smooth[alike] = near @ scores[alike] / near.sum(axis=1)
    trusted = np.where(known, 0.5 * (np.nan_to_num(scores) + smooth), -np.inf)
    # Equal scores say nothing; then what is nearest to the units of the data is the least daring.
    daring = np.square(place).sum(axis=1)
    return [pool[k][0] for k in np.lexsort((daring, -np.round(trusted, 12)))]


def first_of_each(ranked: Sequence[Point], key: Callable[[Point], Any]) -> list[Point]:
    """The best point for each value of the key, from best to worst."""
    found: dict[Any, Point] = {}
    for point in ranked:
        found.setdefault(key(point), point)
    return list(found.values())
