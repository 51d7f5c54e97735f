"""Losses of r = y − f whose leaves hold no Newton step, but for the r of their rows

    absolute_error, quantile   up · r where r ≥ 0, else −down · r            the quantile up / (up + down)
    huber                      ½ r² where |r| ≤ δ, else δ (|r| − δ/2)        m plus the mean of r − m cut at ±δ

with m the median of r; δ is a quantile of all |r|, anew for each tree. The start is a quantile; of huber the median.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.steps import TINY, Indices, Slopes, Steps


def pinball(y: F64, f: F64, up: float, down: float) -> tuple[F64, F64, F64]:
    r = y[:, None] - f
    return np.where(r >= 0, up * r, -down * r)[:, 0], np.where(r >= 0, -up, down), np.ones_like(f)


def huber(y: F64, f: F64, scale: float) -> tuple[F64, F64, F64]:
    r, size = y[:, None] - f, np.abs(y[:, None] - f)
    values = np.where(size <= scale, r * r / 2, scale * (size - scale / 2))
    return values[:, 0], -np.clip(r, -scale, scale), np.ones_like(f)


def quantile(v: F64, w: F64, q: float, linear: bool = False) -> tuple[float, float]:
    """The least and the largest q-quantile of v under weights w; linear: between neighbors at the place q (n − 1)."""
    order = np.argsort(v, kind="stable")
    v, below = v[order], np.cumsum(w[order])
    if linear:
        return float(np.percentile(v, 100 * q)), float(np.percentile(v, 100 * q))
    low, high = np.searchsorted(below, below[-1] * q * np.array([1 - 1e-12, 1 + 1e-12])).clip(0, len(v) - 1)
    return float(v[low]), float(v[high])


@dataclass
class Kinks(Steps):
    """Leaves hold a quantile; `linear` says how it is found."""

    kinked = True
    q: float = 0.5
    linear: bool = False

    def slopes(self) -> Slopes:
        """A row at the kink may count on either side."""
        slopes = super().slopes()
        slopes[2][:, 0] += self.w * (np.abs(self.y - self.f[:, 0]) < self.df)
        return slopes

    def step(self, r: F64, w: F64) -> tuple[float, float]:
        return quantile(r, w, self.q, self.linear)

    def leaf(self, value: float, rate: float, rows: Indices, k: int, slopes: Slopes) -> None:
        """How far value is from rate · step, relative to rate · mean |r|."""
        if not self.newton:
            return super().leaf(value, rate, rows, k, slopes)
        y, f = self.y[rows], self.f[rows, 0]
        (low, high), unit = self.step(y - f, self.w[rows]), max(float(np.abs(y - f).mean()), TINY)
        off = (16 * UNIT * float((np.abs(y) + np.abs(f)).max()) + 4 * self.df) / unit
        self.seen.see(max(rate * low - value, value - rate * high, 0.0) / (rate * unit), 0.0, off)

    def start(self, linear: bool) -> None:
        start = Kinks(self.loss, self.y, self.w, self.f, q=self.q, linear=linear)
        start.leaf(0.0, 1.0, np.arange(len(self.y)), 0, self.slopes())
        self.seen = start.seen


@dataclass
class Huber(Kinks):
    share: float = 0.9  # δ is this quantile

    def slopes(self) -> Slopes:
        self.scale = quantile(np.abs(self.y - self.f[:, 0]), self.w, self.share)[0]
        self.loss = partial(huber, scale=self.scale)
        return super().slopes()

    def step(self, r: F64, w: F64) -> tuple[float, float]:
        ends = [m + np.clip(r - m, -self.scale, self.scale) @ w / w.sum() for m in super().step(r, w)]
        return min(ends), max(ends)
