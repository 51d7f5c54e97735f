"""Penalties for A = F Fᵀ with few columns in F (the linear kernel): O(n m²) instead of O(n³), and no n × n matrix.

With the singular values F = U diag(s) Vᵀ

    (A + αI)⁻¹ y = (y − U diag(s²/(s² + α)) Uᵀ y) / α ,      its diagonal  (1 − Σⱼ Uᵢⱼ² sⱼ²/(sⱼ² + α)) / α .
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from surefit.solvers.kernel_system.system import KernelSystem

MOST_NUMBERS = 2**28


def suits_low_rank(system: KernelSystem) -> bool:
    """Fewer than half as many columns as rows, and they fit in memory."""
    F = system.features
    return F is not None and 2 * F.shape[1] <= F.shape[0] and F.shape[0] * F.shape[1] <= MOST_NUMBERS


class LowRank:
    """A `PenaltyPath` of F Fᵀ."""

    def __init__(self, system: KernelSystem) -> None:
        F = system.features
        F = F if isinstance(F, np.ndarray) else F.toarray()
        U, s, _ = scipy.linalg.svd(F, full_matrices=False, check_finite=False)
        kept = s > len(F) * np.finfo(np.float64).eps * s.max(initial=0.0)
        self._U, self._squares = np.ascontiguousarray(U[:, kept]), s[kept] ** 2

    def solve(self, alpha: float, Y: np.ndarray) -> np.ndarray:
        """(A + αI)⁻¹ Y; where α is lost beside A the least-squares answer, in the span of F."""
        inside = self._U.T @ Y
        if self.trouble(alpha):
            return self._U @ (inside / self._squares[:, None])
        outside = Y - self._U @ inside
        return outside / alpha + self._U @ (inside / (self._squares + alpha)[:, None])

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        squares = self._U * self._U
        return np.maximum(1.0 - squares.sum(axis=1), 0.0) / alpha + squares @ (1.0 / (self._squares + alpha))

    def trouble(self, alpha: float) -> str:
        return "singular" if alpha <= np.finfo(np.float64).eps * self._squares.max(initial=0.0) else ""
