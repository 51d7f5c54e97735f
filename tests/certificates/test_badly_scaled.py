"""Quantiles of badly scaled data: columns in units from 1e-6 to 1e6, far from zero, nearly dependent, weights as wild.

Every fit is proved, and no proof is false: objectives are compared in exact arithmetic.
Sixty problems; a thousand with SUREFIT_MANY=1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import surefit
from surefit.certificates import Grade
from surefit.linear_model import LADRegressor, QuantileRegressor
from tests.certificates.bench import altered
from tests.certificates.test_random_problems import MANY


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n, d = int(rng.integers(4, 60)), int(rng.integers(1, 7))
    if rng.random() < 0.15:
        n, d = int(rng.integers(4, 10)), int(rng.integers(8, 20))
    X = rng.normal(size=(n, d))
    kind = rng.integers(0, 7)
    if kind == 0 and d > 1:
        X = X @ rng.normal(size=(d, d))
    if kind == 1 and d > 1:
        X[:, -1] = X[:, 0] + 10.0 ** rng.uniform(-12, -4) * rng.normal(size=n)
    if kind == 2:
        X = X[rng.integers(0, n, n)]
    if kind == 3:
        X = np.round(X)
    if kind == 4:
        X = np.exp(3 * X)
    if kind == 5 and d > 2:
        X[:, -1] = X[:, :-1].sum(axis=1)
    X[0, 0] += not X.any()
    if rng.random() < 0.6:
        X = X + rng.normal(size=d) * 10.0 ** rng.uniform(-2, 6, d)
    w = 10.0 ** rng.uniform(-6, 6, n) if rng.random() < 0.2 else rng.choice([0.0, 0.5, 1.0, 2.0], size=n)
    w[:4] = 1.0
    return X * 10.0 ** rng.uniform(-6, 6, d), w


def problem(seed: int) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(900_000 + seed)
    X, w = table(rng)
    n, d = X.shape
    largest = np.abs(X).max(axis=0)
    signal = X / np.where(largest > 0, largest, 1.0) @ rng.normal(size=d) * rng.uniform(0, 2)
    y = signal + rng.standard_t(2, size=n) * 10.0 ** rng.uniform(-6, 1)
    y = (y + (10.0 ** rng.uniform(0, 6) if rng.random() < 0.3 else 0.0)) * 10.0 ** rng.uniform(-6, 6)
    y = np.round(y) if rng.random() < 0.15 else y
    penalty = 10.0 ** rng.uniform(-6, 0) * np.abs(X).mean(axis=0)[rng.integers(d)]
    options = {"alpha": float(penalty) if rng.random() < 0.5 else 0.0, "fit_intercept": bool(rng.random() < 0.85)}
    if rng.random() < 0.3:
        return LADRegressor(**options), X, y, w
    return QuantileRegressor(quantile=float(rng.uniform(0.02, 0.98)), **options), X, y, w


def objective(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Fraction:
    """Σ ω pinball / Σω + α ‖w‖₁ without rounding."""
    q = Fraction(getattr(model, "quantile", 0.5))
    coef, b = [Fraction(c) for c in model.coef_.tolist()], Fraction(float(model.intercept_))
    total = Fraction(0)
    for row, target, weight in zip(X.tolist(), y.tolist(), w.tolist(), strict=True):
        if weight:
            e = Fraction(target) - b - sum(Fraction(x) * c for x, c in zip(row, coef, strict=True) if c)
            total += Fraction(weight) * max(q * e, (q - 1) * e)
    whole = sum(map(Fraction, w.tolist()))
    return total / whole + Fraction(model.alpha) * sum(map(abs, coef))


@pytest.mark.parametrize("seed", range(MANY))
def test_every_fit_is_proved_and_no_proof_is_false(seed: int) -> None:
    model, X, y, w = problem(seed)
    c = surefit.certify(model.fit(X, y, w), X, y, w)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    best = objective(model, X, y, w)
    rng = np.random.default_rng(seed)
    size = float(w @ (np.abs(y) + np.abs(X) @ np.abs(model.coef_) + abs(model.intercept_)) / w.sum())
    about = np.abs(X - X.mean(axis=0)).mean(axis=0)
    for step in 10.0 ** rng.uniform(-8, 1, size=2) * np.abs(y).mean():
        moved = model.coef_ + step * rng.normal(size=X.shape[1]) / np.where(about > 0, about, np.inf)
        b = model.intercept_ - (moved - model.coef_) @ X.mean(axis=0) if model.fit_intercept else 0.0
        worse = altered(model, coef_=moved, intercept_=b)
        claim = surefit.certify(worse, X, y, w)["optimal"]
        true_gap = float(objective(worse, X, y, w) - best)
        # no lower bound passes a value that is reached, up to the rounding of its own sums
        here = 1e-13 * (size + float(w @ (np.abs(X) @ np.abs(moved) + abs(b)) / w.sum()))
        assert claim.detail["gap"] >= true_gap * (1 - 1e-9) - here
