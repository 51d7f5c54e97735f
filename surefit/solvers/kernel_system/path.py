"""(A + αI)⁻¹ y and the diagonal of (A + αI)⁻¹ for a whole path of penalties α, from one decomposition of A.

A row is left out of a kernel ridge fit, with its error, without fitting again: with G = (A + αI)⁻¹ and c = G y

    yᵢ − f₋ᵢ(xᵢ) = cᵢ / Gᵢᵢ .

(Leaving out row i is adding to A + αI, at the place (i, i), a number that grows without bound.)
"""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np
import scipy.linalg

from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.solvers.kernel_system.band import Band, BandFactor, reduce_to_band
from surefit.solvers.kernel_system.low_rank import LowRank, suits_low_rank
from surefit.solvers.kernel_system.system import KernelSystem

SMALL = 256
"""Up to so many rows an eigendecomposition takes no time worth saving."""
CHUNK = 512


class PenaltyPath(Protocol):
    """One decomposition of A (n × n) that serves all penalties."""

    def solve(self, alpha: float, Y: np.ndarray) -> np.ndarray:
        """(A + αI)⁻¹ Y for Y (n, t)."""

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        """The diagonal of (A + αI)⁻¹."""

    def trouble(self, alpha: float) -> str:
        """What is wrong with A + αI: "singular", "indefinite" or nothing, ""."""


def penalty_path(system: KernelSystem, alphas: np.ndarray) -> PenaltyPath:
    """The decomposition that suits A and the penalties.

    The band form is for A + αI that are positive definite; where one is not, eigenvalues say what is wrong.
    """
    if suits_low_rank(system):
        return LowRank(system)
    refuse_path_beyond_memory(system.n)
    if system.n > SMALL:
        path = BandPath(reduce_to_band(system.lower()))
        if path.positive(float(alphas.min())):
            return path
    return Eigen(system.lower())


def solve_each(path: PenaltyPath, alphas: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """(A + αI)⁻¹ Y for every penalty, (n, t, A)."""
    if isinstance(path, BandPath):
        return path.solve_each(alphas, Y)
    return np.stack([path.solve(float(alpha), Y) for alpha in alphas], axis=2)


def path_bytes(n: int) -> int:
    """What a path of n rows needs: A and Q, or A, eigenvectors and the workspace of LAPACK."""
    return 16 * n * n


def refuse_path_beyond_memory(n: int) -> None:
    refuse_beyond_memory(
        path_bytes(n),
        f"a path of penalties for {n} rows (a Gram matrix and its orthogonal factor)",
        "Use cv=5, which fits with solver='auto', or KernelRidge(solver='nystrom_cg') with one penalty.",
    )


class BandPath:
    """From the band form A = Q B Qᵀ: rows of Q are solved with the factor of B + αI, a chunk at a time."""

    def __init__(self, band: Band) -> None:
        self._band = band
        self._factors: dict[float, BandFactor] = {}

    def _factor(self, alpha: float) -> BandFactor:
        if alpha not in self._factors:
            self._factors = {alpha: BandFactor(self._band, alpha)}
        return self._factors[alpha]

    def positive(self, alpha: float) -> bool:
        """Whether A + αI is positive definite."""
        return self._factor(alpha).positive

    def solve(self, alpha: float, Y: np.ndarray) -> np.ndarray:
        return self.solve_each(np.array([alpha]), Y)[:, :, 0]

    def solve_each(self, alphas: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """As `solve`, (n, t, A); Q is read twice, whatever the number of penalties."""
        Q = self._band.Q
        turned = (Q.T @ Y).T
        inner = np.empty((*Y.shape, len(alphas)))
        for k, alpha in enumerate(alphas):
            factor = self._factor(float(alpha))
            rows = factor.forward(turned.copy(order="C"))
            inner[:, :, k] = factor.backward(np.ascontiguousarray(rows.T))
        return (Q @ inner.reshape(len(Q), -1)).reshape(inner.shape)

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        factor, Q = self._factor(alpha), self._band.Q
        n = len(Q)
        diagonal = np.empty(n)

        def chunk(i: int) -> None:
            rows = slice(i * CHUNK, min((i + 1) * CHUNK, n))
            diagonal[rows] = factor.squared_lengths(Q[rows])

        factor.invert_blocks()
        fold_tree(-(-n // CHUNK), chunk, lambda left, right: None, threads_for(64.0 * n * n))
        return diagonal

    def trouble(self, alpha: float) -> str:
        return ""


class Eigen:
    """A = U diag(λ) Uᵀ. Where λ + α is no more than rounding its direction is left out: the least-squares answer."""

    def __init__(self, A: np.ndarray) -> None:
        self.values, self.vectors = scipy.linalg.eigh(A, lower=True, overwrite_a=True, driver="evd", check_finite=False)

    def _inverse(self, alpha: float) -> np.ndarray:
        """1 / (λ + α), or 0 in the directions left out."""
        shifted = self.values + alpha
        kept = np.abs(shifted) > len(shifted) * np.finfo(np.float64).eps * np.abs(shifted).max(initial=0.0)
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=kept)

    def solve(self, alpha: float, Y: np.ndarray) -> np.ndarray:
        return self.vectors @ (self._inverse(alpha)[:, None] * (self.vectors.T @ Y))

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        return (self.vectors * self.vectors) @ self._inverse(alpha)

    def trouble(self, alpha: float) -> str:
        shifted = self.values + alpha
        negligible = len(shifted) * np.finfo(np.float64).eps * float(np.abs(shifted).max(initial=0.0))
        if shifted.min(initial=np.inf) < -negligible:
            return "indefinite"
        return "singular" if (np.abs(shifted) <= negligible).any() else ""


def warn_of_trouble(path: PenaltyPath, alpha: float) -> None:
    """The warning that goes with a least-squares answer."""
    trouble = path.trouble(alpha)
    if trouble == "indefinite":
        least = float(path.values.min()) if isinstance(path, Eigen) else np.nan
        warnings.warn(
            f"the kernel is not positive semidefinite: its Gram matrix has the eigenvalue {least:.3g}, and with "
            f"alpha={alpha:g} the penalized problem has no minimum. Using least-squares solution of the system "
            f"instead; a minimum needs alpha > {-least:.3g} or another kernel",
            stacklevel=6,
        )
    elif trouble == "singular":
        warnings.warn(
            f"Singular matrix in solving dual problem (alpha={alpha:g}). Using least-squares solution instead: the "
            "smallest coefficients of those that miss the targets least. A larger alpha has one answer",
            stacklevel=6,
        )
