"""A linear program with its rows in memory, centered and in a common unit, for those who search in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, dense
from surefit.certificates.search.independent_rows import approximate_inverse, independent_rows
from surefit.certificates.search.smoothed_dual import Kinks, smoothed_dual
from surefit.certificates.theorems.long_rows import slices
from surefit.certificates.theorems.piecewise_linear import Basis, Program

CAPACITY = 2e7  # numbers held in memory
PRECISE = 4e6  # up to here also in long double


class InMemory:
    """The rows of a program; of a very large one, rows spread evenly over it (`complete` is then false)."""

    def __init__(self, p: Program) -> None:
        self.unit: F64 = np.where(p.sizes > 0, p.sizes, 1.0).astype(np.float64)
        n, columns = p.blocks.n_rows, self.unit.size
        every = max(1, int(np.ceil(n * columns / CAPACITY)))
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

    def dual(self, w: F64, b: float, good: float) -> tuple[Any, F64, Any]:
        """δ for all rows, and better coefficients (w, b)."""
        p, d = self.program, w.size
        shift = float(self.t.mean()) if p.intercept and (self.lo < 0).any() else 0.0
        penalty = np.zeros(self.unit.size)
        penalty[:d] = (p.penalty / self.scale / self.unit[:d]).astype(np.float64)
        kinks = Kinks(self.A, self.precise, self.t - shift, self.lo.astype(float), self.hi.astype(float), penalty)
        level = np.longdouble(b) + p.center.astype(np.longdouble) @ w - shift
        theta = np.append(w, float(level)) if p.intercept else w
        found = smoothed_dual(kinks, theta * self.unit, good)
        delta = np.zeros(p.blocks.n_rows, dtype=np.longdouble)
        delta[self.places] = found.delta * self.scale
        shortest = np.linalg.lstsq(self.A, self.A @ found.theta, rcond=1e-11)[0]  # of all with the same answers
        better = shortest / self.unit
        if not p.intercept:
            return delta, better, 0.0
        return delta, better[:d], np.longdouble(better[d]) + shift - p.center.astype(np.longdouble) @ better[:d]

    def basis(self, delta: Any) -> Basis:
        """Rows and columns for a repair of δ."""
        mine = np.clip(delta[self.places] / self.scale, self.lo, self.hi)
        give = np.where(self.lo < 0, np.minimum(-self.lo, self.hi), mine).astype(np.float64)
        rows, columns, tries = independent_rows(self.A, give)
        return Basis(self.places[rows], columns, tries, approximate_inverse)
