"""What the solvers of the box-constrained dual share: rows of the Gram matrix, limits, and the point reached."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from surefit.solvers.optimise.smo_gap import Box, Gap, duality_gap

CHUNK_WORK = 1e8
"""Multiplications of one call into the compiled loop: signals and the clock are looked at in between."""
ROUNDING_OF_D = 1e-13


class Rows(Protocol):
    """Rows of a Gram matrix, as `surefit.kernels.gram.GramRows` gives them."""

    @property
    def n(self) -> int: ...
    def diagonal(self) -> np.ndarray: ...
    def rows(
        self, indices: np.ndarray, columns: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray: ...


@dataclass
class Limits:
    """When to stop, and the steps done so far."""

    tol: float
    max_iter: int | None = None
    deadline: float | None = None
    done: int = 0

    def steps(self, width: int) -> int:
        """Steps on so many variables until the next look at the clock."""
        chunk = int(CHUNK_WORK / (width + 1)) + 1
        return chunk if self.max_iter is None else min(chunk, max(self.max_iter - self.done, 0))

    def reached(self) -> str | None:
        if self.max_iter is not None and self.done >= self.max_iter:
            return "max_iter"
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return "time_budget"
        return None


@dataclass(frozen=True)
class Point:
    """β, its gradient F = Kβ + q, and how good it is."""

    beta: np.ndarray
    F: np.ndarray
    gap: Gap
    status: str = "unfinished"

    @classmethod
    def of(cls, box: Box, beta: np.ndarray, F: np.ndarray) -> Point:
        return cls(beta, F, duality_gap(box, beta, F))

    def better_than(self, other: Point) -> bool:
        """A smaller gap; NaN is never better."""
        return self.gap.gap < other.gap.gap

    def improves_on(self, other: Point) -> bool:
        """A smaller gap, or a D that is lower by more than rounding."""
        return self.better_than(other) or self.gap.value < other.gap.value - ROUNDING_OF_D * abs(other.gap.value)
