"""Losses of r = y − f with a kink, or (huber) a scale that is found anew for each tree. What a leaf adds, for its rows:

    absolute_error  |r|                                            the median of r
    quantile        q r where r ≥ 0, else (q − 1) r                the q-quantile of r
    huber           ½ r² where |r| ≤ δ, else δ (|r| − δ/2)         m plus the mean of r − m cut at ±δ, m the median of r

δ is the q-quantile of |r|. The start is a leaf of all rows whose step is zero; of huber the median.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import UNIT
from surefit.certificates.theorems.boosting.steps import TINY, Indices, Slopes, Steps

KINKED = ("absolute_error", "quantile", "huber")


def quantile(v: F64, w: F64, q: float, linear: bool = False) -> tuple[float, float]:
    """The least and the largest q-quantile of v under the weights w, as far as rounding of their sums leaves it open.

    linear: for weights that are all one, between neighbors at the place q (n − 1).
    """
    order = np.argsort(v, kind="stable")
    v, below = v[order], np.cumsum(w[order])
    if linear:
        return float(np.percentile(v, 100 * q)), float(np.percentile(v, 100 * q))
    low, high = np.searchsorted(below, below[-1] * q * np.array([1 - 1e-12, 1 + 1e-12])).clip(0, len(v) - 1)
    return float(v[low]), float(v[high])


@dataclass
class Kinks(Steps):
    """Steps of these losses; q is the quantile, `linear` says how it is found."""

    kinked = True
    name: str = "absolute_error"
    q: float = 0.5
    linear: bool = False

    def at(self, f: F64) -> tuple[F64, F64, F64]:
        r, size = self.y[:, None] - f, np.abs(self.y[:, None] - f)
        if self.name == "huber":
            values = np.where(size <= self.scale, r * r / 2, self.scale * (size - self.scale / 2))
            return values[:, 0], -np.clip(r, -self.scale, self.scale), np.ones_like(f)
        up, down = (self.q, 1 - self.q) if self.name == "quantile" else (1.0, 1.0)
        return np.where(r >= 0, up * r, -down * r)[:, 0], np.where(r >= 0, -up, down), np.ones_like(f)

    def slopes(self) -> Slopes:
        """δ is what it is here until slopes are asked for again. A row at the kink may count on either side."""
        r = np.abs(self.y - self.f[:, 0])
        self.scale = quantile(r, self.w, self.q)[0]
        slopes = super().slopes()
        slopes[2][:, 0] += self.w * (r < self.df)
        return slopes

    def leaf(self, value: float, rate: float, rows: Indices, k: int, slopes: Slopes) -> None:
        """How far value is from rate · step, relative to rate · mean |r|."""
        if not self.newton:
            return super().leaf(value, rate, rows, k, slopes)
        r, w, size = self.y[rows] - self.f[rows, 0], self.w[rows], np.abs(self.y[rows]) + np.abs(self.f[rows, 0])
        low, high = quantile(r, w, self.q if self.name == "quantile" else 0.5, self.linear)
        if self.name == "huber":
            low, high = np.sort([m + np.clip(r - m, -self.scale, self.scale) @ w / w.sum() for m in (low, high)])
        unit, off = max(float(np.abs(r).mean()), TINY), 16 * UNIT * size.max() + 4 * self.df
        self.seen.see(max(rate * low - value, value - rate * high, 0.0) / (rate * unit), 0.0, off / unit)

    def start(self, linear: bool) -> None:
        start = replace(self, linear=linear, name=self.name.replace("huber", "absolute_error"))
        start.leaf(0.0, 1.0, np.arange(len(self.y)), 0, self.slopes())
        self.seen = start.seen
