"""Proposals for two classes that no hyperplane separates: weights that balance the signed rows, and coordinates.

Nothing here is trusted: a poor proposal makes a bound loose, it cannot make a claim false.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.search.linear.even_coordinates import even_coordinates
from surefit.certificates.search.linear.program_in_memory import InMemory
from surefit.certificates.theorems.linear_program.balanced_rows import Coordinates
from surefit.certificates.theorems.linear_program.long_rows import LONG, Long, Slice, slices
from surefit.certificates.theorems.linear_program.piecewise_linear import read_program

MOST_COLUMNS = 3000  # of coordinates


class Balancing:
    def __init__(self, blocks: Blocks, intercept: bool) -> None:
        self.blocks, self.intercept = blocks, intercept
        self.program = replace(read_program(blocks, _terms, intercept, 0.0), spread=1.0)
        self.better: tuple[F64, Any] = (np.zeros(blocks.n_features), LONG(0))

    def coordinates(self, phi: Long) -> Coordinates:
        """Even for the rows with these weights. The way back is mended once, in long double."""
        center, sizes = self.program.center, self.program.sizes
        unit = np.where(sizes > 0, sizes, LONG(1)).astype(np.float64)
        R = np.zeros((0, unit.size))
        for S, f in self._rows(phi):
            R = np.asarray(np.linalg.qr(np.vstack([R, (S / unit * np.sqrt(f)).astype(np.float64)]), mode="r"))
        T, back = even_coordinates(R)
        T, back = T / unit[:, None], (back * unit).astype(LONG)
        if len(back) < unit.size:
            back = back + sum((f * (S @ T)).T @ (S - S @ T @ back) for S, f in self._rows(phi))
        return Coordinates(center, T, back)

    def _rows(self, phi: Long) -> Iterator[tuple[Long, Long]]:
        """Centered rows with φ > 0, and φ/Σφ as a column; none where there are too many columns."""
        total = phi.sum()
        for part in slices(self.blocks) if self.program.sizes.size <= MOST_COLUMNS and total > 0 else ():
            f = phi[part.first : part.first + part.w.size] / total
            X = dense(part.X)[f > 0].astype(LONG) - self.program.center
            yield np.hstack([X, np.ones((len(X), 1))]) if self.intercept else X, f[f > 0, None]

    def duals(self, w: F64, b: float, phi: Long, omega: Long, good: float) -> Iterator[Long]:
        """Weights up to ω: φ as large as they allow, the same in long double, and those of a search from (w, b)."""
        memory = InMemory(self.program)
        on = (phi > 0) & (omega > 0)
        largest = phi * (omega[on] / phi[on]).min() if on.any() else None
        yield from memory.duals(w, b, largest, good)
        self.better = memory.better


def _terms(part: Slice) -> tuple[F64, F64, Long, Long]:
    w = part.w.astype(LONG)
    return 2.0 * part.y - 1.0, np.ones(w.size), np.zeros(w.size, dtype=LONG), w
