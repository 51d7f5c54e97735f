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

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, BadData
from surefit.certificates.rounding import UNIT, gamma

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


def _jaccard(a: F64, b: F64) -> F64:
    a, b = a != 0, b != 0
    return _ratio((a ^ b).sum(axis=-1), (a | b).sum(axis=-1))


def _sq_euclidean(a: F64, b: F64) -> F64:
    off = a - b
    return np.einsum("...j,...j->...", off, off)


FORMULAS: dict[str, Callable[[F64, F64], F64]] = {  # rows along the last axis
    "euclidean": lambda a, b: np.sqrt(_sq_euclidean(a, b)),
    "sqeuclidean": _sq_euclidean,
    "manhattan": lambda a, b: np.abs(a - b).sum(axis=-1),
    "chebyshev": lambda a, b: np.abs(a - b).max(axis=-1, initial=0.0),
    "canberra": lambda a, b: _ratio(np.abs(a - b), np.abs(a) + np.abs(b)).sum(axis=-1),
    "hamming": lambda a, b: (a != b).mean(axis=-1),
    "cosine": _cosine,
    "haversine": _haversine,
    "jaccard": _jaccard,
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
        a, b = np.broadcast_arrays(a, b)
        rows = zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]), strict=True)
        return np.array([real(self.call(x, y)) for x, y in rows]).reshape(a.shape[:-1])

    def error(self, D: F64, d: int, unit: float = UNIT) -> F64:
        """|D − exact| is at most this for a distance of d columns evaluated in a precision of this unit."""
        if self.name == "precomputed" or self.call is not None:
            return np.zeros_like(D)
        if self.name == "cosine":
            return np.full_like(D, gamma(2 * d + 16, unit))
        if self.name == "haversine":
            h = 16 * unit
            return np.minimum(h * np.tan(np.minimum(D, np.pi) / 2), 2 * np.sqrt(h)) + h * D
        return (gamma(d + 16) + (16 * unit if unit > UNIT else 0.0)) * D


def read_metric(attrs: Attributes, d: int, given: Any, p: Any, settings: Any) -> Metric | None:
    """The metric of this name (or callable); None with the fault noted. Of other metrics nothing can be said."""
    settings = dict(settings) if isinstance(settings, dict) else {}
    if callable(given):
        return Metric("callable", call=lambda a, b: given(a, b, **settings))
    name, power = SAME.get(str(given), str(given)), real(settings.get("p", 2.0 if p is None else p))
    weight, weighted = np.asarray(settings.get("w", 1.0), dtype=np.float64), settings.get("w") is not None
    if name == "minkowski" and not weighted:
        name = POWERS.get(power, name)
    if weighted and (name not in ("minkowski", "euclidean") or weight.shape != (d,) or not (weight >= 0).all()):
        attrs.faults.append(f"weights of columns are not known for metric={given!r}, or are no {d} numbers ≥ 0")
    elif name not in (*FORMULAS, "minkowski", "precomputed"):
        raise BadData(f"metric={given!r} has no formula here")
    elif name == "minkowski" and not 0 < power < np.inf:
        attrs.faults.append(f"p={p!r} is no power of a Minkowski distance")
    elif name == "haversine" and d != 2:
        attrs.faults.append(f"the haversine distance takes two columns, there are {d}")
    else:
        return Metric("minkowski" if weighted else name, power, weight if weighted else 1.0)
    return None
