"""The rows of a linear program in good units, without a copy of the data.

Row i of A is  σᵢ [(xᵢ − m) / s, 1]  with m the column means (zero without an intercept), s a power of two near each
column's mean distance from m, and σᵢ = ±1 a sign (all +1 for regression). Products over all rows go by chunks, merged
in the fixed tree whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from surefit._core.arithmetic import power_of_two, two_sum
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.solvers.numerics.twofold import dot

CHUNK_ELEMENTS = 2**18


class ScaledRows:
    """A as a thing to multiply with; `take` gives some of its rows as an array."""

    def __init__(self, X: Any, sign: np.ndarray | None, fit_intercept: bool) -> None:
        self.X, self.sign, self.fit_intercept = X, sign, fit_intercept
        self.n, self.d = X.shape
        self.is_sparse = sp.issparse(X)
        self.chunk = max(256, CHUNK_ELEMENTS // max(1, self.d))
        self.columns = np.arange(self.d)
        """Columns in use."""
        self.center = np.zeros(self.d)
        noise = 4.0
        if fit_intercept:
            # About the first row, so that a constant column is seen as one; zeros of sparse rows must stay zeros.
            first = np.zeros(self.d) if self.is_sparse else X[0].astype(np.float64)
            self.center = first + self._sum(
                lambda rows, _: np.asarray((rows if self.is_sparse else rows - first).sum(axis=0)).ravel() / self.n
            )
            noise = max(noise, float(self.n)) if self.is_sparse else noise
        self.distance = self._sum(lambda rows, _: self._distance(rows)) / self.n
        """Mean distance of each column from its center."""
        self.constant = self.distance <= noise * np.finfo(np.float64).eps * np.abs(self.center)
        self.scale = power_of_two(np.where(self.constant, 1.0, self.distance), 1073)

    def _distance(self, rows: Any) -> np.ndarray:
        if not self.is_sparse:
            return np.abs(rows - self.center).sum(axis=0)
        rows = rows.tocsc()
        stored = np.diff(rows.indptr)
        away = np.abs(rows.data - np.repeat(self.center, stored))
        sums = np.add.reduceat(np.append(away, 0.0), np.minimum(rows.indptr[:-1], len(away)))
        return np.where(stored > 0, sums, 0.0) + (rows.shape[0] - stored) * np.abs(self.center)

    def _fold(self, function: Callable[[Any, slice], Any], combine: Callable[[Any, Any], Any]) -> Any:
        """`function(rows, where)` of every chunk as float64, merged in the fixed tree."""

        def one(i: int) -> Any:
            where = slice(i * self.chunk, min(self.n, (i + 1) * self.chunk))
            return function(self.X[where].astype(np.float64, copy=False), where)

        return fold_tree(-(-self.n // self.chunk), one, combine, threads_for(self.n * self.d))

    def _sum(self, function: Callable[[Any, slice], np.ndarray]) -> np.ndarray:
        return self._fold(function, np.add)

    @property
    def width(self) -> int:
        return len(self.columns) + self.fit_intercept

    def times(self, beta: np.ndarray) -> np.ndarray:
        """A β."""
        coef, intercept = self.in_users_units(beta)
        coef_center = beta[-1] if self.fit_intercept else 0.0
        out = np.empty(self.n)

        def one(rows: Any, where: slice) -> None:
            if self.is_sparse:
                products = rows @ coef + intercept
            elif self.fit_intercept:
                products = (rows - self.center) @ coef + coef_center
            else:
                products = rows @ coef
            out[where] = self._signed(products, where)

        self._fold(one, lambda left, right: None)
        return out

    def _signed(self, values: np.ndarray, where: Any) -> np.ndarray:
        return values if self.sign is None else values * self.sign[where]

    def transposed(self, a: np.ndarray) -> np.ndarray:
        """Aᵀ a."""

        def one(rows: Any, where: slice) -> np.ndarray:
            duals = self._signed(a[where], where)
            total = duals.sum()
            if self.is_sparse:
                part = rows.T @ duals - self.center * total
            else:
                part = (rows - self.center).T @ duals if self.fit_intercept else rows.T @ duals
            return np.append(part / self.scale, total)

        whole = self._sum(one)
        return np.append(whole[self.columns], whole[-1:] if self.fit_intercept else [])

    def take(self, rows: np.ndarray, *, scaled: bool = True, every_column: bool = False) -> np.ndarray:
        """Rows of A as an array; `scaled=False` leaves out the division by s."""
        chosen = self.X[rows]
        chosen = (chosen.toarray() if self.is_sparse else chosen).astype(np.float64, copy=False)
        chosen = chosen - self.center
        if scaled:
            chosen = chosen / self.scale
        if not every_column:
            chosen = chosen[:, self.columns]
        if self.fit_intercept:
            chosen = np.column_stack([chosen, np.ones(len(chosen))])
        return chosen if self.sign is None else chosen * self.sign[rows, None]

    def remainder(self, rows: np.ndarray) -> np.ndarray:
        """What rounding took from `take(rows)` when the center was taken off: the exact rows are the sum of the two."""
        chosen = self.X[rows][:, self.columns]
        chosen = (chosen.toarray() if self.is_sparse else chosen).astype(np.float64, copy=False)
        low = two_sum(chosen, np.broadcast_to(-self.center[self.columns], chosen.shape))[1] / self.scale[self.columns]
        if self.fit_intercept:
            low = np.column_stack([low, np.zeros(len(low))])
        return low if self.sign is None else low * self.sign[rows, None]

    def in_users_units(self, beta: np.ndarray) -> tuple[np.ndarray, float]:
        """Coefficients and intercept of the user's columns."""
        coef = np.zeros(self.d)
        k = len(self.columns)
        with np.errstate(over="ignore"):  # beyond floating point: the caller refuses it
            coef[self.columns] = beta[:k] / self.scale[self.columns]
        return coef, dot(-coef, self.center, float(beta[-1])) if self.fit_intercept else 0.0

    def keep_independent(self, sample: np.ndarray) -> None:
        """Keep only columns that are independent of each other; the rows in `sample` decide when they are enough.

        What is left of a column beside the others must exceed rounding: that of the factor, and that of the numbers in
        X. A column that another in different units would explain, were it not rounded, is one too many: coefficients
        that live on such digits lose more in predictions than they win in the fit.
        """
        self.columns = np.flatnonzero(~self.constant) if self.fit_intercept else self.columns
        R = _triangle(self.take(sample))
        if self._full(R, len(sample), 1e-6):
            return
        if len(sample) < self.n:
            R = np.zeros((0, self.width))
            for start in range(0, self.n, self.chunk):
                R = _triangle(np.vstack([R, self.take(np.arange(start, min(self.n, start + self.chunk)))]))
            if self._full(R, self.n, 1e-6):
                return
        if self.fit_intercept:  # the intercept is always kept: what is left of the other columns decides
            R = np.column_stack([R[:, -1:], R[:, :-1]])
            Q, _ = scipy.linalg.qr(R[:, :1], mode="economic")
            R = R[:, 1:] - Q @ (Q.T @ R[:, 1:])
        share, noise = nearly_dependent(self.n + self.d), self._noise(self.n)
        left = np.arange(R.shape[1])
        while len(left):
            T, order = scipy.linalg.qr(R[:, left], mode="r", pivoting=True)
            diagonal = np.abs(np.diag(T))
            rank = int((diagonal > share * max(diagonal.max(initial=0.0), 1e-300)).sum())
            chosen = left[order[:rank]]
            shares = _noise_of_remainders(T[:rank, :rank], noise[chosen])
            rounded = np.flatnonzero(shares.sum(axis=0) >= 1)
            if not len(rounded):
                self.columns = self.columns[np.sort(chosen)]
                return
            # of the columns that explain each other the one with most noise goes
            left = np.setdiff1d(left, chosen[shares[:, rounded[0]].argmax()])
        self.columns = self.columns[left]

    def _noise(self, rows: int) -> np.ndarray:
        """The length of the rounding in each column in use, over so many rows.

        Whether classes (rows with signs) can be separated is a question about the numbers as they are: no rounding.
        """
        eps = float(np.finfo(self.X.dtype).eps) if self.X.dtype.kind == "f" and self.sign is None else 0.0
        size = np.abs(self.center) + self.distance
        return 2 * eps * np.sqrt(rows) * (size / self.scale)[self.columns]

    def _full(self, R: np.ndarray, rows: int, least_share: float) -> bool:
        """Whether all columns are clearly independent."""
        if min(R.shape) < self.width or not (
            np.abs(np.diag(R)).min(initial=np.inf) > least_share * np.abs(R).max(initial=0)
        ):
            return False
        noise = np.append(self._noise(rows), np.zeros(int(self.fit_intercept)))
        return not (_noise_of_remainders(R, noise).sum(axis=0) >= 1).any()


def _noise_of_remainders(R: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """In column k the noise in what is left of column k of the triangle R beside those before it, by its origin.

    Column k of R⁻¹ holds the combination of columns whose length is one: noise |R⁻¹ₖ| is relative to that length.
    """
    if not len(R):
        return np.zeros((0, 0))
    inverse = scipy.linalg.solve_triangular(R, np.eye(len(R)), check_finite=False)
    return noise[:, None] * np.abs(inverse)


def nearly_dependent(size: int) -> float:
    """The share of a column outside the span of others that rounding cannot tell from nothing."""
    return float(8 * (np.sqrt(size) + 8) * np.finfo(np.float64).eps)


def _triangle(rows: np.ndarray) -> np.ndarray:
    if rows.shape[1] == 0:
        return rows[:0]
    return scipy.linalg.qr(rows, mode="r", check_finite=False)[0][: min(rows.shape)]
