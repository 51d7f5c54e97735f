"""First components of a mixture: from hard labels, from random shares, or from given means with the spread of all rows.

Each is one pass with responsibilities that do not come from a density. What is random is drawn from hashes of the rows,
so that it does not depend on their order, and a row of weight two is a row given twice.
"""

from __future__ import annotations

import numpy as np

from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.mixture.gaussians import Components, CovarianceType, Density, Sums, dense, maximized
from surefit.summaries.canonical import in_single_precision, mixed, row_hashes

GOLD = np.uint64(0x9E3779B97F4A7C15)


class GivenSharesStep(Step):
    """Sums about `means` with shares of its own: of the nearest center, at random, or all of one component."""

    def __init__(
        self, means: np.ndarray, full: bool, centers: np.ndarray | None = None, seed: int | None = None
    ) -> None:
        self.means, self.full, self.centers, self.seed = means, full, centers, seed

    def _shares(self, X: np.ndarray) -> np.ndarray:
        K = len(self.means)
        if self.centers is not None:
            sq_dist = np.column_stack([((X - c) ** 2).sum(axis=1) for c in self.centers])
            return np.eye(K)[sq_dist.argmin(axis=1)]
        if self.seed is None:
            return np.full((len(X), K), 1.0 / K)
        keys = row_hashes(in_single_precision(X)[0]) ^ mixed(np.array([self.seed], dtype=np.uint64))
        steps = np.arange(1, K + 1, dtype=np.uint64) * GOLD
        uniform = mixed(keys[:, None] + steps) >> np.uint64(11)
        shares = uniform.astype(np.float64) + 1.0
        return shares / shares.sum(axis=1, keepdims=True)

    def map_leaf(self, state: tuple[np.ndarray, np.ndarray], leaf: Block) -> Sums:
        shift, scale = state
        rows = dense(leaf.X)
        X = (rows - shift) * scale
        R = self._shares(rows.astype(np.float64, copy=False))
        R = R if leaf.w is None else R * leaf.w[:, None]
        first, second = [], []
        for k, m in enumerate(self.means):
            D = X - m
            weighted = D * R[:, k : k + 1]
            first.append(weighted.sum(axis=0))
            second.append(weighted.T @ D if self.full else np.einsum("ij,ij->j", weighted, D))
        total = float(len(X) if leaf.w is None else leaf.w.sum())
        return Sums(R.sum(axis=0), np.array(first), np.array(second), 0.0, total)

    def combine(self, left: Sums, right: Sums) -> Sums:
        return left.added(right)


def by_shares(
    data: Source,
    frame: tuple[np.ndarray, np.ndarray],
    kind: CovarianceType,
    prior: np.ndarray,
    n_components: int,
    *,
    centers: np.ndarray | None = None,
    seed: int | None = None,
) -> Components:
    """The components of rows labeled by the nearest of `centers` (in the user's units), or shared at random."""
    shift, scale = frame
    means = np.zeros((n_components, len(scale))) if centers is None else (centers - shift) * scale
    step = GivenSharesStep(means, kind in ("full", "tied"), centers, seed)
    return maximized(_at(means, kind), data.fold(step, frame), prior)


def with_common_spread(
    data: Source, frame: tuple[np.ndarray, np.ndarray], kind: CovarianceType, prior: np.ndarray, means: np.ndarray
) -> Components:
    """Equal weights, and for each component the covariance of all rows. `means` in the coordinates of the frame."""
    K = len(means)
    whole = by_shares(data, frame, kind, prior, 1)
    spread = whole.covariances if kind == "tied" else np.repeat(whole.covariances, K, axis=0)
    return Components(np.full(K, 1.0 / K), means, spread, kind)


def _at(means: np.ndarray, kind: CovarianceType) -> Density:
    return Density(means, np.zeros(0), np.zeros(0), kind, False)
