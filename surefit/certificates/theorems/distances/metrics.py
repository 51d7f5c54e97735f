"""Metrics from their formulas, each with a bound of its rounding.

Every formula below but two is a sum, maximum or ratio of terms ≥ 0 formed from differences of coordinates: evaluated
with d terms it is right to a relative γ_{d+16}, in any order (Higham, chapter 3). A model in a precision of unit u may
form the terms in it and add them in double: a relative 16u more. The cosine distance subtracts from one, so its error
is absolute; the haversine's square h = sin²(D/2) is right to a relative 16u, D then to 16u·tan(D/2), at most 2√(16u);
given or called distances are taken as they are.
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


def _cosine(a: F64, b: F64) -> F64:
    size = np.sqrt((a * a).sum(axis=-1)) * np.sqrt((b * b).sum(axis=-1))
    return np.maximum(1.0 - _ratio((a * b).sum(axis=-1), size), 0.0)


def _haversine(a: F64, b: F64) -> F64:
    s = np.sin((a - b) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(np.minimum(s[..., 0] + np.cos(a[..., 0]) * np.cos(b[..., 0]) * s[..., 1], 1.0)))


def _sq_euclidean(a: F64, b: F64) -> F64:
    off = a - b
    return np.einsum("...j,...j->...", off, off)


FORMULAS: dict[str, Callable[[F64, F64], F64]] = {  # rows along the last axis, the others broadcast
    "euclidean": lambda a, b: np.sqrt(_sq_euclidean(a, b)),
    "sqeuclidean": _sq_euclidean,
    "manhattan": lambda a, b: np.abs(a - b).sum(axis=-1),
    "chebyshev": lambda a, b: np.abs(a - b).max(axis=-1, initial=0.0),
    "canberra": lambda a, b: _ratio(np.abs(a - b), np.abs(a) + np.abs(b)).sum(axis=-1),
    "hamming": lambda a, b: (a != b).mean(axis=-1),
    "jaccard": lambda a, b: _ratio(((a != 0) ^ (b != 0)).sum(axis=-1), ((a != 0) | (b != 0)).sum(axis=-1)),
    "cosine": _cosine,
    "haversine": _haversine,
}


@dataclass(frozen=True)
class Metric:
    name: str  # of a formula, or "minkowski", "callable", "precomputed"
    p: float = 2.0
    weight: F64 | float = 1.0
    call: Callable[..., Any] | None = None

    def distance(self, a: F64, b: F64) -> F64:
        """Of rows along the last axis, the others broadcast."""
        if self.name == "minkowski":
            return (self.weight * np.abs(a - b) ** self.p).sum(axis=-1) ** (1 / self.p)
        if self.call is None:
            return FORMULAS[self.name](a, b)
        return np.asarray(np.vectorize(self.call, otypes=[float], signature="(d),(d)->()")(a, b))

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
        if self.name == "precomputed" or self.call is not None:
            return np.zeros_like(D)
        if self.name == "cosine":
            return np.full_like(D, gamma(2 * d + 16, unit))
        if self.name == "haversine":
            return np.minimum(16 * unit * np.tan(np.minimum(D, np.pi) / 2), 8 * np.sqrt(unit)) + 16 * unit * D
        return (gamma(d + 16) + (16 * unit if unit > UNIT else 0.0)) * D


def read_metric(d: int, given: Any, p: Any, settings: Any) -> Metric:
    """The metric of this name (or callable) for d columns. Of other metrics nothing can be said: BadData."""
    settings = dict(settings) if isinstance(settings, dict) else {}
    if callable(given):
        return Metric("callable", call=lambda a, b: real(given(a, b, **settings)))
    name, power, weight = SAME.get(str(given), str(given)), real(settings.get("p", p)), settings.get("w")
    if weight is not None and name in ("minkowski", "euclidean"):
        name, weight = "minkowski", np.asarray(weight, dtype=np.float64)
        known = weight.shape == (d,) and bool((weight >= 0).all())
    else:
        name, known = POWERS.get(power, name) if name == "minkowski" else name, weight is None
    known = known and (name != "minkowski" or 0 < power < np.inf) and (name != "haversine" or d == 2)
    if not known or name not in (*FORMULAS, "minkowski", "precomputed"):
        raise BadData(f"metric={given!r} with p={p!r} and metric_params={settings!r} has no formula here")
    return Metric(name, power, 1.0 if weight is None else weight)
