"""Least squares, with or without a ridge penalty, on data of any size:

    min over w, b of  Σᵢ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖²            one α for each target

The cheap road first, the safe one when it is needed; which one depends on the data alone, never on where it lies:

1. One pass gives the products of deviations. Columns are scaled to unit norm, the scaled matrix is factorised by
   Cholesky and its condition number κ² (κ: that of the scaled data) is estimated. The answer has an error of about
   κ²·ε. Up to `PLAIN` that is what a QR factorisation of the data would give, and the answer stands.
2. Up to `REFINABLE`, further passes measure the gradient at the answer and correct it (`refine`); beyond `MILD`, where
   the data is not large, in twice the working precision.
3. Beyond that, products have lost too much. A pass computes the triangular factor of the data itself (`tsqr`); its
   singular values decide the rank, and the answer is corrected as in 2. When columns are linearly dependent at the
   level of rounding the answer is the shortest w in the user's coordinates. (For sparse rows such dependences are
   looked for in the products first: `dependent`.)

Data with more columns than rows goes to `wide`, sparse data too wide for a square matrix to `iterate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpocon, dpotrf, dpotrs

from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit.engine.sources.source import Source
from surefit.solvers.least_squares import refine as refinement
from surefit.solvers.least_squares.dependent import factor_of_dependent
from surefit.solvers.least_squares.iterate import iterate, iterated
from surefit.solvers.least_squares.refine import correct, refine, unshift
from surefit.solvers.least_squares.tsqr import Shift, triangular_factor
from surefit.solvers.least_squares.wide import solve_wide
from surefit.solvers.numerics.triangle import EPS, Inverse, column_norms, solve_triangle, varies
from surefit.summaries.moments import Moments, MomentsStep

PLAIN = 100.0
"""Condition of the scaled products up to which the first answer stands."""
MILD = 1e4
"""Condition up to which one correction in working precision makes up for the products."""
REFINABLE = 1e8
"""Condition of the scaled products up to which they serve to correct the answer."""
SPARSE_WIDTH = 4096
"""Sparse data with more columns is solved by iteration, without a square matrix."""


FACTOR_WIDTH = 1024
"""Sparse data in memory with more columns is tried by iteration first, and factorised where that takes too long."""
PATIENCE = 500
"""Iterations after which a factor is cheaper."""


class LinearFit(NamedTuple):
    coef: np.ndarray
    """(targets, features)"""
    intercept: np.ndarray
    rank: int | None = None
    singular: np.ndarray | None = None
    """Singular values of the (centered, √weight-scaled) data; None where they were not computed."""
    factor: np.ndarray | None = None
    """F with FᵀF = XᵀX (centered, weighted); None where the columns are dependent."""
    mean: np.ndarray | None = None
    weight: float = 0.0
    residual_ss: np.ndarray | None = None
    total_ss: np.ndarray | None = None


def least_squares(
    data: Source,
    *,
    alpha: np.ndarray | None = None,
    fit_intercept: bool = True,
    inference: bool = False,
    max_iter: int | None = None,
) -> LinearFit:
    """Solve for all targets. `alpha`: a penalty for each; `inference`: rank, spectrum and residuals are wanted."""
    d, targets = data.n_features, data.n_targets
    alpha = np.zeros(targets) if alpha is None else alpha
    if data.is_sparse and (d > SPARSE_WIDTH or (data.n_rows < d and data.n_rows * d > 2**26)):
        return LinearFit(*iterate(data, alpha, fit_intercept, max_iter))
    if data.is_sparse and data.resident and d > FACTOR_WIDTH:
        found = iterated(data, alpha, fit_intercept, PATIENCE)
        if found.gradient == 0:
            return LinearFit(found.coef, found.intercept)
    if data.n_rows < d:
        return LinearFit(*solve_wide(data, alpha, fit_intercept))
    refuse_beyond_memory(
        32.0 * (d + targets) ** 2,
        f"The products of {d} columns",
        "Use fewer columns, or sparse data, which is solved by iteration.",
    )
    return from_moments(
        data, data.fold(MomentsStep(True)), alpha=alpha, fit_intercept=fit_intercept, inference=inference
    )


def from_moments(
    data: Source, moments: Moments, *, alpha: np.ndarray, fit_intercept: bool, inference: bool = False
) -> LinearFit:
    """The answer when the moments of [X, y] are known; `data` is passed over again only where they do not suffice."""
    d = data.n_features
    center, products = centered_products(moments, data, fit_intercept)
    penalties, group = np.unique(alpha, return_inverse=True)
    start = _start(data, moments, center, products, penalties, group, fit_intercept)
    w, residual_ss = start.w, start.residual_ss
    if not np.isfinite(w).all():
        raise InvalidData(
            "the coefficients left the range of floating-point numbers: bring the columns of X, and y, to a common "
            "scale"
        )
    b = _intercept(w, center, d, fit_intercept)
    # Σ y² − w·Xᵀy loses the digits of a small residual; a pass over the rows does not
    measured = inference and bool((residual_ss <= 1e-6 * start.total_ss).any())
    worst = max((inverse.condition for inverse in start.inverses if inverse.full_rank), default=1.0)
    if measured or worst > PLAIN:
        precise = measured or worst > MILD
        shift = Shift(center, _powers(start.norms, moments.weight), fit_intercept)
        w, b, residual_ss = _refined(data, shift, moments.weight, w, alpha, start.inverses, group, precise)
    if not inference:
        return LinearFit(w, b)
    return LinearFit(
        w,
        b,
        start.inverses[0].rank,
        _singular_values(start.factor, d),
        start.factor if start.inverses[0].rank == d else None,
        center[:d],
        moments.weight,
        np.maximum(residual_ss, 0.0),
        start.total_ss,
    )


@dataclass
class _Start:
    """A first answer, and what it was found with."""

    w: np.ndarray
    inverses: list[Inverse]
    """(XᵀX + penalty)⁻¹ for each penalty."""
    norms: np.ndarray
    """Of the columns of X and y."""
    total_ss: np.ndarray
    residual_ss: np.ndarray
    """For each target; zero where it takes a pass over the rows to know it."""
    factor: np.ndarray | None
    """F with FᵀF = XᵀX; None with a penalty."""


def _start(
    data: Source,
    moments: Moments,
    center: np.ndarray,
    products: np.ndarray,
    penalties: np.ndarray,
    group: np.ndarray,
    fit_intercept: bool,
) -> _Start:
    """From the products where they are good enough for every penalty, else from the triangular factor."""
    d = data.n_features
    norms = np.sqrt(np.diagonal(products).clip(0.0))
    growth = _rounding_growth(center, norms, moments.weight, data.is_sparse)
    trusted = _products_are_good(products, norms, moments, data)
    found = [_cholesky(products[:d, :d], penalty, growth) if trusted else None for penalty in penalties]
    inverses = [inverse for inverse in found if inverse is not None]
    cross, w = products[:d, d:], np.zeros((data.n_targets, d))
    if len(inverses) == len(penalties):
        for i, inverse in enumerate(inverses):
            w[group == i] = inverse.apply(cross[:, group == i].T)
        total_ss = np.diagonal(products)[d:].copy()
        residual_ss = total_ss - np.einsum("kj,jk->k", w, cross)
        return _Start(w, inverses, norms, total_ss, residual_ss, inverses[0].factor)
    residual_ss = np.zeros(data.n_targets)
    triangle = factor_of_dependent(data, center, products, PLAIN / growth) if trusted else None
    if triangle is None:
        triangle = triangular_factor(data, center, fit_intercept)
    else:
        residual_ss = np.diagonal(triangle[-data.n_targets :, d:]) ** 2
    norms = column_norms(triangle)
    offsets = np.sqrt(moments.weight) * np.abs(center[:d])
    rows, inverses = min(data.n_rows, data.leaf_rows), []
    R, Z = triangle[:, :d], triangle[:, d:]
    for i, (penalty, by_products) in enumerate(zip(penalties, found, strict=True)):
        if by_products is None:
            w[group == i], inverse = solve_triangle(R, Z[:, group == i], penalty, offsets, rows)
        else:
            w[group == i], inverse = by_products.apply(cross[:, group == i].T), by_products
        inverses.append(inverse)
    with np.errstate(over="ignore"):  # a target of 1e200 has no sum of squares; its coefficients do not need it
        total_ss = norms[d:] ** 2
    return _Start(w, inverses, norms, total_ss, residual_ss, triangle[:d, :d])


def centered_products(moments: Moments, data: Source, fit_intercept: bool) -> tuple[np.ndarray, np.ndarray]:
    """What is subtracted from the columns (nothing without an intercept), and the products of what remains."""
    if not np.isfinite(moments.mean).all():
        column = int(np.flatnonzero(~np.isfinite(moments.mean))[0])
        what = f"column {column} of X" if column < data.n_features else "the target"
        raise InvalidData(f"the mean of {what} overflows: its values are too large. Rescale it.")
    if fit_intercept:
        return moments.mean, moments.products
    raw = moments.products + moments.weight * np.multiply.outer(moments.mean, moments.mean)
    return np.zeros_like(moments.mean), raw


def _products_are_good(products: np.ndarray, norms: np.ndarray, moments: Moments, data: Source) -> bool:
    """Not overflown or underflown; and for CSR, whose products are differences, not cancelled."""
    # a zero is that of a constant column, or of values so small that their squares vanish: their mean tells
    size = np.where(norms > 0, norms, np.abs(moments.mean))
    if not np.isfinite(products).all() or ((size > 0) & (size < 1e-140)).any() or size.max(initial=0.0) > 1e140:
        return False
    if not data.is_sparse:
        return True
    raw = np.diagonal(moments.products) + moments.weight * moments.mean**2
    return bool((np.diagonal(products) >= 1e-6 * raw)[: data.n_features].all())


def _rounding_growth(center: np.ndarray, norms: np.ndarray, weight: float, sparse: bool) -> float:
    """By how much offsets multiply the rounding of the products.

    Deviations are taken from a rounded mean. With r the offset over the spread, its rounding ½εr enters the products
    squared: a share ¼ε²r² of them, ½εr² roundings. In CSR rows the means of leaves are rounded too, and differences
    of means enter once, as far as the rows of a chunk do not average them out.
    """
    varying = norms > 0
    offset = float(np.max(np.abs(center[varying]) * np.sqrt(weight) / norms[varying], initial=0.0))
    return max(1.0, offset / 32 if sparse else 2 * EPS * offset * offset)


def _cholesky(S: np.ndarray, penalty: float, growth: float) -> Inverse | None:
    """(S + penalty·I)⁻¹ through the unit-diagonal form of S; None where it is too ill-conditioned to be used."""
    diagonal = np.diagonal(S) + penalty
    keep = varies(np.sqrt(diagonal.clip(0.0)), np.zeros(len(diagonal)))
    full = keep.all()
    A = S if full else S[np.ix_(keep, keep)]
    if A.shape[0] == 0:
        return Inverse.nothing(len(keep))
    norms = np.sqrt(diagonal[keep])
    C = A / norms[:, None] / norms
    np.fill_diagonal(C, 1.0)
    factor, fault = dpotrf(C, lower=0, clean=1)
    if fault:
        return None
    one_norm = np.abs(C).sum(axis=0).max()
    reciprocal, _ = dpocon(factor, one_norm)
    if not reciprocal * REFINABLE >= growth:
        return None

    def solve(g: np.ndarray) -> np.ndarray:
        return dpotrs(factor, g.T, lower=0)[0].T

    of_data = factor * norms if penalty == 0 else None
    return Inverse(keep, norms, solve, growth / reciprocal, int(keep.sum()), True, of_data)


def _refined(
    data: Source,
    shift: Shift,
    weight: float,
    w: np.ndarray,
    alpha: np.ndarray,
    inverses: list[Inverse],
    group: np.ndarray,
    precise: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    d = data.n_features
    x_scale, y_scale = shift.scale[:d], shift.scale[d:]

    def solve(g: np.ndarray) -> np.ndarray:
        # The factor belongs to unscaled columns: (s XᵀX s)⁻¹ g = s⁻¹ (XᵀX)⁻¹ s⁻¹ g.
        step = np.zeros_like(g)
        for i, inverse in enumerate(inverses):
            members = np.flatnonzero(group == i)
            if inverse.full_rank:
                step[members] = inverse.apply(g[members] / x_scale) / x_scale
        return step

    w = w / x_scale * y_scale[:, None]
    if precise and not data.is_sparse and data.n_rows * d <= refinement.TWOFOLD_ELEMENTS:
        answer, residual_ss = refine(data, shift, weight, w, solve, alpha)
        w, b = unshift(answer, shift)
    else:
        w, b, residual_ss = correct(data, shift, weight, w, solve, alpha)
        w = w * x_scale / y_scale[:, None]
        b = b / y_scale + _intercept(w, shift.center, d, shift.intercept)
    with np.errstate(over="ignore"):
        return w, b, residual_ss / y_scale / y_scale


def _intercept(w: np.ndarray, center: np.ndarray, d: int, fit_intercept: bool) -> np.ndarray:
    return center[d:] - w @ center[:d] if fit_intercept else np.zeros(len(w))


def _powers(norms: np.ndarray, weight: float) -> np.ndarray:
    """Powers of two that bring the columns to about unit size."""
    size = np.where((norms > 0) & np.isfinite(norms), norms, 1.0) / np.sqrt(weight)
    return 1.0 / power_of_two(size)


def _singular_values(factor: np.ndarray | None, d: int) -> np.ndarray:
    """Those of the data, from its triangular factor; columns that were left out count as zeros."""
    values = np.zeros(d)
    if factor is not None and factor.size:
        found = scipy.linalg.svdvals(factor, check_finite=False)
        values[: len(found)] = found
    return values
