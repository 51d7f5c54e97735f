"""A linear program with its rows in memory, centered and in a common unit, for those who search in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, dense
from surefit.certificates.search.linear.column_basis import column_basis, triangle
from surefit.certificates.search.linear.smoothed_dual import Kinks, Smoothed, balanced, smoothed_dual
from surefit.certificates.theorems.linear_program.long_rows import slices
from surefit.certificates.theorems.linear_program.piecewise_linear import MOST_COLUMNS, NOTHING, Basis, Program

CAPACITY = 2e7  # numbers held in memory
MOST_WORK = 2e8  # rows times columns squared, for a search
PRECISE = 4e6  # up to here also in long double


class InMemory:
    """The rows of a program; of a very large one, rows spread evenly over it (`complete` is then false)."""

    def __init__(self, p: Program) -> None:
        self.unit: F64 = np.where(p.sizes > 0, p.sizes, 1.0).astype(np.float64)
        n, columns = p.blocks.n_rows, self.unit.size
        self.every = every = max(1, int(np.ceil(n * columns / CAPACITY)))
        self.complete, self.program = every == 1, p
        kind = np.longdouble if n * columns <= PRECISE else np.float64
        rows: list[Any] = []
        t: list[Any] = []
        lo: list[Any] = []
        hi: list[Any] = []
        places: list[Any] = []
        for part in slices(p.blocks):
            at = np.arange(-part.first % every, part.w.size, every)
            sign, target, low, high = p.terms(part)
            nothing = [np.zeros((0, p.center.size))]
            X = dense(part.X) if every == 1 else np.vstack([dense(part.X[i : i + 1]) for i in at.tolist()] or nothing)
            A: Any = X.astype(kind) - p.center
            A = np.hstack([A, np.ones((at.size, 1))]) if p.intercept else A
            rows.append(sign[at, None] * (A / self.unit))
            for held, values in ((t, target), (lo, low), (hi, high)):
                held.append(values[at])
            places.append(part.first + at)
        self.places: NDArray[np.intp] = np.concatenate(places)
        heaviest = np.concatenate(hi).max() or 1.0
        self.scale = heaviest  # weights may be beyond double precision
        self.lo, self.hi = (np.concatenate(v) / heaviest for v in (lo, hi))
        self.precise, self.t = np.vstack(rows), np.concatenate(t)
        self.A = self.precise.astype(np.float64, copy=False)

    def duals(self, w: F64, b: float, proposed: Any, good: float) -> Iterator[Any]:
        """Points of the dual: the proposed one, the same in long double, and one that is sought from (w, b)."""
        kinks, theta, shift = self._kinks(w, b)
        if proposed is not None:
            yield proposed
            if self.complete:
                yield self._everywhere(balanced(kinks, theta, np.clip(proposed / self.scale, self.lo, self.hi)))
        affordable = self.complete and self.A.size * self.unit.size <= MOST_WORK
        found = smoothed_dual(kinks, theta, good) if affordable else Smoothed(np.zeros(self.places.size), theta)
        self.better = self._in_columns(found.theta, shift)
        yield self._everywhere(found.delta)

    def _kinks(self, w: F64, b: float) -> tuple[Kinks, F64, float]:
        """The problem in doubles, targets about their mean, and θ in its units."""
        p, d = self.program, w.size
        shift = float(self.t.mean()) if p.intercept and (self.lo < 0).any() else 0.0
        penalty = np.zeros(self.unit.size)
        penalty[:d] = (p.penalty / self.scale / self.unit[:d]).astype(np.float64)
        kinks = Kinks(self.A, self.precise, self.t - shift, self.lo.astype(float), self.hi.astype(float), penalty)
        level = np.longdouble(b) + p.center.astype(np.longdouble) @ w - shift
        return kinks, (np.append(w, float(level)) if p.intercept else w) * self.unit, shift

    def _everywhere(self, delta: Any) -> Any:
        """δ of the rows in memory, in the unit of the weights, and zero for all other rows."""
        out = np.zeros(self.program.blocks.n_rows, dtype=np.longdouble)
        out[self.places] = delta * self.scale
        return out

    def _in_columns(self, theta: F64, shift: float) -> tuple[F64, Any]:
        """The shortest coefficients (w, b) with the same answers as θ."""
        p, d = self.program, self.program.center.size
        shortest = np.linalg.lstsq(self.A, self.A @ theta, rcond=1e-11)[0] / self.unit
        if not p.intercept:
            return shortest, 0.0
        return shortest[:d], np.longdouble(shortest[d]) + shift - p.center.astype(np.longdouble) @ shortest[:d]

    def basis(self, delta: Any) -> Basis:
        """Coordinates in which the rows v a are orthonormal, v as in `piecewise_linear`."""
        used = np.flatnonzero(self.program.sizes > 0)
        v = np.minimum(-self.lo, self.hi)
        v = (v * (self.scale / self.program.total) * np.sqrt(self.every)).astype(np.float64)
        C = self.A[:, used] * v[:, None]
        if used.size > MOST_COLUMNS or not (np.isfinite(C).all() and v.any()):
            return NOTHING
        J, T, Z = column_basis(triangle(C), np.zeros(used.size), np.zeros(used.size, dtype=bool))
        D = np.setdiff1d(np.arange(used.size), J)
        if D.size and J.size:  # a second step in long double
            A = self.precise[v > 0][:, used]
            off = (A[:, D] - A[:, J] @ Z).astype(np.float64)
            Z = Z + np.linalg.lstsq(A[:, J].astype(np.float64), off, rcond=None)[0]
            # Rounding in place of a zero is all that a row without entries in the other columns has: not 8 roundings.
            rounding = 100 * float(np.finfo(A.dtype).eps) * np.abs(Z).max(axis=0)
            Z = np.where(np.abs(Z) > rounding, Z, 0.0)
        return Basis(used[J], T, Z)
