"""Principal axes: the leading singular values and right vectors of A = diag(√ω)(X − 1 mᵀ).

    covariance   eigenpairs of AᵀA (d × d), one pass, any source
    gram         eigenpairs of AAᵀ (n × n) when rows are fewer than columns, rows in memory
    qr           singular values of the triangle of A: no squaring, one pass, any source (wide data: SVD in memory)
    randomized   power iterations on a thin random matrix, any source
    lanczos      ARPACK on products with the data, rows in memory

`covariance` and `gram` cost the least and lose the digits of singular values below about 1e-8 of the largest. The
automatic choice goes on to `qr` when such a value is among those asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from surefit._core.errors import CannotStream, InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import thread_count
from surefit.engine.leaves import LEAF_ELEMENTS
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.numerics.eigen_basis import complete_basis, fix_signs, orthonormalize
from surefit.solvers.principal.eigen_gram import RowProducts, row_products
from surefit.solvers.principal.eigen_pairs import leading_pairs
from surefit.solvers.principal.eigen_qr import FactorStep, leaf_deviations
from surefit.solvers.principal.eigen_subspace import lanczos, randomized
from surefit.summaries.column_spread import column_spread
from surefit.summaries.moments import MomentsStep

Solver = Literal["auto", "full", "covariance_eigh", "arpack", "randomized"]
Count = int | Callable[[np.ndarray, float], int]
"""How many axes: a number, or a function of all eigenvalues of AᵀA (largest first) and their sum."""

SWAMPED = 1e-9
"""Eigenvalues of a squared matrix below this share of the largest have lost more than half their digits."""
SKEWED = 1e-3
"""From this share down the axes that the Gram route gives are made orthonormal once more."""
TRUSTED = 1e-6
"""Singular values from this share up give axes of wide data; smaller ones need a decomposition of the whole."""
LARGE, FEW = 4000, 100
"""Automatic choice: min(n, d) from which, and one in how many axes up to which, products with the data are cheaper."""
SPARSE_LARGE, SPARSE_FEW = 2000, 20


class Size(NamedTuple):
    """Rows as the weights count them."""

    weight: float
    n_counting: int
    """Rows of weight > 0."""
    n_features: int

    @property
    def limit(self) -> int:
        """The most axes one may ask for; a row of whole weight ω stands for ω rows."""
        return min(max(self.n_counting, math.ceil(self.weight)), self.n_features)

    @property
    def rank(self) -> int:
        """No more singular values than this differ from zero: centering takes one."""
        return min(self.n_counting - 1, self.n_features)


@dataclass
class Axes:
    mean: np.ndarray
    eigenvalues: np.ndarray
    """Of AᵀA along the axes, largest first; exactly 0 for directions in which the data does not vary."""
    singular_values: np.ndarray
    """Their roots: those of A."""
    components: np.ndarray
    """One axis a row, orthonormal; the entry of largest size is positive."""
    total: float
    """‖A‖²: all eigenvalues, also those not computed, add up to it."""
    tail: float | None
    """The sum of the eigenvalues after the kept ones, when they were computed."""
    weight: float
    route: str


@dataclass(frozen=True)
class Iteration:
    """What the iterative routes are told."""

    tol: float = 0.0
    n_oversamples: int = 10
    n_iter: int | None = None
    normalizer: str = "auto"
    stream: np.random.Generator | None = None
    stop: Callable[[], bool] = lambda: False


class _SizeStep(Step):
    def map_leaf(self, state: Any, leaf: Block) -> tuple[float, int]:
        w = np.ones(leaf.n_rows) if leaf.w is None else leaf.w
        return float(w.sum()), int(np.count_nonzero(w))

    def combine(self, left: tuple[float, int], right: tuple[float, int]) -> tuple[float, int]:
        return left[0] + right[0], left[1] + right[1]


def size_of(data: Source) -> Size:
    if not data.has_weights:
        return Size(float(data.n_rows), data.n_rows, data.n_features)
    weight, n_counting = data.fold(_SizeStep())
    return Size(weight, n_counting, data.n_features)


def principal_axes(data: Source, count: Count, size: Size, solver: Solver, how: Iteration) -> Axes:
    """The route for this solver and shape; `count` is at most size.limit."""
    route = _route(data, count, solver)
    if route == "covariance":
        axes = _covariance(data, count, size, strict=solver == "auto")
    elif route == "gram":
        axes = _gram(data, count, size, strict=solver == "auto")
    elif route in ("randomized", "lanczos"):
        axes = _by_products(data, count, size, route, how)
    else:
        axes = None
    axes = _orthogonal_factor(data, count, size) if axes is None else axes
    return _finished(axes, size)


def _route(data: Source, count: Count, solver: Solver) -> str:
    n, d = data.n_rows, data.n_features
    if solver == "arpack":
        if not data.resident:
            raise CannotStream(
                "svd_solver='arpack' passes over the rows hundreds of times and needs them in memory. "
                "Use svd_solver='randomized' or 'covariance_eigh' for files and Dask collections."
            )
        return "lanczos"
    if solver in ("full", "randomized"):
        return {"full": "qr"}.get(solver, solver)
    wide = n < d and data.resident
    if solver == "auto" and isinstance(count, int) and count > 0 and data.resident:
        if data.is_sparse and min(n, d) > SPARSE_LARGE and count * SPARSE_FEW <= min(n, d):
            return "lanczos"
        if not data.is_sparse and min(n, d) > LARGE and count * FEW <= min(n, d):
            return "randomized"
    return "gram" if wide else "covariance"


def _refuse(m: int, what: str) -> None:
    refuse_beyond_memory(
        4 * 8.0 * m * m, f"The {m} × {m} products of {what}", "Ask for few components with svd_solver='randomized'."
    )


def _rounding(m: int) -> float:
    """What an m × m factorisation may leave, relative to its largest value, where the exact one is zero."""
    return 4.0 * max(m, 8) * np.finfo(np.float64).eps


def _out_of_range(total: float, strict: bool) -> bool:
    """Squares that overflow, or (if `strict`) that may have lost digits to underflow."""
    return not math.isfinite(total) or (strict and total < 1e-280)


def _swamped(values: np.ndarray, kept: int) -> bool:
    """Whether rounding has reached the kept eigenvalues."""
    return kept > 0 and bool(values[kept - 1] < SWAMPED * values[0])


def _covariance(data: Source, count: Count, size: Size, strict: bool) -> Axes | None:
    """None (only when `strict`) if the kept tail is lost in rounding."""
    d = data.n_features
    _refuse(d, "columns")
    moments = data.fold(MomentsStep(False))
    variances = moments.products.diagonal()
    total = float(variances.sum())
    if _out_of_range(total, strict):
        return None
    values, vectors = leading_pairs(moments.products, count if isinstance(count, int) else d)
    np.maximum(values, 0.0, out=values)
    k = count if isinstance(count, int) else count(values[: size.limit], total)
    if strict and _swamped(values, min(k, size.rank, int(np.count_nonzero(variances)))):
        return None
    tail = float(values[k:].sum()) if len(values) == d else None
    kept = np.where(values[:k] > _rounding(d) * values[:1], values[:k], 0.0)
    return Axes(moments.mean, kept, np.sqrt(kept), vectors[:k], total, tail, moments.weight, "covariance")


def _gram(data: Source, count: Count, size: Size, strict: bool) -> Axes | None:
    n, d = data.n_rows, data.n_features
    _refuse(n, "rows")
    rows = row_products(data.X, data.w, thread_count())
    G = rows.gram()
    total = float(G.trace())
    if _out_of_range(total, strict):
        return None
    asked = min(count, size.rank) if isinstance(count, int) else size.rank
    values, U = leading_pairs(G, asked)
    np.maximum(values, 0.0, out=values)
    k = count if isinstance(count, int) else count(np.pad(values, (0, size.limit - len(values))), total)
    kept = min(k, size.rank)
    affordable = not data.is_sparse or n * d <= LEAF_ELEMENTS
    if strict and affordable and _swamped(values, kept):
        return None
    tail = float(values[kept:].sum()) if asked == size.rank else None
    # Not below the rounding of G: what its eigenvectors would give there are not directions of the data.
    good = int(np.count_nonzero(values[:kept] > _rounding(n) * values[:1]))
    eigenvalues = np.zeros(k)
    eigenvalues[:good] = values[:good]
    sigma, V = np.sqrt(eigenvalues), np.empty((k, d))
    if good:
        rows.back(U[:good] / sigma[:good, None], V[:good])
        if values[good - 1] < SKEWED * values[0]:
            orthonormalize(V[:good])
    return Axes(rows.mean, eigenvalues, sigma, V, total, tail, size.weight, "gram")


def _orthogonal_factor(data: Source, count: Count, size: Size) -> Axes:
    n, d = data.n_rows, data.n_features
    if n < d and data.resident:
        if data.is_sparse and n * d > LEAF_ELEMENTS:
            raise InvalidData(
                f"svd_solver='full' would make this sparse matrix of {n} × {d} dense. "
                "Use svd_solver='arpack', 'randomized' or 'covariance_eigh'."
            )
        refuse_beyond_memory(3 * 8.0 * n * d, "The singular value decomposition", "Use svd_solver='randomized'.")
        axes = None if data.is_sparse else _wide_factor(data, count, size)
        if axes is not None:
            return axes
        weight, mean, R = leaf_deviations(data.X, data.w)
    else:
        _refuse(d, "columns")
        weight, mean, R = data.fold(FactorStep())
    _, sigma, Vt = np.linalg.svd(R, full_matrices=False)
    with np.errstate(over="ignore"):
        squares = sigma * sigma
    total, missing = float(squares.sum()), max(0, size.limit - len(sigma))
    sigma, squares = np.pad(sigma, (0, missing)), np.pad(squares, (0, missing))
    k = count if isinstance(count, int) else count(squares, total)
    V = np.zeros((k, d))
    V[: len(Vt)] = Vt[:k]
    return Axes(mean, squares[:k], sigma[:k], V, total, float(squares[k:].sum()), weight, "qr")


def _wide_factor(data: Source, count: Count, size: Size) -> Axes | None:
    """From the triangle of Aᵀ = Q R: A = Rᵀ Qᵀ, Rᵀ = U Σ Wᵀ, V = Aᵀ U Σ⁻¹.

    V has an error of rounding · σ₁/σ_k, which is made orthonormal once more; None when it would be too large for that.
    """
    rows = RowProducts(data.X, data.w, thread_count())
    U, sigma, _ = np.linalg.svd(rows.triangle().T)
    with np.errstate(over="ignore"):
        squares = sigma * sigma
    total = float(squares.sum())
    asked = np.pad(squares[: size.limit], (0, max(0, size.limit - len(squares))))
    k = count if isinstance(count, int) else count(asked, total)
    good = min(k, size.rank)
    if good and not sigma[good - 1] > TRUSTED * sigma[0]:
        return None
    values, V = np.zeros(k), np.empty((k, data.n_features))
    values[:good] = sigma[:good]
    if good:
        rows.back(U.T[:good] / values[:good, None], V[:good])
        orthonormalize(V[:good])
    kept = np.append(squares[:good], np.zeros(k - good))
    return Axes(rows.mean, kept, values, V, total, float(squares[good:].sum()), size.weight, "qr")


def _by_products(data: Source, count: Count, size: Size, route: str, how: Iteration) -> Axes:
    if not isinstance(count, int):
        raise TypeError("products with the data give a number of axes, not a choice among all")
    columns = column_spread(data)
    total = float(columns.squares.sum())
    stream = how.stream or np.random.default_rng(0)
    if total == 0:  # nothing varies, and a Krylov space of nothing is empty
        sigma, V = np.zeros(count), np.zeros((count, data.n_features))
    elif route == "lanczos":
        start = stream.uniform(-1.0, 1.0, data.n_features)
        sigma, V = lanczos(data, columns.mean, count, tol=how.tol, start=start)
    else:
        n_iter = how.n_iter
        if n_iter is None:
            n_iter = 7 if count < 0.1 * min(data.n_rows, data.n_features) else 4
        normalizer = how.normalizer
        if normalizer == "auto":
            normalizer = "none" if n_iter <= 2 else "LU"
        sigma, V = randomized(
            data,
            columns.mean,
            count,
            n_oversamples=how.n_oversamples,
            n_iter=n_iter,
            normalizer=normalizer,
            stream=stream,
            stop=how.stop,
        )
    return Axes(columns.mean, sigma * sigma, sigma, V, total, None, columns.weight, route)


def _finished(axes: Axes, size: Size) -> Axes:
    """Zero what is not above rounding, complete the basis there, and fix the signs."""
    sigma, V = axes.singular_values, axes.components
    if len(sigma):
        sigma[size.rank :] = 0.0
        sigma[~(sigma > _rounding(size.limit) * sigma[0])] = 0.0
        axes.eigenvalues[sigma == 0] = 0.0
        complete_basis(V, int(np.count_nonzero(sigma)))
        fix_signs(V)
    return axes
