"""Rank limits of the kernel factorization for rank="auto"."""

import numpy as np

# Up to this many rows the full factorization takes little time, so "auto" does not approximate.
EXACT_ROWS = 256
# "auto" limits a fit to this many operations (about one second on one CPU core).
_AUTO_OPERATIONS = 2e10
_MIN_RANK_CAP = 100


def affordable_rank(n_rows: int) -> int:
    """Return the largest rank m that rank="auto" may reach for this number of rows l.

    At this rank, the products with F (4 l m^2) and the m x m matrices (8 m^3) stay within the
    allowed number of operations. It is at least 100.
    """
    ranks = np.arange(_MIN_RANK_CAP, 4001)
    operations = 4.0 * n_rows * ranks**2.0 + 8.0 * ranks**3.0
    return int(ranks[max(int((operations <= _AUTO_OPERATIONS).sum()) - 1, 0)])
