"""Distances of rows from their formulas, with a bound of the rounding of every entry.

Differences of floating-point numbers are off by one relative rounding, and sums of d terms ≥ 0 by a relative γ_d: no
formula here cancels, so a distance is known relative to itself wherever the rows lie (the cosine: to a few γ_d).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData, Blocks, all_finite, dense
from surefit.certificates.rounding import gamma

POWERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf}
POWERS["infinity"] = np.inf


@dataclass(frozen=True)
class Metric:
    """power p: (Σ|a − b|ᵖ)^(1/p); power None: `cosine`, `sqeuclidean`, `precomputed` or a function of two rows."""

    name: str
    power: float | None = None
    call: Callable[..., Any] | None = None

    def block(self, A: F64, B: F64, places: NDArray) -> tuple[F64, F64]:
        """Distances of all rows of A from all rows of B, and bounds of their errors; `places`: numbers of B's rows."""
        d = A.shape[1]
        if self.name == "precomputed" or self.call is not None:
            given = self.call
            D = A[:, places] if given is None else np.array([[given(a, b) for b in B] for a in A], dtype=np.float64)
            if D.shape != (len(A), len(B)) or not all_finite(D):
                raise BadData("the metric does not give a finite number for every pair of rows")
            return D, np.zeros_like(D)
        if self.name == "cosine":
            size = np.sqrt(np.outer((A * A).sum(axis=1), (B * B).sum(axis=1)))
            D = 1.0 - (A @ B.T) / np.where(size > 0, size, 1.0)
            return np.maximum(D, 0.0), np.full_like(D, gamma(2 * d + 16))
        p = 2.0 if self.name == "sqeuclidean" else self.power
        assert p is not None
        D = np.zeros((len(A), len(B)))
        for j in range(d):
            off = np.abs(A[:, j, None] - B[None, :, j])
            D = np.maximum(D, off) if p == np.inf else D + (off if p == 1 else off * off if p == 2 else off**p)
        if p not in (1.0, np.inf) and self.name != "sqeuclidean":
            D = np.sqrt(D) if p == 2 else D ** (1.0 / p)
        return D, gamma(d + 8 + 8 * (p not in (1.0, 2.0, np.inf))) * D

    def squares(self, A: F64, B: F64, places: NDArray) -> tuple[F64, F64]:
        """The squared distances and bounds of their errors."""
        if self.power == 2:
            return Metric("sqeuclidean").block(A, B, places)
        D, error = self.block(A, B, places)
        return D * D, 2.02 * error * (D + error) + 2 * gamma(1) * D * D


def read_metric(attrs: Attributes, asked: Any, p: Any = 2.0) -> Metric:
    """The metric of a model's parameters. Raises BadData for one that is not known here."""
    settings = attrs.parameter("metric_params", {})
    if not isinstance(settings, dict):
        raise BadData("metric_params is not a dictionary")
    if callable(asked):
        return Metric("callable", None, lambda a, b: asked(a, b, **settings))
    name = str(asked)
    if name == "minkowski" and set(settings) <= {"p"}:
        power = real(settings.get("p", p))
        if power >= 1:
            return Metric(name, power)
    if name in POWERS and not settings:
        return Metric(name, POWERS[name])
    if name in ("cosine", "sqeuclidean", "precomputed"):
        return Metric(name)
    what = f"metric={asked!r} with p={p} and metric_params={settings!r}"
    raise BadData(f"{what} is not among the distances that the checker of {attrs.name} knows")


def all_rows(blocks: Blocks, most: int, precomputed: bool = False) -> tuple[F64, bool]:
    """All rows in float64, and whether some are float32. Raises BadData where there are too many, NaN or infinities."""
    n, d = blocks.n_rows, blocks.n_features
    if n > most:
        raise BadData(f"{n} rows are too many for a matrix of all pairs; the limit is {most}")
    parts = [(dense(X), X.dtype == np.float32, all_finite(X)) for X, _, _ in blocks]
    X = np.concatenate([p[0] for p in parts]) if parts else np.zeros((0, d))
    if X.shape != (n, d) or n == 0 or not all(p[2] for p in parts):
        raise BadData("the data have entries that are NaN or infinite, or another number of rows than stated")
    if precomputed and n != d:
        raise BadData(f"the precomputed matrix has the shape {(n, d)}")
    return X, any(p[1] for p in parts)


def in_slices(n: int, width: int, entries: int = 1 << 22) -> list[NDArray]:
    """The numbers 0 … n−1 in runs, each with at most `entries` numbers of `width` per row."""
    step = max(1, entries // max(1, width))
    return [np.arange(low, min(low + step, n)) for low in range(0, n, step)]
