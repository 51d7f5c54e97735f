"""Leading principal axes from products with the data alone: randomised power iterations, and Lanczos.

Both need only Z = AᵀA Q for a thin Q, one pass over the rows, with A = diag(√ω)(X − 1 mᵀ) never formed for more than a
leaf: dense leaves are centered, for CSR the mean is taken off after the product. The statistics are d × l at most, so
the randomised route works on rows that are not in memory. Both end with a Rayleigh–Ritz step on R of A Q = P R:
R = U Σ Tᵀ gives the singular values and turns the basis into axes, Q T, without squaring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from surefit._core.memory import available_bytes
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.engine.sources.block import Block
from surefit.engine.sources.source import Source
from surefit.engine.step import Step
from surefit.solvers.principal.eigen_qr import triangle

KEPT_BYTES = 2**28
"""Leaves that are centered or cut once for all passes take at most this much."""


class _ProductStep(Step):
    """A pass made many times, its state (mean, Q). While the rows stay in memory, prepared leaves are kept."""

    def map(self, state: tuple[np.ndarray, np.ndarray], block: Block, n_threads: int) -> Any:
        mean, Q = state
        if sp.issparse(block.X):
            n_threads = min(n_threads, threads_for(block.X.nnz * Q.size / block.n_features))
        prepared = None if block.scratch is None else self._kept_leaves(block, mean)

        def leaf(i: int) -> Any:
            if prepared is None:
                return self.of(_prepared(block.leaf(i), mean), mean, Q)
            one = prepared[i]
            if one is None:
                one = prepared[i] = _prepared(block.leaf(i), mean)
            return self.of(one, mean, Q)

        return fold_tree(block.n_leaves, leaf, self.combine, n_threads)

    @staticmethod
    def _kept_leaves(block: Block, mean: np.ndarray) -> list[Block | None] | None:
        """Room for the prepared leaves of this block with this mean; None if they would take too much."""
        assert block.scratch is not None
        kept_for, leaves = block.scratch.get("prepared leaves", (None, None))
        if kept_for is not mean:
            size = 12.0 * block.X.nnz if sp.issparse(block.X) else 8.0 * block.n_rows * block.n_features
            leaves = [None] * block.n_leaves if size <= min(KEPT_BYTES, available_bytes() / 4) else None
            block.scratch["prepared leaves"] = mean, leaves
        return leaves

    def map_leaf(self, state: tuple[np.ndarray, np.ndarray], leaf: Block) -> Any:
        return self.of(_prepared(leaf, state[0]), *state)

    def of(self, leaf: Block, mean: np.ndarray, Q: np.ndarray) -> Any:
        """The statistic of a prepared leaf."""
        raise TypeError(f"{type(self).__name__} must define of")


def _prepared(leaf: Block, mean: np.ndarray) -> Block:
    """In double; dense rows centered."""
    if sp.issparse(leaf.X):
        return replace(leaf, X=leaf.X.astype(np.float64, copy=False))
    return replace(leaf, X=np.subtract(leaf.X, mean, dtype=np.float64))


def _times(leaf: Block, mean: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """(X − 1 mᵀ) Q of a prepared leaf."""
    return leaf.X @ Q - mean @ Q if sp.issparse(leaf.X) else leaf.X @ Q


class PowerStep(_ProductStep):
    """AᵀA Q."""

    def of(self, leaf: Block, mean: np.ndarray, Q: np.ndarray) -> np.ndarray:
        T = _times(leaf, mean, Q)
        if leaf.w is not None:
            T *= leaf.w if T.ndim == 1 else leaf.w[:, None]
        Z = leaf.X.T @ T
        if sp.issparse(leaf.X):
            Z -= np.multiply.outer(mean, T.sum(axis=0))
        return Z

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


class RitzStep(_ProductStep):
    """R of A Q = P R."""

    def of(self, leaf: Block, mean: np.ndarray, Q: np.ndarray) -> np.ndarray:
        T = _times(leaf, mean, Q)
        if leaf.w is not None:
            T *= np.sqrt(leaf.w)[:, None]
        return triangle(T)

    def combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return triangle(np.vstack([left, right]))


def ritz(data: Source, mean: np.ndarray, Q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Singular values of A within the span of Q's columns, and the axes as rows: the leading k."""
    R = data.fold(RitzStep(), (mean, Q))
    _, sigma, Tt = np.linalg.svd(R, full_matrices=False)
    if len(sigma) < k:  # fewer rows than columns of Q
        sigma = np.pad(sigma, (0, k - len(sigma)))
        Tt = np.vstack([Tt, np.zeros((k - len(Tt), Tt.shape[1]))])
    return sigma[:k], Tt[:k] @ Q.T


def randomized(
    data: Source,
    mean: np.ndarray,
    k: int,
    *,
    n_oversamples: int,
    n_iter: int,
    normalizer: str,
    stream: np.random.Generator,
    stop: Callable[[], bool],
) -> tuple[np.ndarray, np.ndarray]:
    """Halko, Martinsson and Tropp's range finder on AᵀA: n_iter + 1 powers of it applied to a Gaussian matrix.

    Between powers the basis is kept well conditioned by QR, by the L of an LU factorisation, or not at all.
    """
    d = data.n_features
    Q = stream.standard_normal((d, min(k + n_oversamples, d)))
    for power in range(n_iter + 1):
        Z = data.fold(PowerStep(), (mean, Q))
        scale = np.abs(Z).max()
        Z /= scale if scale > 0 else 1.0
        last = power == n_iter or stop()
        if last or normalizer == "QR":
            Q, _ = np.linalg.qr(Z)
        elif normalizer == "LU":
            Q = scipy.linalg.lu(Z, permute_l=True, check_finite=False)[0]
        else:
            Q = Z
        if last:
            break
    return ritz(data, mean, Q, k)


def lanczos(data: Source, mean: np.ndarray, k: int, *, tol: float, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ARPACK's implicitly restarted Lanczos iteration on AᵀA; `tol` is relative, 0 for full precision."""
    d = data.n_features
    power = PowerStep()
    operator = scipy.sparse.linalg.LinearOperator(
        (d, d), matvec=lambda q: data.fold(power, (mean, q.ravel())), dtype=np.float64
    )
    _, vectors = scipy.sparse.linalg.eigsh(operator, k, which="LA", v0=start, tol=tol)
    Q, _ = np.linalg.qr(vectors)
    return ritz(data, mean, Q, k)
