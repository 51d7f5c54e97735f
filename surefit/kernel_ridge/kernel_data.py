"""Training rows of a kernel method: checked, equal rows folded into one, in an order that belongs to the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.data.intake import take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.threads import thread_count
from surefit.engine.open import need_memory
from surefit.kernels.gram import GramRows
from surefit.kernels.kernel import Kernel
from surefit.kernels.resolve import resolve_kernel, take_inputs
from surefit.solvers.kernel_system.system import KernelSystem
from surefit.summaries.canonical import canonical_rows, distinct_places, example_hashes

SYMMETRIC = 1e-6
"""A precomputed matrix may miss symmetry by this share of its largest entry (1e-3 in single precision)."""


@dataclass(frozen=True)
class KernelData:
    """Rows with targets (n, t) and weights, and the distinct rows of positive weight among them.

    Rows that are equal in x and y count as one row with the sum of their weights: distinct row j is row first[j], and
    row i belongs to distinct row place[i] (−1: its weight is zero).
    """

    X: Any
    Y: np.ndarray
    w: np.ndarray | None
    flat: bool
    """y had one dimension."""
    first: np.ndarray
    place: np.ndarray
    total: np.ndarray | None
    """Weights of the distinct rows; None: all one."""

    def system(self, kernel: Kernel) -> KernelSystem:
        """(A + αI) c = W^½ y of the distinct rows."""
        if kernel.reads_pairs:
            rows, gram = None, GramRows(kernel, self.X, dtype=np.float64).subset(self.first)
        else:
            rows = self.X[self.first]
            gram = GramRows(kernel, rows, dtype=np.float64)
        diagonal = gram.diagonal()
        if not np.isfinite(diagonal).all():
            raise InvalidData(
                f"the kernel of row {self.first[int(np.argmin(np.isfinite(diagonal)))]} with itself is beyond "
                "floating-point numbers: bring the columns of X to a common scale"
            )
        return KernelSystem(gram, rows, self.total)

    @property
    def targets(self) -> np.ndarray:
        """Of the distinct rows, (n distinct, t)."""
        return self.Y[self.first]

    def spread(self, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients of the distinct rows, (n distinct, t), shared among equal rows by weight: (n, t)."""
        if self.total is None:
            shares = np.ones(len(self.place))
        else:
            w = np.ones(len(self.place)) if self.w is None else self.w
            shares = np.where(self.place >= 0, w / self.total[self.place], 0.0)
        return np.where(self.place[:, None] >= 0, coefficients[self.place] * shares[:, None], 0.0)


def open_kernel_data(
    estimator: Any, kernel: Kernel, X: Any, y: Any, sample_weight: Any, min_rows: int = 1
) -> KernelData:
    """Check X, y and weights; learn `n_features_in_`; fold equal rows."""
    need_memory(estimator, X, instead="Ridge")
    rows = take_inputs(estimator, kernel, X, reset=True, min_rows=min_rows)
    rows = rows if sp.issparse(rows) else np.ascontiguousarray(rows)
    y = take_targets(estimator, y, rows.shape[0])
    w = take_weights(sample_weight, rows.shape[0])
    if kernel.reads_pairs:
        _refuse_asymmetry(rows)
    Y = np.ascontiguousarray(y, dtype=np.float64).reshape(rows.shape[0], -1)
    return KernelData(rows, Y, w, y.ndim == 1, *_folded(rows, Y, w, kernel))


def _folded(X: Any, Y: np.ndarray, w: np.ndarray | None, kernel: Kernel) -> tuple[np.ndarray, np.ndarray, Any]:
    """(first, place, total); rows that are no vectors keep their order, and only those of weight zero go."""
    if kernel.reads_pairs or not (sp.issparse(X) or X.dtype.kind == "f"):
        first = np.arange(len(Y)) if w is None else np.flatnonzero(w > 0)
        place = np.full(len(Y), -1)
        place[first] = np.arange(len(first))
        return first, place, None if w is None else w[first]
    hashes = example_hashes(X, Y, thread_count())
    rows = canonical_rows(X, w, hashes, y=Y)
    return rows.order, distinct_places(X, w, hashes, y=Y), rows.w


def _refuse_asymmetry(K: Any) -> None:
    if K.shape[0] != K.shape[1]:
        raise InvalidData(f"Precomputed matrix must be a square matrix; got shape {K.shape}")
    largest, tolerance = float(abs(K).max()), SYMMETRIC if K.dtype == np.float64 else 1e-3
    for s in range(0, K.shape[0], 1024):
        gap = abs(K[s : s + 1024] - K[:, s : s + 1024].T)
        if float(gap.max()) > tolerance * largest:
            gap = gap.toarray() if sp.issparse(gap) else gap
            i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
            raise InvalidData(
                f"the precomputed matrix is not symmetric: K[{s + i}, {j}] and K[{j}, {s + i}] differ by "
                f"{gap.max():.3g}; use (K + K.T) / 2"
            )


def kernel_of(p: Any, X: Any, gamma: float | None = None) -> Kernel:
    """The kernel that the parameters name; functions are called with two rows, as scikit-learn's KernelRidge does."""
    return resolve_kernel(
        p.kernel,
        X,
        gamma=p.gamma if gamma is None else gamma,
        degree=p.degree,
        coef0=p.coef0,
        kernel_params=p.kernel_params,
        calls="pairs",
    )
