"""Corruptions of the training rows in the robustness study. Test rows are never corrupted."""

from dataclasses import dataclass

import numpy as np

from benchmarks.paper.methods.rows import Rows


@dataclass(frozen=True)
class Corruption:
    """Flip the labels of a share of the rows, or move a share of the rows far away."""

    key: str
    title: str
    flipped: float = 0.0
    outliers: float = 0.0
    # Student-t noise reaches far beyond the range [0, 1] of the features, which are not scaled again.
    outlier_scale: float = 1.0

    def apply(self, rows: Rows, seed: int) -> Rows:
        rng = np.random.default_rng(seed)
        x, y = rows.x.copy(), rows.y.copy()
        for label in (1, -1):
            # The share applies to each class, so that the class proportions stay the same.
            members = np.flatnonzero(rows.y == label)
            chosen = rng.choice(members, round(self.flipped * members.size), replace=False)
            y[chosen] = -label
            chosen = rng.choice(members, round(self.outliers * members.size), replace=False)
            x[chosen] += self.outlier_scale * rng.standard_t(2, (chosen.size, x.shape[1]))
        return Rows(x, y)


CORRUPTIONS = {
    one.key: one
    for one in (
        Corruption("clean", "clean"),
        Corruption("flip10", "10 % of labels flipped", flipped=0.1),
        Corruption("flip20", "20 % of labels flipped", flipped=0.2),
        Corruption("flip30", "30 % of labels flipped", flipped=0.3),
        Corruption("outliers", "10 % of rows outliers", outliers=0.1),
    )
}
