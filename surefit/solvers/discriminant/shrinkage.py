"""Covariances drawn towards a multiple of the identity, from mergeable statistics.

Ledoit and Wolf's amount needs, beside the covariance, the fourth powers Q = Σ ω (Σ_j z_j²)² of the standardised rows.
With n = Σω, C the covariance of z, μ = tr C / d:

    δ = ‖C − μI‖² / d        β = min(δ, (Q/n − ‖C‖²) / (n d))        shrunk = (1 − β/δ) C + (β/δ) μ I
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.engine.sources.block import Block
from surefit.engine.step import Step

EPS = float(np.finfo(np.float64).eps)


def shrunk(covariance: np.ndarray, amount: float) -> np.ndarray:
    """(1 − a) C + a (tr C / d) I."""
    result = (1.0 - amount) * covariance
    result[np.diag_indices_from(result)] += amount * np.trace(covariance) / len(covariance)
    return result


def column_scales(covariance: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Standard deviations; 1 for a column that is constant to rounding."""
    scales = np.sqrt(np.diagonal(covariance))
    return np.where(scales > 2 * EPS * np.abs(mean), scales, 1.0)


def ledoit_wolf(covariance: np.ndarray, scales: np.ndarray, fourth: float, weight: float) -> np.ndarray:
    """The covariance of the rows, shrunk as Ledoit and Wolf would shrink that of the standardised rows."""
    d = len(covariance)
    if d == 1:
        return covariance.copy()
    outer = np.multiply.outer(scales, scales)
    C = covariance / outer
    trace, squares = float(np.trace(C)), float((C * C).sum())
    delta = (squares - trace * trace / d) / d
    beta = min((fourth / weight - squares) / (weight * d), delta)
    amount = 0.0 if beta == 0 else beta / delta
    return shrunk(C, amount) * outer


class Centers(NamedTuple):
    """About what, and in which units, each class is measured; `all_` is the place of all rows, or None."""

    means: np.ndarray
    scales: np.ndarray
    all_: tuple[np.ndarray, np.ndarray] | None


class FourthPowers(NamedTuple):
    classes: np.ndarray
    """(C,) Q of every class."""
    total: float
    """Q of all rows about the common mean; 0 when it was not asked for."""


class FourthPowersStep(Step):
    """Q of every class, and of all rows."""

    def map_leaf(self, state: Centers, leaf: Block) -> FourthPowers:
        X = leaf.X if isinstance(leaf.X, np.ndarray) else leaf.X.toarray()
        codes = leaf.codes
        w = np.ones(len(X)) if leaf.w is None else leaf.w
        classes = np.zeros(len(state.means))
        for k in np.unique(codes):
            rows = codes == k
            classes[k] = _fourth(X[rows], w[rows], state.means[k], state.scales[k])
        return FourthPowers(classes, _fourth(X, w, *state.all_) if state.all_ is not None else 0.0)

    def combine(self, left: FourthPowers, right: FourthPowers) -> FourthPowers:
        return FourthPowers(left.classes + right.classes, left.total + right.total)


def _fourth(X: Any, w: np.ndarray, mean: np.ndarray, scales: np.ndarray) -> float:
    Z = (np.asarray(X, dtype=np.float64) - mean) / scales
    norms = np.einsum("ij,ij->i", Z, Z)
    return float(w @ (norms * norms))
