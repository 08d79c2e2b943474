"""Whitening of a class for any regularization c by one eigendecomposition.

With the eigendecomposition R'SR = U diag(l) U' in place of the Cholesky factor of R'SR + cI
(docs/maths.md, section 3),

    z_i = [ (l + c)^-1/2 * U'R'(F_i - m), 1/sqrt(W) ]                     (eq. 8)

The projections U'R'(F_i - m) are the same for every c, so a new c costs one product with a
diagonal.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, svd

from frtsvm_core.twin.whitening import (
    MIN_RELATIVE_C,
    ROUNDING,
    ClassScatter,
    centred_rows,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class ClassSpectrum:
    """Eigenvectors and eigenvalues of the scatter of one class, in the coordinates F."""

    own: ClassScatter
    spread: FloatArray  # l, at least 0
    directions: FloatArray  # R U, one direction per column

    def project(self, rows: FloatArray) -> FloatArray:
        """Return U'R'(F - m), one row each."""
        projected: FloatArray = (rows - self.own.mean) @ self.directions
        return projected

    def whitened(self, projected: FloatArray, c: float) -> FloatArray:
        """Return Z for projected rows."""
        z = np.empty((projected.shape[0], self.spread.size + 1))
        np.divide(projected, np.sqrt(self.spread + c), out=z[:, :-1])
        z[:, -1] = 1.0 / np.sqrt(self.own.total_weight)
        return z

    def rounding(self, c: float) -> float:
        """Return a bound on the error of a whitened row that is due to the rounding of F_i - m."""
        squared = np.einsum("ij,ij->j", self.directions, self.directions) / (self.spread + c)
        return ROUNDING * float(np.sqrt(squared.sum()) * np.linalg.norm(self.own.mean))

    def planes(self, v: FloatArray, c: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Convert whitened solutions v, one per row, to planes, up to their sign.

        Returns the directions in projected coordinates, the values of f at the class mean, and the
        directions g in the coordinates F.
        """
        direction = v[:, :-1] / np.sqrt(self.spread + c)
        at_mean: FloatArray = v[:, -1] / np.sqrt(self.own.total_weight)
        return direction, at_mean, direction @ self.directions.T


def class_spectrum(
    rows: FloatArray, own: ClassScatter, root: FloatArray | None, smallest_c: float
) -> ClassSpectrum:
    """Decompose the scatter matrix of a class.

    If `smallest_c` is below the rounding errors of the scatter, the centered rows are decomposed
    instead, which avoids squaring them.
    """
    matrix = own.scatter if root is None else root.T @ own.scatter @ root
    if smallest_c > MIN_RELATIVE_C * float(np.trace(matrix)):
        spread, vectors = eigh(matrix, driver="evd", check_finite=False)
    else:
        _, singular, transposed = svd(centred_rows(rows, own, root), full_matrices=True)
        spread = np.zeros(matrix.shape[0])
        spread[: singular.size] = singular**2
        vectors = transposed.T
    directions = vectors if root is None else root @ vectors
    return ClassSpectrum(own, np.maximum(spread, 0.0), np.ascontiguousarray(directions))
