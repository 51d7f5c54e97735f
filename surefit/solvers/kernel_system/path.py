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

from surefit import _native
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import thread_count
from surefit.solvers.kernel_system.band import Band, band_factors, reduce_to_band
from surefit.solvers.kernel_system.low_rank import LowRank, suits_low_rank
from surefit.solvers.kernel_system.system import KernelSystem
from surefit.solvers.numerics.blas import solve_band

SMALL = 256
"""Up to so many rows an eigendecomposition takes no time worth saving."""
BATCH = 32
"""Penalties whose factors of the band are held at a time."""


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


def inverse_diagonals(path: PenaltyPath, alphas: np.ndarray) -> np.ndarray:
    """The diagonal of (A + αI)⁻¹ for every penalty, (A, n)."""
    if isinstance(path, BandPath):
        return path.inverse_diagonals(alphas)
    return np.stack([path.inverse_diagonal(float(alpha)) for alpha in alphas])


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
    """From A = Q B Qᵀ: with B + αI = L Lᵀ the diagonal of the inverse is the squared lengths of columns of L⁻¹ Qᵀ."""

    def __init__(self, band: Band) -> None:
        self._band = band

    def positive(self, alpha: float) -> bool:
        """Whether A + αI is positive definite."""
        return band_factors(self._band, np.array([alpha])) is not None

    def _factors(self, alphas: np.ndarray) -> np.ndarray:
        factors = band_factors(self._band, alphas)
        if factors is None:
            raise np.linalg.LinAlgError(f"A + {alphas.min():g} I is not positive definite, which `positive` tells")
        return factors

    def solve(self, alpha: float, Y: np.ndarray) -> np.ndarray:
        return self.solve_each(np.array([alpha]), Y)[:, :, 0]

    def inverse_diagonal(self, alpha: float) -> np.ndarray:
        return self.inverse_diagonals(np.array([alpha]))[0]

    def solve_each(self, alphas: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """As `solve`, (n, t, A); Q is read twice, whatever the number of penalties."""
        turned = self._band.turned
        inner = np.repeat((turned @ Y).T[None], len(alphas), axis=0)
        for some in _batches(len(alphas)):
            for factor, rows in zip(self._factors(alphas[some]), inner[some], strict=True):
                solve_band(factor, rows)
        C = turned.T @ inner.reshape(-1, len(turned)).T
        return np.ascontiguousarray(C.reshape(len(turned), len(alphas), -1).transpose(0, 2, 1))

    def inverse_diagonals(self, alphas: np.ndarray) -> np.ndarray:
        """As `inverse_diagonal`, (A, n)."""
        diagonals = np.empty((len(alphas), len(self._band.turned)))
        for some in _batches(len(alphas)):
            _native.band_lengths(self._factors(alphas[some]), self._band.turned, diagonals[some], thread_count())
        return diagonals

    def trouble(self, alpha: float) -> str:
        return ""


def _batches(n: int) -> list[slice]:
    return [slice(s, min(s + BATCH, n)) for s in range(0, n, BATCH)]


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
