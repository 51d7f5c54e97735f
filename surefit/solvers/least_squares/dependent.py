"""Sparse columns that depend on each other, such as one for each level of several categories.

The eigenvalues of the products C = V Λ Vᵀ of centered columns of unit norm are of two kinds then: some well above zero,
and some that are rounding. Products alone cannot tell a dependence from one that fails by √ε; one pass over the rows,
A v for the eigenvectors v of the second kind, can. Where all of them are dependences,

    F = Λ^½ Vᵀ diag(norms)   and   Z = Λ^{-½} Vᵀ diag(norms)⁻¹ Aᵀy        (of the first kind)

have FᵀF = AᵀA and FᵀZ = Aᵀy, and serve as the triangular factor of the data would.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from surefit._core.threads import threads_for
from surefit.engine.sources.source import Source
from surefit.solvers.numerics.triangle import EPS
from surefit.summaries.row_products import scores

ROUNDING = 64.0
"""Eigenvalues of at most so many roundings for each column are those of dependences."""


def factor_of_dependent(
    data: Source, center: np.ndarray, products: np.ndarray, worst_condition: float
) -> np.ndarray | None:
    """[F, Z] for the columns [X, y], with rows below for what is left of y; None where a dependence is not exact.

    `worst_condition`: of the independent directions, up to which products serve.
    """
    d = data.n_features
    norms = np.sqrt(np.diagonal(products)[:d])
    if not (data.is_sparse and data.resident and data.w is None and norms.all()):
        return None
    C = products[:d, :d] / norms[:, None] / norms
    values, V = scipy.linalg.eigh(C, check_finite=False)
    independent = values > ROUNDING * d * EPS * values[-1]
    if independent.all() or values[independent][0] * worst_condition < values[-1]:
        return None
    N = V[:, ~independent] / norms[:, None]
    images = scores(data.X, np.ascontiguousarray(N.T), -(center[:d] @ N), threads_for(2.0 * data.X.nnz * N.shape[1]))
    if np.abs(images).max() > ROUNDING * d * EPS * np.sqrt(values[-1]):
        return None
    root, V = np.sqrt(values[independent]), V[:, independent]
    F = root[:, None] * V.T * norms
    Z = (V.T @ (products[:d, d:] / norms[:, None])) / root[:, None]
    left = np.diag(np.sqrt(np.maximum(np.diagonal(products)[d:] - (Z * Z).sum(axis=0), 0.0)))
    return np.block([[F, Z], [np.zeros((len(left), d)), left]])
