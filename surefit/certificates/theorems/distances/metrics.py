"""Metrics from their formulas, each with a bound of its rounding.

All but two are a sum, maximum or ratio of d terms ≥ 0 formed from differences of coordinates: right to a relative
γ_{d+16} in any order (Higham, chapter 3), and 16u more where a model forms the terms in a precision of unit u. The
cosine distance subtracts from one: its error is absolute. The haversine's sin²(D/2) is right to a relative 16u, D then
to 16u·tan(D/2). Given or called distances are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import real
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import UNIT, gamma
from surefit.certificates.theorems.distances.all_rows import in_slices

SAME = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan", "infinity": "chebyshev"}
POWERS = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
BY_COORDINATE = {"euclidean", "manhattan", "chebyshev", "minkowski"}  # |xⱼ − yⱼ| ≤ d(x, y) for every column j


def _ratio(a: F64, b: F64) -> F64:
    return np.where(b > 0, a / np.where(b > 0, b, 1.0), 0.0)


def _square(a: F64) -> F64:
    return np.einsum("...j,...j->...", a, a)


def _haversine(a: F64, b: F64) -> F64:
    s = np.sin((a - b) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(np.minimum(s[..., 0] + np.cos(a[..., 0]) * np.cos(b[..., 0]) * s[..., 1], 1.0)))


FORMULAS: dict[str, Callable[[F64, F64], F64]] = {  # rows along the last axis, the others broadcast
    "euclidean": lambda a, b: np.sqrt(_square(a - b)),
    "sqeuclidean": lambda a, b: _square(a - b),
    "manhattan": lambda a, b: np.abs(a - b).sum(axis=-1),
    "chebyshev": lambda a, b: np.abs(a - b).max(axis=-1, initial=0.0),
    "canberra": lambda a, b: _ratio(np.abs(a - b), np.abs(a) + np.abs(b)).sum(axis=-1),
    "hamming": lambda a, b: (a != b).mean(axis=-1),
    "jaccard": lambda a, b: _ratio(((a != 0) ^ (b != 0)).sum(axis=-1), ((a != 0) | (b != 0)).sum(axis=-1)),
    "cosine": lambda a, b: np.maximum(1 - _ratio((a * b).sum(axis=-1), np.sqrt(_square(a)) * np.sqrt(_square(b))), 0.0),
    "haversine": _haversine,
    "precomputed": lambda a, b: np.full(np.broadcast_shapes(a.shape, b.shape)[:-1], np.nan),  # not from rows
}


@dataclass(frozen=True)
class Metric:
    name: str  # of a formula, or "minkowski", "callable"
    p: float
    distance: Callable[[F64, F64], F64]

    def block(self, Q: F64, X: F64, J: Any = slice(None)) -> F64:
        """Distances of all rows of Q from the rows J of X; of precomputed distances, those columns."""
        if self.name == "precomputed":
            return Q[:, J]
        B, parts = X[J], [np.zeros((0, len(X[J])))]
        for part in in_slices(len(Q), B.size):
            parts.append(self.distance(Q[part][:, None, :], B[None, :, :]))
        return np.concatenate(parts)

    def error(self, D: F64, d: int, unit: float = UNIT) -> F64:
        """|D − exact| is at most this for a distance of d columns evaluated in a precision of this unit."""
        if self.name in ("precomputed", "callable"):
            return np.zeros_like(D)
        if self.name == "cosine":
            return np.full_like(D, gamma(2 * d + 16, unit))
        if self.name == "haversine":
            return 16 * unit * (D + np.tan(np.minimum(D, np.pi) / 2))
        return (gamma(d + 16) + (16 * unit if unit > UNIT else 0.0)) * D


def read_metric(d: int, given: Any, p: Any, settings: Any) -> Metric:
    """The metric of this name (or callable) for d columns. Of others, and of weights, nothing can be said: BadData."""
    settings = {name: s for name, s in settings.items() if s is not None} if isinstance(settings, dict) else {}
    if callable(given):
        call = np.vectorize(lambda a, b: real(given(a, b, **settings)), otypes=[float], signature="(d),(d)->()")
        return Metric("callable", 2.0, call)
    name, p = SAME.get(str(given), str(given)), real(settings.pop("p", p))
    name = POWERS.get(p, name) if name == "minkowski" else name
    if name == "minkowski" and 0 < p < np.inf and not settings:
        return Metric(name, p, lambda a, b: (np.abs(a - b) ** p).sum(axis=-1) ** (1 / p))
    if name not in FORMULAS or settings or (name == "haversine" and d != 2):
        raise BadData(f"metric={given!r} with p={p!r} and metric_params={settings!r} has no formula here")
    return Metric(name, p, FORMULAS[name])
