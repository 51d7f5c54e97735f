"""k-means by small samples: each step assigns a sample of rows and moves each center to the mean of all rows it was
ever given.

With v_j the weight that center j has been given so far, and a sample that gives it weight m with the mean a,

    v_j ← v_j + m ,    c_j ← c_j + (m / v_j) (a − c_j) .

Samples are drawn with replacement by cumulative weight in canonical order: shuffling the rows changes nothing, a row of
weight two is a row given twice, and only the ratios of weights matter. A center that has been given far less than the
others is put on a row of the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefit.engine.sources.source import MemorySource
from surefit.solvers.clustering.lloyd import Frame, LloydState, LloydStep
from surefit.summaries.canonical import Canonical, canonical_rows, in_single_precision, row_hashes
from surefit.summaries.resample import LARGEST_SEED, bootstrap_draws


class Samples:
    """Weighted samples of rows in memory, drawn from their distinct rows in canonical order."""

    def __init__(self, X: Any, w: np.ndarray | None) -> None:
        self.single, self.unit = in_single_precision(X)
        self.X = X
        distinct = canonical_rows(self.single, w, row_hashes(self.single))
        self.order = distinct.order
        self.weights = np.ones(distinct.n_rows) if distinct.w is None else distinct.w
        self._below, self._once = np.cumsum(self.weights), bool((self.weights == 1).all())
        self.total = float(self._below[-1])
        self.n_distinct = len(self.order)

    def draw(self, rng: np.random.Generator, size: int) -> Canonical:
        """`size` draws: the rows that were drawn, each with how often."""
        places = bootstrap_draws(int(rng.integers(LARGEST_SEED)), self._below, self._once, size)
        drawn, counts = np.unique(places, return_counts=True)
        return Canonical(self.X, self.order[drawn], counts.astype(np.float64))


@dataclass
class Running:
    """The centers, and the weight each has been given."""

    centers: np.ndarray
    counts: np.ndarray
    frame: Frame
    since_reassigned: float = 0.0

    def step(self, X: Any, w: np.ndarray | None, rng: np.random.Generator, reassignment_ratio: float) -> float:
        """One sample: centers and counts move. Returns Σ ω ‖x − c‖² before the move, times scale²."""
        k = len(self.counts)
        passed = MemorySource(X, w=w).fold(LloydStep(), LloydState(self.centers, self.frame))
        moved = passed.sums / self.frame.scale
        if self.frame.shift is None:
            moved = moved - passed.weight[:, None] * self.centers
        self.counts = self.counts + passed.weight
        self.centers = self.centers + moved / np.where(self.counts > 0, self.counts, 1.0)[:, None]
        self.since_reassigned += float(passed.weight.sum())
        if (self.counts == 0).any() or self.since_reassigned >= 10 * k:
            self.since_reassigned = 0.0
            self._reassign(X, rng, reassignment_ratio)
        return passed.inertia

    def _reassign(self, X: Any, rng: np.random.Generator, ratio: float) -> None:
        """Centers given less than `ratio` of the largest count go to rows of the sample, at most half as many rows."""
        few = self.counts < ratio * self.counts.max()
        most = X.shape[0] // 2
        if few.sum() > most:
            few[np.argsort(self.counts, kind="stable")[most:]] = False
        if not few.any():
            return
        rows = X[np.sort(rng.choice(X.shape[0], int(few.sum()), replace=False))]
        self.centers[few] = rows.toarray() if hasattr(rows, "toarray") else rows
        self.counts[few] = self.counts[~few].min(initial=self.counts.max())


@dataclass
class Convergence:
    """When to stop: by the movement of the centers, or when the running mean of sampled inertias no longer falls."""

    share: float
    """Of the running mean that one sample replaces."""
    tol: float
    max_no_improvement: int | None
    running: float | None = None
    least: float = np.inf
    no_improvement: int = 0
    history: list[float] = field(default_factory=list)

    def reached(self, mean_inertia: float, sq_movement: float) -> str:
        """Why to stop; empty where not."""
        self.history.append(mean_inertia)
        if len(self.history) == 1:
            return ""
        if self.running is None:
            self.running = mean_inertia
        else:
            self.running = self.running * (1 - self.share) + mean_inertia * self.share
        if self.tol > 0 and sq_movement <= self.tol:
            return "small centers change"
        if self.running < self.least:
            self.least, self.no_improvement = self.running, 0
        else:
            self.no_improvement += 1
        stalled = self.max_no_improvement is not None and self.no_improvement >= self.max_no_improvement
        return "lack of improvement in inertia" if stalled else ""


def rounds(
    state: Running, samples: Samples, rng: np.random.Generator, size: int, reassignment_ratio: float
) -> Iterator[tuple[float, float]]:
    """For each sample: its mean inertia, and by how much the centers moved (squared), both times scale²."""
    while True:
        sample = samples.draw(rng, size)
        before = state.centers
        inertia = state.step(samples.X[sample.order], sample.w, rng, reassignment_ratio)
        yield inertia / size, float((((state.centers - before) * state.frame.scale) ** 2).sum())
