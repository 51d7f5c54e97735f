"""A least distance problem on few rows: the shortest θ with all margins at least one.

    min ‖θ‖  such that  A θ ≥ 1              θ = Aᵀ λ,  λ ≥ 0,  λᵢ > 0 only where the margin is 1

Which rows hold θ is guessed and mended: the margins of the guess are set to one, rows with λ < 0 leave and rows with
margins below one enter, all at once while their number falls, else the last of them alone (block principal pivoting,
Júdice and Pires 1994). Where the rows of a guess are dependent, Lawson and Hanson's active set takes over (Solving
least squares problems, chapter 23), which is also the quicker one where columns are few.

With fewer rows than columns everything is done with their products A Aᵀ.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.optimize import nnls

from surefit.solvers.margin.signed_rows import SignedRows

PIVOTS = 40
PATIENCE = 3
"""Exchanges of all rows at once that may fail to lower their number."""
NARROW = 30
"""Up to so many columns the active set is quicker than guesses."""
SHORT = 1e-11
"""A margin below one by less is one."""


class FewRows:
    """The rows `which`, ready for guesses."""

    def __init__(self, rows: SignedRows, which: np.ndarray) -> None:
        self.rows, self.which = rows, which
        self.A = rows.take(which) if len(which) >= rows.width else None
        self.G = rows.gram(which) if self.A is None else None

    def on_the_margin(self, binding: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """(θ, λ) with the margins of the rows `binding` equal to one; None where they are dependent."""
        found = self._by_products(binding) if self.A is None else self._by_triangle(self.A[binding])
        if found is None or not (np.isfinite(found[0]).all() and np.isfinite(found[1]).all()):
            return None
        return found

    def _by_triangle(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """With Aᵀ = Q R: θ = Q z, Rᵀ z = 1, R λ = z. The sum Aᵀ λ would cancel where ‖θ‖ is large."""
        if len(A) > A.shape[1]:
            return None
        Q, R = np.linalg.qr(A.T)
        diagonal = np.abs(np.diag(R))
        if diagonal.min() <= 1e-13 * diagonal.max():
            return None
        z = np.zeros(len(A))
        for _ in range(3):  # the first answer, and its residual twice
            z = z + scipy.linalg.solve_triangular(R, 1.0 - A @ (Q @ z), trans="T", check_finite=False)
        return Q @ z, scipy.linalg.solve_triangular(R, z, check_finite=False)

    def _by_products(self, binding: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        assert self.G is not None
        G = self.G[np.ix_(binding, binding)]
        try:
            factor = scipy.linalg.cho_factor(G, check_finite=False)
        except np.linalg.LinAlgError:  # dependent rows
            return None
        multipliers = np.zeros(len(binding))
        for _ in range(3):
            multipliers = multipliers + scipy.linalg.cho_solve(factor, 1.0 - G @ multipliers, check_finite=False)
        return self.combined(binding, multipliers), multipliers

    def combined(self, binding: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """Aᵀ λ."""
        if self.A is not None:
            return self.A[binding].T @ multipliers
        return self.rows.combined(self.which[binding], multipliers)

    def margins(self, theta: np.ndarray, binding: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        if self.A is not None:
            return self.A @ theta
        assert self.G is not None
        return self.G[:, binding] @ multipliers

    def shortest(self, guess: np.ndarray, unit: float) -> tuple[np.ndarray, np.ndarray] | None:
        """(θ, λ) of all rows, from a guess of those that hold it; `unit` is about ‖θ‖."""
        if self.A is not None and self.rows.width <= NARROW:
            return self._active_set(unit)
        binding = guess.copy()
        fewest, patience = len(binding) + 1, PATIENCE
        for _ in range(PIVOTS):
            inside = np.flatnonzero(binding)
            solved = self.on_the_margin(inside) if len(inside) else None
            if solved is None:
                break
            theta, part = solved
            wrong = self.margins(theta, inside, part) < 1.0 - SHORT
            wrong[inside] = part < 0
            count = int(wrong.sum())
            if count == 0:
                multipliers = np.zeros(len(binding))
                multipliers[inside] = part
                return theta, multipliers
            patience = PATIENCE if count < fewest else patience - 1
            fewest = min(fewest, count)
            if patience < 0:
                wrong[: np.flatnonzero(wrong)[-1]] = False
            binding ^= wrong
        return self._active_set(unit)

    def _active_set(self, unit: float) -> tuple[np.ndarray, np.ndarray] | None:
        """By non-negative least squares: the smallest [A t]ᵀ λ − (0, 1), t = 1/unit, is a multiple of (θ, −1)."""
        columns = self._columns()
        t = 1.0 / unit
        target = np.append(np.zeros(len(columns)), 1.0)
        try:
            multipliers, _ = nnls(np.vstack([columns, np.full(columns.shape[1], t)]), target)
        except RuntimeError:  # nearly dependent rows did not settle: no answer rather than a wrong one
            return None
        left = 1.0 - t * multipliers.sum()
        if not (multipliers.any() and left > 0):
            return None
        multipliers = multipliers * (unit / left)
        inside = np.flatnonzero(multipliers)
        exact = self.on_the_margin(inside)
        if exact is not None and (exact[1] >= 0).all():
            multipliers[inside] = exact[1]
            return exact[0], multipliers
        return self.combined(inside, multipliers[inside]), multipliers

    def _columns(self) -> np.ndarray:
        """Aᵀ, or a square matrix with the same products."""
        if self.A is not None:
            return self.A.T
        return np.asarray(np.linalg.qr(self.rows.take(self.which).T, mode="r"))
