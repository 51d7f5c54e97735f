"""Normal densities of a mixture, in the four shapes of covariance, and one pass of expectation and maximization.

    p(x) = Σ_k π_k N(x; m_k, Σ_k) ,      r_ik = π_k N(x_i; m_k, Σ_k) / p(x_i)

A pass takes, for each component, Σ ω r, Σ ω r (x − m) and Σ ω r (x − m)(x − m)ᵀ about its present mean, and
Σ ω log p(x).

Where no component is tiny beside its distance from the center of the data, the quadratic forms of all components are
one product: with the features φ(x) = (x_i x_j for i ≤ j, x, 1) every log π_k N(x; m_k, Σ_k) is φ(x)·w_k, and the sums
are rᵀφ. Elsewhere that would cancel, and deviations from each mean are taken first.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dtrtri

from surefit import _native
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step

CovarianceType = Literal["full", "tied", "diag", "spherical"]
LOG_2PI = float(np.log(2 * np.pi))
MOST_COLUMNS = 48
"""More columns have too many features for one product."""
TINY = 1e5
"""Squared distance from the center over the smallest variance, beyond which features cancel."""


class Components(NamedTuple):
    """K normal distributions: covariances (K, d, d), (d, d), (K, d) or (K,) by their type."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    kind: CovarianceType

    def roots(self) -> np.ndarray:
        """U with U Uᵀ = Σ⁻¹: upper triangles, or the reciprocals of deviations. Raises LinAlgError where Σ has none."""
        if self.kind in ("diag", "spherical"):
            if not (self.covariances > 0).all():
                raise np.linalg.LinAlgError("a variance is not positive")
            return 1.0 / np.sqrt(self.covariances)
        matrices = self.covariances if self.kind == "full" else self.covariances[None]
        found = [dtrtri(L.T)[0] for L in np.linalg.cholesky(matrices)]  # Σ = L Lᵀ: U is the inverse of Lᵀ
        return np.array(found) if self.kind == "full" else found[0]

    def divergence(self, other: Components) -> float:
        """Σ π_k KL(N_k ‖ N_k of the other), infinite where that has no density.

        With R = V⁻¹U of the roots V here and U there, KL is ½(‖R‖² − d) − log det R + ½‖(m − m′)ᵀU‖².
        """
        K, d = self.means.shape
        try:
            V, U = self.roots(), other.roots()
        except np.linalg.LinAlgError:
            return np.inf
        moved = self.means - other.means
        if self.kind in ("diag", "spherical"):
            scale, ratio = (np.broadcast_to(a.reshape(K, -1), (K, d)) for a in (U, U / V))
            squares, log_det, moved = (ratio**2).sum(axis=1), np.log(ratio).sum(axis=1), moved * scale
        else:
            R = np.linalg.solve(V, U)
            squares, log_det = (R**2).sum(axis=(-2, -1)), np.log(np.diagonal(R, axis1=-2, axis2=-1)).sum(axis=-1)
            moved = np.matmul(moved[:, None], U)[:, 0]
        return float(self.weights @ ((squares - d) / 2 - log_det + (moved**2).sum(axis=1) / 2))


class Density(NamedTuple):
    """What a pass needs of the components: roots of precisions, and log π + log det U − (d/2) log 2π − prior."""

    means: np.ndarray
    roots: np.ndarray
    constants: np.ndarray
    kind: CovarianceType
    by_features: bool


def density_of(components: Components, prior: np.ndarray | None = None, *, spread: float | None = None) -> Density:
    """`prior` (d,): variances of measurement of each row, which take ½ Σ prior_j (Σ⁻¹)_jj from each log-density.

    `spread`: the largest square of a coordinate, about; None: features are never used.
    """
    K, d = components.means.shape
    U = components.roots()
    if components.kind in ("full", "tied"):
        log_det = np.broadcast_to(np.log(np.diagonal(U, axis1=-2, axis2=-1)).sum(axis=-1), (K,))
        precisions = np.broadcast_to((U * U).sum(axis=-1), (K, d))
    else:
        wide = U if components.kind == "diag" else np.broadcast_to(U[:, None], (K, d))
        log_det, precisions = np.log(wide).sum(axis=1), wide**2
    with np.errstate(divide="ignore"):
        constants = np.log(components.weights) + log_det - d / 2 * LOG_2PI
    if prior is not None:
        constants = constants - precisions @ prior / 2
    near = spread is not None and d <= MOST_COLUMNS and float(precisions.sum(axis=1).max()) * spread <= TINY
    return Density(components.means, U, constants, components.kind, near)


def dense(rows: Any) -> np.ndarray:
    """Rows of a leaf, CSR ones filled up."""
    return rows.toarray() if sp.issparse(rows) else rows


def log_joint(density: Density, X: np.ndarray) -> np.ndarray:
    """log π_k N(x; m_k, Σ_k) for each row and component, by deviations."""
    means, U = density.means, density.roots
    out = np.empty((len(X), len(means)))
    for k, m in enumerate(means):
        D = X - m
        if density.kind in ("full", "tied"):
            T = D @ (U[k] if density.kind == "full" else U)
        else:
            T = D * U[k]
        out[:, k] = np.einsum("ij,ij->i", T, T)
    return density.constants - out / 2


def weights_of_features(density: Density) -> np.ndarray:
    """w_k as rows."""
    means, U = density.means, density.roots
    K, d = means.shape
    if density.kind in ("full", "tied"):
        P = np.broadcast_to(np.einsum("...ij,...kj->...ik", U, U), (K, d, d))
        i, j = np.triu_indices(d)
        quadratic = -P[:, i, j] * np.where(i == j, 0.5, 1.0)
        linear = np.einsum("kij,kj->ki", P, means)
    else:
        P = np.broadcast_to(U[:, None] ** 2, (K, d)) if density.kind == "spherical" else U**2
        quadratic, linear = -P / 2, P * means
    constant = density.constants - (linear * means).sum(axis=1) / 2
    return np.column_stack([quadratic, linear, constant])


class Sums(NamedTuple):
    """Over rows: Σ ω r (K,), Σ ω r (x − m) (K, d), second moments about m by the covariance type, Σ ω log p(x), Σ ω.

    Second moments: (K, d, d) for full and tied, (K, d) for diag and spherical.
    """

    weight: np.ndarray
    first: np.ndarray
    second: np.ndarray
    log_likelihood: float
    total: float

    def added(self, other: Sums) -> Sums:
        return Sums(
            self.weight + other.weight,
            self.first + other.first,
            self.second + other.second,
            self.log_likelihood + other.log_likelihood,
            self.total + other.total,
        )


class FeatureSums(NamedTuple):
    """Over rows: Σ ω r φᵀ (K, features), Σ ω log p(x), Σ ω."""

    features: np.ndarray
    log_likelihood: float
    total: float

    def added(self, other: FeatureSums) -> FeatureSums:
        return FeatureSums(
            self.features + other.features, self.log_likelihood + other.log_likelihood, self.total + other.total
        )

    def about(self, density: Density) -> Sums:
        """Moved to the present means."""
        m, sums = density.means, self.features
        K, d = m.shape
        weight, raw = sums[:, -1], sums[:, -1 - d : -1]
        first = raw - weight[:, None] * m
        if density.kind in ("full", "tied"):
            i, j = np.triu_indices(d)
            second = np.empty((K, d, d))
            second[:, i, j] = second[:, j, i] = sums[:, : len(i)]
            cross = np.einsum("ki,kj->kij", raw, m)
            second += weight[:, None, None] * np.einsum("ki,kj->kij", m, m) - cross - cross.transpose(0, 2, 1)
        else:
            second = sums[:, :d] - 2 * raw * m + weight[:, None] * m * m
        return Sums(weight.copy(), first, second, self.log_likelihood, self.total)


class ExpectationStep(Step):
    """One pass: responsibilities at the state's density, and the sums that the next components need.

    The state is (density, shift, scale): rows are measured as (x − shift)·scale.
    """

    def map(self, state: tuple[Density, np.ndarray, np.ndarray], block: Block, n_threads: int) -> Sums | FeatureSums:
        if state[0].by_features and isinstance(block.X, np.ndarray):
            return _by_features(*state, block, n_threads)
        return super().map(state, block, n_threads)

    def map_leaf(self, state: tuple[Density, np.ndarray, np.ndarray], leaf: Block) -> Sums | FeatureSums:
        density, shift, scale = state
        rows = dense(leaf.X)
        if density.by_features:
            return _by_features(*state, Block(rows, None, leaf.w, leaf.start, leaf.leaf_rows), 1)
        return _by_deviations(density, (rows - shift) * scale, leaf.w)

    def combine(self, left: Any, right: Any) -> Any:
        return left.added(right)


def expected(data: Source, density: Density, frame: tuple[np.ndarray, np.ndarray]) -> Sums:
    """The sums of a pass over all rows."""
    found = data.fold(ExpectationStep(), (density, *frame))
    return found.about(density) if isinstance(found, FeatureSums) else found


def _by_features(density: Density, shift: np.ndarray, scale: np.ndarray, block: Block, n_threads: int) -> FeatureSums:
    coef, full = weights_of_features(density), density.kind in ("full", "tied")
    w = None if block.w is None else np.ascontiguousarray(block.w, dtype=np.float64)
    X = np.ascontiguousarray(block.X)
    return FeatureSums(*_native.mixture_sums(X, w, shift, scale, coef, full, block.leaf_rows, n_threads))


def _responsibilities(joint: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, float]:
    """ω r (K, n) in the place of the joint log-densities, and Σ ω log p."""
    top = joint.max(axis=0)
    top = np.where(np.isfinite(top), top, 0.0)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=0)
    logs = top + np.log(total)
    joint *= 1.0 / total if w is None else w / total
    return joint, float(logs.sum() if w is None else logs @ w)


def _by_deviations(density: Density, X: np.ndarray, w: np.ndarray | None) -> Sums:
    R, value = _responsibilities(np.ascontiguousarray(log_joint(density, X).T), w)
    K, d = density.means.shape
    first = np.empty((K, d))
    full = density.kind in ("full", "tied")
    second = np.empty((K, d, d) if full else (K, d))
    for k, m in enumerate(density.means):
        D = X - m
        weighted = D * R[k][:, None]
        first[k] = weighted.sum(axis=0)
        second[k] = weighted.T @ D if full else np.einsum("ij,ij->j", weighted, D)
    return Sums(R.sum(axis=1), first, second, value, float(len(X) if w is None else w.sum()))


def maximized(density: Density, sums: Sums, prior: np.ndarray) -> Components:
    """The components that the sums ask for; `prior` (d,) is added to the variances.

    A component without weight stays where it is, with the prior as its variances.
    """
    some = np.where(sums.weight > 0, sums.weight, 1.0)
    step = sums.first / some[:, None]
    means = density.means + step
    outer = step[:, :, None] * step[:, None, :]
    if density.kind == "full":
        covariances = sums.second / some[:, None, None] - outer
        covariances = (covariances + covariances.transpose(0, 2, 1)) / 2 + np.diag(prior)
    elif density.kind == "tied":
        within = (sums.second - sums.weight[:, None, None] * outer).sum(axis=0) / sums.total
        covariances = (within + within.T) / 2 + np.diag(prior)
    else:
        covariances = np.maximum(sums.second / some[:, None] - step * step, 0.0) + prior
        if density.kind == "spherical":
            covariances = covariances.mean(axis=1)
    return Components(sums.weight / sums.total, means, covariances, density.kind)


def responsibilities(density: Density, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """(log p(x), r) for rows in the coordinates of the density."""
    joint = log_joint(density, X)
    top = joint.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    shares = np.exp(joint - top)
    total = shares.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (top + np.log(total))[:, 0], shares / total
