"""Interpolation by radial basis functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import combinations_with_replacement
from types import SimpleNamespace
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import Estimator, fitting
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit.engine.apply import apply_rows
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.rbf.radial import Radial, RadialName, kind_of_kernel, nearest_distance
from surefit.solvers.kernel_system.interpolation import interpolate

MISSED = 1e-7
"""A share of the spread of y by which the surface may miss a point before it is told."""


class RBFInterpolator(MultiOutputMixin, RegressorMixin, Estimator):
    """f(x) = Σⱼ wⱼ φ(‖x − cⱼ‖) + p(x) through every point: f(xᵢ) = yᵢ, the centers cⱼ being the points.

    φ: "gaussian" exp(−r²/2σ²), "multiquadric" √(r² + σ²), "inverse_multiquadric" 1/√(r² + σ²), "thin_plate_spline"
    r² log r, "linear" r, "cubic" r³, or an expression of surefit.kernels. p is a polynomial, of the degree that φ needs
    for the answer to be unique, and the weights are orthogonal to such polynomials. With `smoothing` λ the surface need
    not go through the points: s·φ(‖xᵢ − xⱼ‖) has λ/ωᵢ added on the diagonal, with s = −1 for "multiquadric" and
    "linear". Points that occur more than once are one point, at the weighted mean of their targets.

    {parameters}

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
        The distinct rows of positive weight, in the order in which they came: X, where none repeats.
    weights_ : ndarray of shape (n_centers,) or (n_centers, n_targets)
    width_ : float or None
        σ; None where φ has none.
    polynomial_ : ndarray of shape (n_monomials,) or (n_monomials, n_targets)
        Coefficients of p; empty where there is no polynomial.
    powers_ : ndarray of shape (n_monomials, n_features)
        Exponents of the monomials of p, in the coordinates (x − shift_)/scale_.
    shift_, scale_ : ndarray of shape (n_features,)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.rbf import RBFInterpolator
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 2.0, 0.0])
    >>> RBFInterpolator("linear").fit(X, y).predict([[0.5], [1.0], [2.0]]).round(9)
    array([1.5, 2. , 1. ])
    """

    centers_: np.ndarray
    weights_: np.ndarray
    width_: float | None
    polynomial_: np.ndarray
    powers_: np.ndarray
    shift_: np.ndarray
    scale_: np.ndarray

    def __init__(
        self,
        kernel: Annotated[
            RadialName | Callable, "The radial function: a name, or an expression of surefit.kernels."
        ] = "gaussian",
        *,
        width: Annotated[
            float | None,
            Range(0, open="both"),
            "σ, for those that have one; None is the mean distance of a point to its nearest neighbor.",
        ] = None,
        smoothing: Annotated[float, Range(0, open="high"), "λ; 0 goes through the points."] = 0.0,
        degree: Annotated[
            int | None, Range(-1, 5), "Of the polynomial; −1 is none, None the least that the kernel needs."
        ] = None,
    ) -> None:
        self.kernel = kernel
        self.width = width
        self.smoothing = smoothing
        self.degree = degree

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the surface through the points X with the targets y (one or several columns), with optional weights."""
        p = self._checked()
        degree = _degree(p)
        data = open_data(self, X, y, sample_weight, target=True, stream=False, instead="RBFNetworkRegressor")
        rows, Y, w = _distinct(data, warn=p.smoothing == 0)
        n = len(rows)
        refuse_beyond_memory(32.0 * n * n, f"The matrix of {n} points", "Use RBFNetworkRegressor: it has few centers.")
        kind = kind_of_kernel(p.kernel)
        self.centers_ = rows
        self.width_ = (float(p.width) if p.width else nearest_distance(rows)) if kind.has_width else None
        self.powers_ = _powers(data.n_features, degree)
        self._place_polynomial(rows)
        K = Radial(p.kernel, rows, self.width_)(rows)
        if not np.isfinite(K).all():
            raise InvalidData(
                "the distances between rows left the range of floating-point numbers: rescale the columns"
            )
        smoothing = None if p.smoothing == 0 else p.smoothing / w
        found = interpolate(K, self._monomials(rows), Y, kind.sign if degree >= kind.degree else 0, smoothing)
        self._tell(found.residual, Y)
        single = data.target_ndim == 1
        self.weights_ = narrowed(found.weights[:, 0] if single else found.weights, data.dtype)
        self.polynomial_ = narrowed(found.polynomial[:, 0] if single else found.polynomial, data.dtype)
        return self

    def _place_polynomial(self, rows: np.ndarray) -> None:
        low, high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
        self.shift_ = low + (high - low) / 2
        self.scale_ = np.where(high > low, (high - low) / 2, 1.0)

    def _monomials(self, rows: Any) -> np.ndarray:
        """∏ⱼ ((xⱼ − shift)/scale)^power, (rows, monomials)"""
        P = np.ones((rows.shape[0], len(self.powers_)))
        if P.shape[1] > 1:
            dense = rows.toarray() if sp.issparse(rows) else rows
            Z = np.subtract(dense, self.shift_, dtype=np.float64) / self.scale_
            for column, powers in zip(P.T, self.powers_, strict=True):
                for j in np.flatnonzero(powers):
                    column *= Z[:, j] ** powers[j]
        return P

    def _tell(self, residual: np.ndarray, Y: np.ndarray) -> None:
        missed = float(np.abs(residual).max(initial=0.0))
        spread = float(np.ptp(Y, axis=0).max(initial=0.0)) or float(np.abs(Y).max(initial=0.0))
        if missed > MISSED * spread:
            warnings.warn(
                f"the surface misses the points by up to {missed:.2g}: the matrix of the kernel is singular to "
                "rounding. Give a smaller width, another kernel, or smoothing",
                stacklevel=4,
            )

    def predict(self, X: Any) -> np.ndarray:
        """The height of the surface over every row of X: an array, a dataframe, CSR, Parquet or a Dask collection."""
        check_is_fitted(self)
        radial = Radial(self.kernel, self.centers_, self.width_)

        def height(rows: Any) -> np.ndarray:
            values = radial(rows) @ self.weights_ + self._monomials(rows) @ self.polynomial_
            return values.astype(np.float32 if rows.dtype == np.float32 else np.float64, copy=False)

        return apply_rows(self, X, height)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _degree(p: SimpleNamespace) -> int:
    kind = kind_of_kernel(p.kernel)
    if p.degree is None:
        return kind.degree
    if p.degree < kind.degree and kind.degree > 0:
        raise InvalidParameter(
            f"RBFInterpolator(degree=…) must be at least {kind.degree} with kernel={p.kernel!r}, or the surface need "
            f"not be unique; got {p.degree}."
        )
    return int(p.degree)


def _powers(n_features: int, degree: int) -> np.ndarray:
    """Exponents of all monomials up to a degree, (monomials, features)."""
    powers = []
    for total in range(degree + 1):
        for columns in combinations_with_replacement(range(n_features), total):
            powers.append(np.bincount(np.array(columns, dtype=np.intp), minlength=n_features))
    return np.array(powers, dtype=np.int64).reshape(len(powers), n_features)


def _distinct(data: Source, *, warn: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct rows of positive weight in the order of the data, the weighted mean of their targets, their weights."""
    rows = data.X.toarray() if data.is_sparse else np.array(data.X)
    Y = np.asarray(data.y, dtype=np.float64).reshape(len(rows), -1)
    w = np.ones(len(rows)) if data.w is None else data.w
    counts = w > 0
    rows, Y, w = rows[counts], Y[counts], w[counts]
    _, first, group = np.unique(rows + 0.0, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(rows):
        return rows, Y, w
    group = group.ravel()
    total = np.bincount(group, w)
    base = Y[first]  # deviations from a member: equal targets stay as they are
    mean = (
        base
        + np.stack([np.bincount(group, w * (y - b[group])) for y, b in zip(Y.T, base.T, strict=True)], 1)
        / total[:, None]
    )
    differing = np.unique(group[(Y != base[group]).any(axis=1)])
    if warn and len(differing):
        warnings.warn(
            f"{len(differing)} point(s) occur more than once with different targets (the first is row "
            f"{int(np.flatnonzero(counts)[first[differing[0]]])}): the surface goes through their mean. With "
            "smoothing > 0 it need not go through points",
            stacklevel=5,
        )
    order = np.argsort(first)
    return rows[first[order]], mean[order], total[order]
