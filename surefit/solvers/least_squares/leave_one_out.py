"""Leave-one-out errors of ridge regression in closed form, for a whole path of penalties.

With centered data A = √W (X − x̄) and AᵀA = V Λ Vᵀ, the fit without row i misses it by

    eᵢ = rᵢ / (1 − ωᵢ hᵢ − ωᵢ/Σω)            rᵢ: residual of the full fit;  hᵢ = Σⱼ ((xᵢ − x̄)·vⱼ)² / (λⱼ + α)

so one eigendecomposition and one rotation of the rows serve all penalties: residuals and leverages for every α are two
matrix products on a leaf. The sums Σ ωᵢ eᵢ² add up over leaves. A row of weight ω is left out as a whole.

Data with no more rows than columns uses G = AAᵀ + αI instead:  √ωᵢ eᵢ = (G⁻¹y)ᵢ / (G⁻¹)ᵢᵢ , restricted to the
complement of √ω when there is an intercept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import scipy.linalg

from surefit._core.errors import InvalidData
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.least_squares.least_squares import (
    REFINABLE,
    LinearFit,
    centered_products,
    from_moments,
    least_squares,
)
from surefit.solvers.least_squares.tsqr import dense_rows, triangular_factor
from surefit.solvers.least_squares.wide import Complement, gather_rows
from surefit.summaries.moments import Moments, MomentsStep


class Path(NamedTuple):
    """What a leaf needs to know; t targets, A penalties, d features."""

    center: np.ndarray
    basis: np.ndarray
    """V, (d, d)"""
    shrink: np.ndarray
    """1 / (λ + α), (d, A)"""
    coef: np.ndarray
    """Coefficients in the basis V, (d, t·A)"""
    share: float
    """1 / Σω, or 0 without an intercept."""


def leaf_errors(path: Path, leaf: Block) -> np.ndarray:
    """eᵢ for every penalty, (rows, t, A)."""
    d = leaf.X.shape[1]
    y = leaf.targets
    Z = (dense_rows(leaf.X) - path.center[:d]) @ path.basis
    errors = (Z @ path.coef).reshape(len(Z), y.shape[1], -1)
    np.subtract((y - path.center[d:])[:, :, None], errors, out=errors)
    np.multiply(Z, Z, out=Z)
    left = Z @ path.shrink
    left += path.share
    if leaf.w is not None:
        left *= leaf.w[:, None]
    np.subtract(1.0, left, out=left)
    # Where all the weight is on one row both are zero: the sum is not finite, and the caller refuses it.
    with np.errstate(divide="ignore", invalid="ignore"):
        errors /= left[:, None, :]
    return errors


class LeaveOneOutStep(Step):
    """Statistic: Σ ω e², (t, A)."""

    def map_leaf(self, state: Path, leaf: Block) -> np.ndarray:
        errors = leaf_errors(state, leaf)
        flat = errors.reshape(len(errors), -1)
        np.multiply(flat, flat, out=flat)
        weights = np.ones(len(flat)) if leaf.w is None else leaf.w
        return (weights @ flat).reshape(errors.shape[1:])

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


class LeaveOneOut(ABC):
    """The errors of one data set over a path of penalties."""

    def __init__(self, data: Source, alphas: np.ndarray, fit_intercept: bool) -> None:
        self.data, self.alphas, self.fit_intercept = data, alphas, fit_intercept

    def sums(self) -> np.ndarray:
        """Σ ω e² over all rows, (t, A)."""
        total = self._sums()
        if not np.isfinite(total).all():
            raise InvalidData(
                "leave-one-out needs at least two rows that carry weight: without one row nothing is left to fit. "
                "Got n_samples = 1 with a positive weight, or values too large to square"
            )
        return total

    @abstractmethod
    def _sums(self) -> np.ndarray: ...

    @abstractmethod
    def errors(self) -> np.ndarray:
        """e for every row in order, (n, t, A). A row of weight zero is missed by the full fit's residual."""

    @abstractmethod
    def fit(self, alpha: np.ndarray) -> LinearFit:
        """The ridge fit at one penalty for each target."""


def leave_one_out(data: Source, alphas: np.ndarray, *, fit_intercept: bool, by_svd: bool = False) -> LeaveOneOut:
    if data.n_rows > data.n_features:
        return TallLeaveOneOut(data, alphas, fit_intercept, by_svd)
    return WideLeaveOneOut(data, alphas, fit_intercept)


class TallLeaveOneOut(LeaveOneOut):
    """More rows than columns: from the products of the columns, or their triangular factor."""

    def __init__(self, data: Source, alphas: np.ndarray, fit_intercept: bool, by_svd: bool) -> None:
        super().__init__(data, alphas, fit_intercept)
        self._moments: Moments = data.fold(MomentsStep(True))
        self._path = self._decompose(by_svd)

    def _sums(self) -> np.ndarray:
        return self.data.fold(LeaveOneOutStep(), self._path)

    def errors(self) -> np.ndarray:
        leaves = (leaf for block in self.data.blocks() for leaf in block.leaves())
        return np.concatenate([leaf_errors(self._path, leaf) for leaf in leaves])

    def fit(self, alpha: np.ndarray) -> LinearFit:
        return from_moments(self.data, self._moments, alpha=alpha, fit_intercept=self.fit_intercept)

    def _decompose(self, by_svd: bool) -> Path:
        d = self.data.n_features
        center, products = centered_products(self._moments, self.data, self.fit_intercept)
        if not np.isfinite(products).all():
            raise InvalidData("the squares of the values overflow: rescale the columns (to at most 1e150) first")
        found = None if by_svd else self._by_products(products[:d, :d], products[:d, d:])
        values, basis, along = found or self._by_triangle(center)
        shrink = 1.0 / (values[:, None] + self.alphas)
        coef = (along[:, :, None] * shrink[:, None, :]).reshape(len(values), -1)
        share = 1.0 / self._moments.weight if self.fit_intercept else 0.0
        return Path(center, np.ascontiguousarray(basis), shrink, coef, share)

    def _by_products(self, S: np.ndarray, cross: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Λ, V and VᵀAᵀy; None where products have lost the small eigenvalues, which the triangular factor has not."""
        values, basis = scipy.linalg.eigh(S, driver="evd", check_finite=False)
        values = values.clip(0.0)
        weakest = self.alphas.min()
        if (values[-1] + weakest) / REFINABLE > values[0] + weakest:
            return None
        return values, basis, basis.T @ cross

    def _by_triangle(self, center: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        d = self.data.n_features
        triangle = triangular_factor(self.data, center, self.fit_intercept)
        U, s, Vt = scipy.linalg.svd(triangle[:, :d], full_matrices=False, check_finite=False)
        return s**2, Vt.T, s[:, None] * (U.T @ triangle[:, d:])


class WideLeaveOneOut(LeaveOneOut):
    """No more rows than columns: from the products of the rows."""

    def __init__(self, data: Source, alphas: np.ndarray, fit_intercept: bool) -> None:
        super().__init__(data, alphas, fit_intercept)
        self._rows = gather_rows(data, fit_intercept)

    def _sums(self) -> np.ndarray:
        errors, _ = self._row_errors()
        return np.einsum("i,ika->ka", self._rows.root**2, errors**2)

    def errors(self) -> np.ndarray:
        found, coef = self._row_errors()
        rows = self._rows
        result = np.empty((self.data.n_rows, *found.shape[1:]))
        result[rows.kept] = found
        dropped = np.setdiff1d(np.arange(self.data.n_rows), rows.kept)
        for block in self.data.blocks() if len(dropped) else ():
            inside = dropped[(dropped >= block.start) & (dropped < block.start + block.n_rows)] - block.start
            predicted = np.tensordot(dense_rows(block.X[inside]) - rows.x_mean, coef, axes=1)
            result[inside + block.start] = (block.targets[inside] - rows.y_mean)[:, :, None] - predicted
        return result

    def fit(self, alpha: np.ndarray) -> LinearFit:
        return least_squares(self.data, alpha=alpha, fit_intercept=self.fit_intercept)

    def _row_errors(self) -> tuple[np.ndarray, np.ndarray]:
        """e of the rows that carry weight, (n, t, A), and the coefficients (d, t, A) of the full fits."""
        rows = self._rows
        A, Y = rows.A, rows.Y
        complement = Complement(rows.root, self.fit_intercept)
        K = complement.square(A @ A.T)
        if len(K) == 0:
            return np.full((len(A), Y.shape[1], len(self.alphas)), np.nan), np.zeros((A.shape[1], 0, 0))
        values, Q = scipy.linalg.eigh(K, driver="evd", check_finite=False)
        Q = complement.out_of(Q)
        D = 1.0 / (values.clip(0.0)[:, None] + self.alphas)
        along = Q.T @ Y
        c = np.tensordot(Q, along[:, :, None] * D[:, None, :], axes=1)
        diagonal = (Q * Q) @ D
        return c / diagonal[:, None, :] / rows.root[:, None, None], np.tensordot(A.T, c, axes=1)
