"""The raw predictions f of rows as the trees of a boosted model add to them, and what each leaf adds.

A leaf adds a rate times Newton's step of the loss for its rows, −G / (H + λ), with G = Σ w g and H = Σ w h. The start
is a leaf of all rows whose step is zero: where Σ w g = 0 no constant is better. With G off by dG and H by dH the step
is off by (dG + |step| dH) / (H + λ) in first order. As |step| (H + λ) ≤ Σ w |g|, relative to Σ w |g| / (H + λ), the
step if all slopes had one sign, the checker's own sums are off by twice their γ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.worst import Worst

TINY = float(np.finfo(float).tiny)
Indices = NDArray[np.intp]
Slopes = tuple[F64, F64, F64, F64]  # w g, w h, and what a model may have these off by; (n, K) each


@dataclass
class Steps:
    """Rows with targets, weights and raw predictions f (n, K), each of which is right to df."""

    kinked = False  # leaves hold Newton's steps
    loss: Any  # (y, f) ↦ values (n,), slopes and curvatures (n, K)
    y: F64
    w: F64
    f: F64
    l2: float = 0.0
    factor: float = 1.0  # a score is so many times the loss
    log_link: bool = False  # the model answers e^f
    newton: bool = True  # else the step is −G / Σ w
    unit: float = 0.0  # a model rounds slopes and curvatures to this share of each,
    grid: float = 0.0  # to this share of the largest,
    flat: float = 0.0  # and to this

    def __post_init__(self) -> None:
        self.df, self.seen = 4 * UNIT * float(np.abs(self.f).max()), Worst()

    def add(self, moves: F64) -> None:
        self.f += moves
        self.df += 4 * UNIT * float(np.abs(self.f).max() + np.abs(moves).max())

    def slopes(self) -> Slopes:
        w, (_, g, h) = self.w[:, None], self.loss(self.y, self.f)
        each, terms = w * (self.flat + h * self.df), (w * g, w * h)
        dg, dh = ((self.unit + 8 * UNIT) * np.abs(t) + self.grid * np.abs(t).max() + each for t in terms)
        return *terms, dg, dh

    def leaf(self, value: float, rate: float, rows: Indices, k: int, slopes: Slopes) -> None:
        """How far value is from rate · step."""
        (G, H, dG, dH), size = (float(t[rows, k].sum()) for t in slopes), float(np.abs(slopes[0][rows, k]).sum())
        H, size = max((H if self.newton else float(self.w[rows].sum())) + self.l2, TINY), max(size, TINY)
        off = (dG + abs(G / H) * dH) / size + 16 * UNIT
        self.seen.see(abs(value + rate * G / H) / max(rate * size / H, TINY), 2 * gamma(len(rows) + 16), off)

    def start(self, linear: bool) -> None:
        for k in range(self.f.shape[1]):
            self.leaf(0.0, 1.0, np.arange(len(self.y)), k, self.slopes())

    def claim(self, tol: float) -> Claim:
        sentence = f"All {self.seen.count} leaf values (and the start) are steps of the loss; largest relative error."
        return self.seen.claim("leaf_values", sentence, tol, "A leaf value, or the start, is no step for these rows.")

    def mean_loss(self, w: F64) -> tuple[float, float]:
        """The mean of the loss under weights w, and its rounding, of the terms of a difference too."""
        values, g, h = self.loss(self.y, self.f)
        slope, size = np.abs(g).max(axis=1) + 4 * h[:, 0] * self.log_link, 1 + np.abs(self.f).max(axis=1)
        off = w @ (16 * UNIT * np.abs(values) + 4 * (self.df + UNIT * self.log_link) * slope + 4 * self.flat * size)
        mean = float(w @ values / w.sum())
        return mean, float(off / w.sum()) + 2 * len(w) * UNIT * abs(mean)
