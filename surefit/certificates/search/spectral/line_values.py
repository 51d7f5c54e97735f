"""Proposes how many axes to look along for a lower bound of k-means, and few values for many rows. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.theorems.spectral.centered import centered

MAX_POINTS = 1024  # distinct values; of more a choice is taken
QUANTILES, WIDTHS = 512, 256
MAX_CELLS = 3e8  # axes × k × values²


def axes_needed(n: int, k: int) -> int:
    """Axes whose caps fill the budget k − 1 on bell-shaped data: a line loses about 2.7/k² of its variance."""
    needed = int(np.ceil((k - 1) / (1.0 - min(0.7, 2.72 / k**2)))) + 1
    return int(min(needed, max(2, MAX_CELLS / (k * float(min(n, MAX_POINTS)) ** 2))))


def line_values(blocks: Blocks, mean: F64, B: F64) -> list[F64]:
    """For each column of B values that stand for the coordinates of all rows along it."""
    stride = 1 + blocks.n_rows // (16 * MAX_POINTS)
    sample = np.concatenate([A[::stride] @ B for A, _ in centered(blocks, mean)])
    return [few_values(t) for t in sample.T]


def few_values(x: F64) -> F64:
    """The values of x, or quantiles and an even grid where these are many."""
    values = np.unique(x)
    if len(values) <= MAX_POINTS:
        return values
    even = np.linspace(values[0], values[-1], WIDTHS + 1)
    return np.unique(np.concatenate([np.quantile(x, np.linspace(0, 1, QUANTILES + 1)), even]))
