"""What fits minimise, in long double, straight from the definitions: the truth that certificates are measured with."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tests.reference.margins import linear_objective, machine_objective
from tests.reference.ridge import long_ridge

LONG = np.longdouble


def objective(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> np.longdouble | None:
    """The value of the function that the model's class minimises, at its coefficients; None where it minimises none."""
    X = np.asarray(X, dtype=LONG)
    omega = np.ones(len(X), dtype=LONG) if w is None else np.asarray(w, dtype=LONG)
    name = type(model).__name__
    if name in ("LinearRegression", "LMSRegressor", "Ridge", "RidgeCV"):
        penalty = {"Ridge": "alpha", "RidgeCV": "alpha_"}.get(name)
        return _squares(model, X, y, omega, LONG(getattr(model, penalty)) if penalty else LONG(0))
    if name == "RecursiveLeastSquares":
        left = _faded(omega, LONG(model.forgetting))
        return _squares(model, X, y, left[1:], LONG(model.alpha) * left[0])
    if name in ("KernelRidge", "KernelRidgeCV"):
        return _kernel_ridge(model, X, y, omega)
    if name in ("QuantileRegressor", "LADRegressor"):
        return _pinball(model, X, y, omega)
    if name == "LogisticRegression":
        return _log_loss(model, X, y, omega)
    if name in ("BatchPerceptron", "LinearProgramClassifier"):
        return _violations(model, X, y, omega)
    if name in ("SVC", "SVR"):
        return machine_objective(model, X.astype(np.float64), y, w)
    if name == "SubgradientSVC":
        flat = (np.asarray(model.coef_, dtype=LONG) ** 2).sum() + LONG(model.intercept_[0]) ** 2
        return LONG(model.lambda_) / 2 * flat + _violations(model, X, y, omega) / omega.sum()
    if name == "LinearSVC":
        return linear_objective(model, X, y, w)
    if name == "KMeans":
        return _inertia(np.asarray(model.cluster_centers_, dtype=LONG), X, omega)[0]
    return None


def _linear(model: Any, X: np.ndarray) -> np.ndarray:
    """(x − x₀)·w + (x₀·w + b), the second part in fractions: rows far from the origin lose no digits."""
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=LONG))
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(coef),))
    first = [Fraction(float(x)) for x in X[0]]
    there = [
        sum((x * Fraction(float(c)) for x, c in zip(first, row, strict=True)), Fraction(float(b)))
        for row, b in zip(coef, intercept, strict=True)
    ]
    high = np.array([float(t) for t in there])
    low = np.array([float(t - Fraction(h)) for t, h in zip(there, high, strict=True)])
    return (X - X[0]) @ coef.T + high.astype(LONG) + low.astype(LONG)


def _squares(model: Any, X: np.ndarray, y: np.ndarray, omega: np.ndarray, alpha: np.longdouble) -> np.longdouble:
    """Σ ω (y − x·w − b)² + α ‖w‖²."""
    r = np.asarray(y, dtype=LONG) - _linear(model, X)[:, 0]
    return (omega * r * r).sum() + alpha * (np.asarray(model.coef_, dtype=LONG) ** 2).sum()


def _faded(omega: np.ndarray, fading: np.longdouble) -> np.ndarray:
    """What is left of the weight of the penalty and of each row when a unit of weight fades all before it."""
    left = [LONG(1)]
    for weight in omega:
        grown = weight if fading == 1 else (1 - fading**weight) / (1 - fading)
        left = [value * fading**weight for value in left] + [grown]
    return np.array(left)


def _kernel_ridge(model: Any, X: np.ndarray, y: np.ndarray, omega: np.ndarray) -> np.longdouble:
    """Σ ω (y − f(x))² + α ‖f‖² for the linear and the Gaussian kernel."""
    a, rows = np.asarray(model.dual_coef_, dtype=LONG), np.asarray(model.X_fit_, dtype=LONG)
    gamma = LONG(1) / X.shape[1] if model.gamma is None else LONG(model.gamma)

    def kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        if model.kernel == "linear":
            return A @ B.T
        return np.exp(-gamma * sum((A[:, None, j] - B[:, j]) ** 2 for j in range(A.shape[1])))

    alpha = LONG(getattr(model, "alpha_", getattr(model, "alpha", None)))
    missed = np.asarray(y, dtype=LONG) - kernel(X, rows) @ a
    return np.sum(omega * missed**2) + alpha * (a @ (kernel(rows, rows) @ a))


def _pinball(model: Any, X: np.ndarray, y: np.ndarray, omega: np.ndarray) -> np.longdouble:
    """Σ ω ρ(y − x·w − b) / Σ ω + α ‖w‖₁ with ρ(e) = max(q e, (q − 1) e)."""
    q, alpha = LONG(getattr(model, "quantile", 0.5)), LONG(getattr(model, "alpha", 0.0))
    e = np.asarray(y, dtype=LONG) - _linear(model, X)[:, 0]
    loss = (omega * np.maximum(q * e, (q - 1) * e)).sum() / omega.sum()
    return loss + alpha * np.abs(np.asarray(model.coef_, dtype=LONG)).sum()


def _log_loss(model: Any, X: np.ndarray, y: np.ndarray, omega: np.ndarray) -> np.longdouble:
    """C Σ ω (log Σ exp z − z_y) + (1 − ρ) ½ ‖w‖² + ρ ‖w‖₁, ρ the share of L1."""
    z = _linear(model, X)
    codes = np.searchsorted(model.classes_, y)
    z = np.hstack([np.zeros_like(z), z]) if z.shape[1] == 1 else z
    top = z.max(axis=1, keepdims=True)
    loss = np.log(np.exp(z - top).sum(axis=1)) + top[:, 0] - z[np.arange(len(z)), codes]
    coef, rho = np.asarray(model.coef_, dtype=LONG), LONG(model.l1_ratio or 0.0)
    penalty = (1 - rho) * (coef * coef).sum() / 2 + rho * np.abs(coef).sum()
    scale = LONG(model.C) if np.isfinite(model.C) else LONG(1)
    return scale * (omega * loss).sum() + (penalty if np.isfinite(model.C) else LONG(0))


def _violations(model: Any, X: np.ndarray, y: np.ndarray, omega: np.ndarray) -> np.longdouble:
    """Σ ω max(0, 1 − σ (x·w + b)), σ = ±1."""
    sign = np.where(y == model.classes_[1], LONG(1), LONG(-1))
    return (omega * np.maximum(1 - sign * _linear(model, X)[:, 0], 0)).sum()


def share_wrong(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[float, float]:
    """The share of the weight that the model answers wrongly, and that of the best constant answer."""
    omega = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    wrong = omega @ (model.predict(X) != y) / omega.sum()
    return float(wrong), 1 - max(float(omega @ (y == label) / omega.sum()) for label in np.unique(y))


def _inertia(centers: np.ndarray, X: np.ndarray, omega: np.ndarray) -> tuple[np.longdouble, np.ndarray]:
    sq_dist = ((X[:, None, :] - centers[None]) ** 2).sum(axis=2)
    return (omega * sq_dist.min(axis=1)).sum(), sq_dist.argmin(axis=1)


def next_step_saves(centers: np.ndarray, X: np.ndarray, w: np.ndarray | None) -> float:
    """The share of the inertia that one more step of Lloyd's algorithm saves."""
    X, centers = np.asarray(X, dtype=LONG), np.asarray(centers, dtype=LONG)
    omega = np.ones(len(X), dtype=LONG) if w is None else np.asarray(w, dtype=LONG)
    before, labels = _inertia(centers, X, omega)
    moved = centers.copy()
    for k in np.unique(labels[omega > 0]):
        mine = labels == k
        moved[k] = (omega[mine, None] * X[mine]).sum(axis=0) / omega[mine].sum()
    after = (omega * ((X - moved[labels]) ** 2).sum(axis=1)).sum()
    return float((before - after) / before) if before > 0 else 0.0


def above_best_weights(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """1 − J*/J for J = Σ ω (y − φ(x)·w − b)² + α ‖w‖² and φⱼ(x) = exp(−‖x − cⱼ‖²/2σ²): the centers are as they are.

    Targets count from the model's b: far from zero J itself would be rounded more than it is off.
    """
    omega = np.ones(len(X), dtype=LONG) if w is None else np.asarray(w, dtype=LONG)
    rows, centers = np.asarray(X, dtype=LONG), np.asarray(model.centers_, dtype=LONG)
    features = np.exp(-((rows[:, None] - centers) ** 2).sum(axis=2) / (2 * LONG(model.width_) ** 2))
    target, alpha = np.asarray(y, dtype=LONG) - LONG(model.intercept_), LONG(model.alpha)
    coef, intercept, _ = long_ridge(features, target[:, None], omega, alpha, True)

    def value(c: np.ndarray, b: Any) -> np.longdouble:
        r = target - features @ c - b
        return (omega * r * r).sum() + alpha * (c * c).sum()

    J = value(np.asarray(model.coef_, dtype=LONG), LONG(0))
    return float(1 - value(coef[0], intercept[0]) / J)
