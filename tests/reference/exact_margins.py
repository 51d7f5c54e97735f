"""The gap of a support vector machine in fractions, for kernels of rational values: offsets cost no digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tests.reference import margins

_fractions = np.vectorize(lambda value: Fraction(float(value)), otypes=[object])


def gram(model: Any, X: np.ndarray) -> np.ndarray:
    """x·x', or (γ x·x' + r)ᵈ."""
    rows = _fractions(X)
    inner = rows @ rows.T
    if model.kernel == "linear":
        return inner
    return (Fraction(margins.gamma_of(model, X)) * inner + Fraction(model.coef0)) ** model.degree


def gap(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """The largest relative gap of a task, from below: the value found by the interior-point method is attained."""
    K, beta, b = gram(model, X), margins.coefficients(model, y), np.atleast_1d(model.intercept_)
    near = _fractions(X - X[0]) if model.kernel == "linear" else None  # the same problem, with an intercept
    guide = (K if near is None else near @ near.T).astype(float)
    gaps = [0.0]
    for p, task in enumerate(margins.tasks(model, y, w)):
        value = _primal(task, K, _fractions(beta[:, p]), Fraction(float(b[p])))
        if value > 0:
            gaps.append(float((value - _least(task, K, guide)) / value))
    return max(gaps)


def _primal(task: margins.Task, K: np.ndarray, beta: np.ndarray, b: Fraction | None) -> Fraction:
    """½‖f‖² + Σ U max(0, v); with the best intercept where none is given: one of those at which some v is zero."""
    f, t, U = K @ beta, _fractions(task.t), _fractions(task.U)
    side = Fraction(0) if task.epsilon is None else Fraction(task.epsilon)

    def loss(intercept: Fraction) -> Fraction:
        z = f + intercept
        v = 1 - t * z if task.epsilon is None else np.abs(t - z) - side
        return sum((u * max(x, Fraction(0)) for u, x in zip(U, v, strict=True)), Fraction(0))

    ends = [b] if b is not None else [*(t - f - side), *(t - f + side)]
    return beta @ f / 2 + min(map(loss, ends))


def _least(task: margins.Task, K: np.ndarray, guide: np.ndarray) -> Fraction:
    points = margins.interior_points(task, guide)
    return min(_primal(task, K, _fractions(beta), None) for beta in points)
