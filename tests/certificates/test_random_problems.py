"""Random convex problems, of all scales: no lower bound passes the least value, and good fits are accepted.

Sixty problems per estimator; a thousand with SUREFIT_MANY=1.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.linear_model import LogisticRegression, QuantileRegressor

from tests.certificates.bench import altered, certify
from tests.certificates.test_separation import LinearProgramClassifier, signed

MANY = 1000 if os.environ.get("SUREFIT_MANY") == "1" else 60
LONG = np.longdouble


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows of every kind: tiny, tall and wide, scales from 1e-3 to 1e3, correlated, duplicated, rounded, shifted."""
    n, d = int(rng.integers(4, 120)), int(rng.integers(1, 9))
    if rng.random() < 0.15:
        n, d = int(rng.integers(4, 10)), int(rng.integers(8, 25))
    X = rng.normal(size=(n, d)) @ np.diag(10.0 ** rng.uniform(-1, 1, d))
    kind = rng.integers(0, 6)
    if kind == 0 and d > 1:
        X = X @ rng.normal(size=(d, d))
    if kind == 1 and d > 1:
        X[:, -1] = X[:, 0]
    if kind == 2:
        X = X[rng.integers(0, n, n)]
    if kind == 3:
        X = np.round(X)
    if kind == 4:
        X = X + 10.0 * rng.normal(size=d)
    X[0, 0] += not X.any()
    X = X * 10.0 ** rng.uniform(-3, 3)
    w = rng.choice([0.0, 0.5, 1.0, 2.0, 7.0], size=n) if rng.random() < 0.5 else np.ones(n)
    w[:4] = 1.0
    return X, w


# --- logistic regression -----------------------------------------------------------------------------------------


def log_loss(theta: np.ndarray, X: np.ndarray, y: np.ndarray, w: np.ndarray, strength: float, classes: int) -> Any:
    """The objective in extended precision, with its gradient and (in double) its Hessian. θ is (rows, d + 1)."""
    rows = len(theta)
    A = np.hstack([X, np.ones((len(X), 1))]).astype(LONG)
    Z = A @ theta.T.astype(LONG)
    Z = np.hstack([np.zeros((len(X), classes - rows), dtype=LONG), Z])
    top = Z.argmax(axis=1)[:, None]
    Z = Z - np.take_along_axis(Z, top, axis=1)
    others = np.exp(Z)
    np.put_along_axis(others, top, LONG(0), axis=1)
    lse = np.log1p(others.sum(axis=1))
    P = np.exp(Z - lse[:, None])
    penalised = theta.astype(LONG).copy()
    penalised[:, -1] = 0
    f = (w * (lse - Z[np.arange(len(y)), y])).sum() + LONG(strength) / 2 * (penalised**2).sum()
    E = P.copy()
    E[np.arange(len(y)), y] -= 1
    G = (w[:, None] * E[:, classes - rows :]).T @ A + LONG(strength) * penalised
    Q, B = P[:, classes - rows :].astype(float), A.astype(float)
    H = -np.einsum("n,na,nb,ni,nj->aibj", w, Q, Q, B, B, optimize=True)
    for a in range(rows):
        H[a, :, a, :] += (B * (w * Q[:, a])[:, None]).T @ B + strength * np.diag(np.append(np.ones(X.shape[1]), 0.0))
    return f, G, H.reshape(theta.size, theta.size)


def least(theta: np.ndarray, *problem: Any) -> tuple[np.ndarray, Any]:
    """Newton's method in extended precision (Hessians in double, steps halved): the reference."""
    theta = theta.astype(LONG)
    f, G, H = log_loss(theta, *problem)
    for _ in range(200):
        scale = np.sqrt(np.maximum(np.diag(H), 0.0))
        scale[scale == 0] = 1.0
        if not np.isfinite(H).all() or not np.isfinite(G).all():
            break
        step = np.linalg.lstsq(H / np.outer(scale, scale), G.astype(float).ravel() / scale, rcond=1e-15)[0] / scale
        step = step.reshape(theta.shape)
        fall = float((step * G).sum())
        size = 1.0
        while size > 1e-9:
            g, G2, H2 = log_loss(theta - size * step, *problem)
            if g <= f:
                break
            size /= 2
        if size <= 1e-9 or fall <= 1e-22 * float(f):
            break
        theta, f, G, H = theta - LONG(size) * step, g, G2, H2
    return theta, f


@pytest.mark.parametrize("seed", range(MANY))
def test_logistic_regression_never_passes_the_least_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, w = table(rng)
    n, d = X.shape
    classes = int(rng.integers(2, 4))
    scores = X / np.abs(X).max() @ rng.normal(size=(d, classes)) * rng.uniform(0, 6) + rng.gumbel(size=(n, classes))
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    C = float(10.0 ** rng.uniform(-3, 3))
    rows = 1 if classes == 2 else classes
    problem = (X, y, w, 1.0 / C, classes)
    best, f = least(np.zeros((rows, d + 1)), *problem)
    model = LogisticRegression(C=C)
    model.classes_ = np.arange(classes)
    model.coef_, model.intercept_ = best[:, :-1].astype(float), best[:, -1].astype(float)
    c = certify(model, X, y, w)
    assert c.holds, f"the reference is refused\n{c}"
    for size in 10.0 ** rng.uniform(-6, 0.5, size=3):
        noise = size * rng.normal(size=best.shape) * np.append(1 / np.maximum(np.abs(X).mean(axis=0), 1e-9), 1.0)
        moved = (best + noise).astype(float)
        claim = certify(altered(model, coef_=moved[:, :-1], intercept_=moved[:, -1]), X, y, w)["optimal"]
        here = log_loss(moved, *problem)[0]
        true_gap = float(here - f)
        assert claim.detail["objective"] == pytest.approx(float(here), rel=1e-9)
        assert claim.detail["gap"] >= true_gap * (1 - 1e-9) - 1e-13 * float(f)
        assert true_gap > 0.1 * float(f) or claim.detail["gap"] <= true_gap * 1.01 + 1e-7 * float(f)
        assert not claim.holds or true_gap <= 1.0001e-6 * float(here)


def some_ray(X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: int) -> bool:
    """Whether HiGHS finds a direction along which no row's own class loses to another, and some gain."""
    A = np.hstack([X / np.maximum(np.abs(X).max(axis=0), 1e-300), np.ones((len(X), 1))])
    gains = []
    for i in np.flatnonzero(w > 0):
        for k in set(range(classes)) - {int(y[i])}:
            row = np.zeros((classes, A.shape[1]))
            row[y[i]], row[k] = A[i], -A[i]
            gains.append(row.ravel())
    G = np.array(gains)
    found = linprog(-G.sum(axis=0), A_ub=-G, b_ub=np.zeros(len(G)), bounds=(-1.0, 1.0))
    return found.status == 0 and -found.fun > 1e-6


@pytest.mark.parametrize("seed", range(MANY))
def test_unpenalised_logistic_regression(seed: int) -> None:
    """Where a minimum is claimed to exist, no point of Newton's path is below the bound."""
    rng = np.random.default_rng(10_000 + seed)
    X, w = table(rng)
    n, d = X.shape
    classes = int(rng.integers(2, 4))
    y = rng.integers(0, classes, n)
    y[:classes] = np.arange(classes)
    rows = 1 if classes == 2 else classes
    problem = (X, y, w, 0.0, classes)
    best, f = least(np.zeros((rows, d + 1)), *problem)
    model = LogisticRegression(C=np.inf)
    model.classes_ = np.arange(classes)
    for size in (0.0, *10.0 ** rng.uniform(-6, 0.5, size=2)):
        noise = size * rng.normal(size=best.shape) * np.append(1 / np.maximum(np.abs(X).mean(axis=0), 1e-9), 1.0)
        moved = (best + noise).astype(float)
        model.coef_, model.intercept_ = moved[:, :-1], moved[:, -1]
        c = certify(model, X, y, w)
        claim = c.claims[0]
        if claim.name == "separated":
            assert not claim.holds or some_ray(X, y, w, classes)
        elif "gap" in claim.detail:
            here = log_loss(moved, *problem)[0]
            assert claim.detail["gap"] >= float(here - f) * (1 - 1e-9) - 1e-13 * float(f)
            assert not claim.holds or float(here - f) <= 1.0001e-6 * float(here)
        else:
            assert not claim.holds
    H = log_loss(best, *problem)[2]
    H = H if rows == 1 else H[d + 1 :, d + 1 :]  # one class is the reference
    full = np.tile(np.append((w[:, None] * X**2).sum(axis=0), w.sum()), len(H) // (d + 1))
    full[full == 0] = np.inf
    curved = np.isfinite(H).all() and np.linalg.eigvalsh(H / np.sqrt(np.outer(full, full)))[0] > 1e-5
    if curved:  # in every direction, so the minimum is not at infinity
        model.coef_, model.intercept_ = best[:, :-1].astype(float), best[:, -1].astype(float)
        assert certify(model, X, y, w).holds


# --- linear programmes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(MANY))
def test_quantile_regression_never_passes_the_least_value(seed: int) -> None:
    rng = np.random.default_rng(20_000 + seed)
    X, w = table(rng)
    n, d = X.shape
    y = X @ rng.normal(size=d) * rng.uniform(0, 2) + rng.standard_t(2, size=n) * 10.0 ** rng.uniform(-3, 3)
    y = np.round(y) if rng.random() < 0.2 else y
    q, alpha = float(rng.uniform(0.05, 0.95)), float(rng.choice([0.0, 0.0, 1e-3, 1.0]) * np.abs(X).mean())
    model = QuantileRegressor(quantile=q, alpha=alpha)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, w)

    def objective(coef: np.ndarray, intercept: float) -> Any:
        e = y.astype(LONG) - X.astype(LONG) @ coef.astype(LONG) - LONG(intercept)
        return (w * np.maximum(q * e, (q - 1) * e)).sum() / w.sum() + alpha * np.abs(coef.astype(LONG)).sum()

    best = objective(model.coef_, model.intercept_)
    size = float(w @ (np.abs(y) + np.abs(X) @ np.abs(model.coef_) + abs(model.intercept_)) / w.sum())
    c = certify(model, X, y, w)
    claim = c["optimal"]
    assert claim.detail["objective"] - claim.detail["gap"] <= float(best) + 1e-13 * size
    for step in 10.0 ** rng.uniform(-8, 1, size=3):
        moved = model.coef_ + step * rng.normal(size=d) / np.maximum(np.abs(X).mean(axis=0), 1e-9)
        worse = altered(model, coef_=moved, intercept_=model.intercept_ + step * rng.normal())
        claim = certify(worse, X, y, w)["optimal"]
        here = objective(worse.coef_, worse.intercept_)
        assert claim.detail["gap"] >= float(here - best) * (1 - 1e-9) - 1e-13 * size
        assert not claim.holds or float(here - best) <= 1.0001e-6 * float(here) + 1e-14 * (size + float(here))


def test_most_quantile_fits_of_highs_are_proved() -> None:
    """HiGHS works to 1e-7: nearly all of its vertices are optimal to rounding, and are proved to be."""
    proved = 0
    for seed in range(60):
        rng = np.random.default_rng(20_000 + seed)
        X, w = table(rng)
        y = X @ rng.normal(size=X.shape[1]) + rng.standard_t(2, size=len(X)) * np.abs(X).mean()
        model = QuantileRegressor(alpha=0.0).fit(X, y, w)
        proved += certify(model, X, y, w).holds
    assert proved >= 57


@pytest.mark.parametrize("seed", range(MANY))
def test_separation_agrees_with_exact_feasibility(seed: int) -> None:
    """An answer is proved only when it is true: HiGHS decides by the largest margin in a box."""
    rng = np.random.default_rng(30_000 + seed)
    X, w = table(rng)
    X = X / np.abs(X).max()
    n, d = X.shape
    y = (X @ rng.normal(size=d) + rng.uniform(0, 0.6) * rng.normal(size=n) > 0).astype(int)
    y[:2] = [0, 1]
    A = signed(X, y)[w > 0]
    # max t, A θ ≥ t, |θ| ≤ 1
    best = linprog(
        np.append(np.zeros(d + 1), -1.0),
        A_ub=np.hstack([-A, np.ones((len(A), 1))]),
        b_ub=np.zeros(len(A)),
        bounds=[(-1, 1)] * (d + 1) + [(None, None)],
    )
    margin = -best.fun
    if 0 < margin < 1e-6:
        return  # too near to call for HiGHS
    model = LinearProgramClassifier().fit(X, y, w)
    c = certify(model, X, y, w)
    assert model.separable_ == (margin > 0)
    assert c.holds, f"\n{c}"
    if margin > 0:
        liar = altered(model, separable_=False, farkas_=rng.dirichlet(np.ones(n)))
    else:
        liar = altered(model, separable_=True, margin_=1.0)
    assert not certify(liar, X, y, w).holds
