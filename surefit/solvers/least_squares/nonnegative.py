"""Least squares with coefficients ≥ 0: Lawson and Hanson's active set on the triangular factor of the data.

The factor has as many rows as there are columns, whatever the number of rows of the data, and the same minimum. A
ridge penalty adds √α·I below it. The intercept is free, so centering removes it as without the constraint.
"""

from __future__ import annotations

import numpy as np

from surefit._core.errors import SurefitError
from surefit.engine.sources.source import Source
from surefit.solvers.least_squares.least_squares import LinearFit, centered_products
from surefit.solvers.least_squares.tsqr import triangular_factor
from surefit.solvers.least_squares.wide import gather_rows
from surefit.solvers.numerics.triangle import column_norms
from surefit.summaries.moments import MomentsStep


class NoProgress(SurefitError, RuntimeError):
    """The active-set method met its limit of steps."""


def nonnegative_least_squares(
    data: Source, *, alpha: np.ndarray | None = None, fit_intercept: bool = True
) -> LinearFit:
    d, targets = data.n_features, data.n_targets
    alpha = np.zeros(targets) if alpha is None else alpha
    if data.n_rows < d:
        rows = gather_rows(data, fit_intercept)
        R, Z, center = rows.A, rows.Y, np.concatenate([rows.x_mean, rows.y_mean])
    else:
        center, _ = centered_products(data.fold(MomentsStep(True)), data, fit_intercept)
        triangle = triangular_factor(data, center, fit_intercept)
        R, Z = triangle[:, :d], triangle[:, d:]
    w = np.vstack([_active_set(R, Z[:, k], alpha[k]) for k in range(targets)])
    return LinearFit(w, center[d:] - w @ center[:d])


def _active_set(R: np.ndarray, z: np.ndarray, alpha: float) -> np.ndarray:
    from scipy.optimize import nnls

    d = R.shape[1]
    if alpha > 0:
        R = np.vstack([R, np.sqrt(alpha) * np.eye(d)])
        z = np.concatenate([z, np.zeros(d)])
    norms = column_norms(R)
    keep = norms > 0
    w = np.zeros(d)
    if not keep.any() or not z.any():
        return w
    size = np.abs(z).max()
    try:
        found, _ = nnls(np.ascontiguousarray(R[:, keep] / norms[keep]), z / size, maxiter=30 * d + 300)
    except RuntimeError as error:
        raise NoProgress(
            f"the non-negative fit did not settle in {30 * d + 300} steps: columns of X are too close to dependent. "
            "Drop near-copies, or add a penalty (Ridge(positive=True))"
        ) from error
    w[keep] = found / norms[keep] * size
    return w
