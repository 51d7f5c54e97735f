"""Rows of two classes turned to one side: a hyperplane separates them where every product with θ is positive.

Row i is  ãᵢ = σᵢ s (xᵢ, 1),  or σᵢ s xᵢ without an intercept; σ = ±1 is the class, s a power of two near 1/max|x| that
keeps squares finite. The margin ãᵢ·θ has the sign of σᵢ (xᵢ·w + b) for every positive multiple (w, b) of θ; updates
by whole rows add up to θ = s (w, b).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from surefit._core.arithmetic import power_of_two
from surefit.objectives import hinge

CHUNK_ELEMENTS = 2**18


def rounding_of(width: int) -> float:
    """Relative rounding of a product of `width` terms, and of adding an intercept, generously."""
    return (width + 4) * 2.0**-53


class SignedRows:
    """The rows ã as a thing to multiply with."""

    def __init__(self, X: Any, sign: np.ndarray, fit_intercept: bool) -> None:
        self.X, self.sign, self.fit_intercept = X, sign, fit_intercept
        self.n, self.d = X.shape
        self.is_sparse = sp.issparse(X)
        numbers = X.data if self.is_sparse else X
        largest = float(max(numbers.max(initial=0.0), -numbers.min(initial=0.0), 1.0 if fit_intercept else 0.0))
        self.scale = 1.0 / power_of_two(largest)
        self.width = self.d + fit_intercept
        self.size = int(X.nnz if self.is_sparse else X.size) + self.n
        """Numbers in one pass over the rows."""

    def _chunks(self) -> Iterator[tuple[slice, Any]]:
        step = max(64, CHUNK_ELEMENTS // max(1, self.d))
        for start in range(0, self.n, step):
            where = slice(start, min(self.n, start + step))
            yield where, self.X[where].astype(np.float64, copy=False)

    def norms(self) -> np.ndarray:
        """‖ãᵢ‖ of every row."""
        squares = np.empty(self.n)
        for where, rows in self._chunks():
            scaled = rows * self.scale
            if self.is_sparse:
                squares[where] = np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()
            else:
                squares[where] = np.einsum("ij,ij->i", scaled, scaled)
        return np.sqrt(squares + (self.scale**2 if self.fit_intercept else 0.0))

    def margins(self, theta: np.ndarray) -> np.ndarray:
        """ãᵢ·θ of every row."""
        return self.sign * self._products(theta)

    def certain(self, theta: np.ndarray) -> bool:
        """Whether every margin is positive beyond what rounding can do to it."""
        margins = self.margins(theta)
        return bool((margins > rounding_of(self.d) * self._products(np.abs(theta), absolute=True)).all())

    def _products(self, theta: np.ndarray, absolute: bool = False) -> np.ndarray:
        w = theta[: self.d]
        b = float(theta[-1]) if self.fit_intercept else 0.0
        out = np.empty(self.n)
        for where, rows in self._chunks():
            out[where] = (abs(rows) if absolute else rows) @ w
        return (out + b) * self.scale

    def take(self, which: np.ndarray) -> np.ndarray:
        """Some of the rows as an array."""
        rows = self.X[which]
        rows = (rows.toarray() if self.is_sparse else rows).astype(np.float64) * self.scale
        if self.fit_intercept:
            rows = np.column_stack([rows, np.full(len(rows), self.scale)])
        return rows * self.sign[which, None]

    def gram(self, which: np.ndarray) -> np.ndarray:
        """ãᵢ·ãⱼ for some of the rows."""
        rows = self.X[which].astype(np.float64) * self.scale
        products = rows @ rows.T
        products = products.toarray() if self.is_sparse else products
        products = products + (self.scale**2 if self.fit_intercept else 0.0)
        return products * np.outer(self.sign[which], self.sign[which])

    def combined(self, which: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Σ λᵢ ãᵢ over some of the rows."""
        signed = weights * self.sign[which]
        whole = (self.X[which].astype(np.float64).T @ signed) * self.scale
        return np.append(whole, [self.scale * signed.sum()] if self.fit_intercept else [])

    def imbalance(self, phi: np.ndarray, w: np.ndarray) -> float:
        """The largest |Σ φᵢ σᵢ x| / Σ φᵢ |x| of the columns, each about its mean where there is an intercept."""
        signed, used = phi * self.sign, phi > 0
        level = float(signed.sum())
        center = np.asarray(self.X.T @ w) / w.sum() if self.fit_intercept else np.zeros(self.d)
        sums, sizes = np.zeros(self.d), np.zeros(self.d)
        for where, rows in self._chunks():
            on = np.flatnonzero(used[where])
            part, share = rows[on], phi[where][on]
            if self.is_sparse:
                sums += part.T @ signed[where][on] - center * float(signed[where][on].sum())
                sizes += abs(part).T @ share + np.abs(center) * float(share.sum())
            else:
                part = part - center
                sums += signed[where][on] @ part
                sizes += share @ np.abs(part)
        missed = np.abs(sums) / np.where(sizes > 0, sizes, 1.0)
        return float(np.append(missed, abs(level) / phi.sum() if self.fit_intercept else 0.0).max())

    def in_users_units(self, theta: np.ndarray) -> tuple[np.ndarray, float]:
        """θ as coefficients and an intercept of the rows as they came: those whose updates are whole rows."""
        with np.errstate(over="ignore"):
            theta = theta / self.scale
        return theta[: self.d], float(theta[-1]) if self.fit_intercept else 0.0

    def in_own_units(self, coef: np.ndarray, intercept: float) -> np.ndarray:
        """The multiple of (w, b) by a power of two whose largest number is near one."""
        return self._own(coef, intercept)[0]

    def violations(self, coef: np.ndarray, intercept: float, weights: np.ndarray) -> float:
        """Σ ωᵢ max(0, 1 − σᵢ (xᵢ·w + b))."""
        theta, unit = self._own(coef, intercept)
        with np.errstate(over="ignore"):
            margins = self.margins(theta) / self.scale * unit
        return float(weights @ hinge.value(margins, np.ones(self.n)))

    def _own(self, coef: np.ndarray, intercept: float) -> tuple[np.ndarray, float]:
        whole = np.append(coef, [intercept] if self.fit_intercept else [])
        unit = power_of_two(float(np.abs(whole).max(initial=0.0)))
        return whole / unit, unit
