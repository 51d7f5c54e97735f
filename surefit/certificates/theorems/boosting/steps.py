"""The raw predictions f of rows as the trees of a boosted model add to them, and what each leaf adds.

A leaf adds the step of the loss for its rows, times a rate:

    smooth losses                −G / (H + λ), with G = Σ w g and H = Σ w h Newton's step
    absolute_error, quantile     the median, the quantile of r = y − f
    huber                        m plus the mean of r − m cut at ±δ, m the median of r

The start is a leaf of all rows whose step is zero: where Σ w g = 0 no constant is better.

Rounding: with Σ w g off by dG and Σ w h by dH the step is off by (dG + |step| dH) / (H + λ) in first order. As
|step| (H + λ) ≤ Σ w |g|, relative to Σ w |g| / (H + λ) the checker's own sums are off by twice their γ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.boosting.losses import KINKED, loss_at, quantile
from surefit.certificates.theorems.worst import Worst

TINY = float(np.finfo(float).tiny)
Slopes = tuple[F64, F64]  # (n, K, 2): slopes and curvatures times the weights; what a model may have them off by
Indices = NDArray[np.intp]


@dataclass
class Steps:
    """Rows with targets, weights and raw predictions f (n, K), each of which is right to df."""

    loss: str
    y: F64
    w: F64
    f: F64
    q: float = 0.5  # the quantile; for huber that of |r| which is δ
    unit: float = 0.0  # a model rounds slopes and curvatures to this share of each,
    grid: float = 0.0  # and to this share of the largest
    l2: float = 0.0
    linear: bool = False  # medians and quantiles are between neighbors
    newton: bool = True  # else the step of any loss is −G / Σ w

    def __post_init__(self) -> None:
        self.df, self.seen, self.level = 4 * UNIT * float(np.abs(self.f).max()), Worst(), self.q

    def move(self, k: int, by: F64) -> None:
        self.f[:, k] += by
        self.df += 4 * UNIT * float(np.abs(self.f[:, k]).max() + np.abs(by).max())

    def slopes(self) -> Slopes:
        if self.loss == "huber":  # until they are asked for again
            self.level = quantile(np.abs(self.y - self.f[:, 0]), self.w, self.q)[0]
        w, (_, g, h) = self.w[:, None], loss_at(self.loss, self.y, self.f, self.level)
        terms = np.stack([g * w, h * w], axis=2)
        off = (self.unit + 8 * UNIT) * np.abs(terms) + (h * w * self.df)[:, :, None]
        off += self.grid * np.abs(terms).max(axis=(0, 1)) + 4 * UNIT * w[:, :, None] * (self.loss == "log_loss")
        if self.loss in KINKED:  # a row at the kink may count on either side
            off[:, :, 0] += w * (np.abs(self.y[:, None] - self.f) < self.df)
        return terms, off

    def leaf(self, value: float, rate: float, rows: Indices, k: int, slopes: Slopes) -> None:
        """|value − rate · step| relative to rate · Σ w |g| / (H + λ), the step if all slopes had one sign; at a kink to
        the mean of |r|."""
        if self.newton and self.loss in KINKED:
            r, size = self.y[rows] - self.f[rows, 0], np.abs(self.y[rows]) + np.abs(self.f[rows, 0])
            low, high = quantile(r, self.w[rows], self.q if self.loss == "quantile" else 0.5, self.linear)
            if self.loss == "huber":
                cut = np.clip(r - np.array([[low], [high]]), -self.level, self.level)
                low, high = np.sort([low, high] + cut @ self.w[rows] / self.w[rows].sum())
            unit, off = max(float(np.abs(r).mean()), TINY), 16 * UNIT * size.max() + 4 * self.df
            return self.seen.see(max(rate * low - value, value - rate * high, 0.0) / (rate * unit), 0.0, off / unit)
        terms, off = (t[rows, k] for t in slopes)
        (G, H), (dG, dH), size = terms.sum(axis=0), off.sum(axis=0), max(float(np.abs(terms[:, 0]).sum()), TINY)
        H = max((H if self.newton else self.w[rows].sum()) + self.l2, TINY)
        off = (dG + abs(G / H) * dH) / size + 16 * UNIT
        self.seen.see(abs(value + rate * G / H) / max(rate * size / H, TINY), 2 * gamma(len(rows) + 16), off)

    def start(self, linear: bool) -> None:
        start = replace(self, newton=True, linear=linear)
        start.loss = "absolute_error" if self.loss == "huber" else self.loss  # from the median
        for k in range(self.f.shape[1]):
            start.leaf(0.0, 1.0, np.arange(len(self.y)), k, start.slopes())
        self.seen = start.seen

    def claim(self, tol: float) -> Claim:
        sentence = f"All {self.seen.count} leaf values (and the start) are steps of the loss; largest relative error."
        failure = "A leaf value, or the start, is not the step of the loss for these rows and weights."
        return self.seen.claim("leaf_values", sentence, tol, failure)

    def mean_loss(self, w: F64) -> tuple[float, float]:
        """Under weights w, and its rounding: of f, and where the loss is a difference of terms of the size of f and
        y f, of these."""
        values, g, _ = loss_at(self.loss, self.y, self.f, self.level)
        terms = (1 + np.abs(self.y)) * np.abs(self.f).max(axis=1) * (self.loss in ("log_loss", "poisson", "gamma"))
        off = w @ (16 * UNIT * (np.abs(values) + terms) + 4 * self.df * np.abs(g).max(axis=1))
        mean = float(w @ values / w.sum())
        return mean, float(off / w.sum()) + 2 * len(w) * UNIT * abs(mean)
