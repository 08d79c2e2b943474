"""Choose one candidate of a search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

FloatArray = NDArray[np.float64]

# Mean scores that differ by less are a tie: the difference is only a rounding error.
_TIED = 1e-9


@dataclass(frozen=True)
class Choice:
    params: dict[str, float]
    score: float


@dataclass(frozen=True)
class ScoreTable:
    """Mean validation accuracy over a grid, one dimension per parameter."""

    axes: dict[str, tuple[float, ...]]
    scores: FloatArray

    def best(self) -> Choice:
        """The candidate with the highest score; of a tie, the one with the best neighbors in the grid.

        With few rows, dozens of candidates tie. Taking the first one would favor the edge of the grid,
        and an edge means something different for each method.
        """
        tied = self.scores >= self.scores.max() - _TIED
        around = uniform_filter(self.scores, size=3, mode="nearest")
        index = np.unravel_index(np.where(tied, around, -np.inf).argmax(), self.scores.shape)
        params = {
            name: float(values[position])
            for (name, values), position in zip(self.axes.items(), index, strict=True)
        }
        return Choice(params, float(self.scores[index]))
