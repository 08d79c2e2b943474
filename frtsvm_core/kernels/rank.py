"""How large the rank of a kernel factorization may grow by itself."""

import numpy as np

# Up to this many rows the full factorization costs nothing, so "auto" does not approximate.
EXACT_ROWS = 256
# "auto" stops where a fit would take more than this many operations (about a second of one core).
_AUTO_OPERATIONS = 2e10
_LEAST_CAP = 100


def affordable_rank(n_rows: int) -> int:
    """The largest rank m at which the products with F (4 l m^2) and the small matrices (8 m^3) stay
    within the operations that "auto" may take."""
    ranks = np.arange(_LEAST_CAP, 4001)
    operations = 4.0 * n_rows * ranks**2.0 + 8.0 * ranks**3.0
    return int(ranks[max(int((operations <= _AUTO_OPERATIONS).sum()) - 1, 0)])
