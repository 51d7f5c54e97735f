"""Closed forms on random data of all scales: every fit is proved, and what is proved is true in exact arithmetic.

Numbers in floating point are rational, so sums, least squares and variances have exact values. Sixty problems per
estimator; a thousand with SUREFIT_MANY=1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import surefit
from surefit.certificates import Grade
from surefit.decomposition import PCA
from surefit.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from surefit.linear_model import LinearRegression, Ridge
from surefit.naive_bayes import GaussianNB
from tests.certificates import test_badly_scaled, test_random_problems
from tests.certificates.bench import altered
from tests.certificates.test_random_problems import MANY


def table(rng: np.random.Generator, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of moderate scales, and every third time of wild ones."""
    X, w = (test_badly_scaled if seed % 3 == 0 else test_random_problems).table(rng)
    return X, np.where(w > 1e3, 1e3, np.where((w > 0) & (w < 1e-3), 1e-3, w))


def rational(a: np.ndarray) -> np.ndarray:
    return np.array([Fraction(v) for v in a.ravel().tolist()], dtype=object).reshape(a.shape)


# --- least squares -------------------------------------------------------------------------------------------------


def gram(X: np.ndarray, y: np.ndarray, w: np.ndarray, intercept: bool) -> np.ndarray:
    """[A, y]ᵀ diag(ω) [A, y] without rounding; A has a column of ones at its end with an intercept."""
    A = np.column_stack([X, np.ones((len(X), int(intercept))), y])[w > 0]
    exponents = np.frexp(np.where(A == 0, np.inf, A))[1]
    shift = 53 - int(np.where(A == 0, 0, exponents).min())
    whole = np.array([int(Fraction(v) * 2**shift) for v in A.ravel().tolist()], dtype=object).reshape(A.shape)
    weights = rational(w[w > 0])
    least = max(f.denominator for f in weights)
    G = whole.T @ (whole * np.array([int(f * least) for f in weights], dtype=object)[:, None])
    return np.array([Fraction(int(v), least * 4**shift) for v in G.ravel()], dtype=object).reshape(G.shape)


def least_value(G: np.ndarray) -> tuple[Fraction, int]:
    """The last pivot of elimination, y·y less what the columns explain; and the rank. Dependence is a zero."""
    G, rank = G.copy(), 0
    for j in range(len(G) - 1):
        if G[j, j]:
            G[j + 1 :, j:] -= np.multiply.outer(G[j + 1 :, j] / G[j, j], G[j, j:])
            rank += 1
    return G[-1, -1], rank


def value(G: np.ndarray, theta: np.ndarray) -> Fraction:
    v = rational(np.append(theta, -1.0))
    return v @ G @ v


def penalised(G: np.ndarray, d: int, alpha: float) -> np.ndarray:
    G = G.copy()
    for j in range(d):
        G[j, j] += Fraction(alpha)
    return G


@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_least_squares(name: str, seed: int) -> None:
    rng = np.random.default_rng(110_000 + seed)
    X, w = table(rng, seed)
    n, d = X.shape
    largest = np.abs(X).max(axis=0)
    y = X / np.where(largest > 0, largest, 1.0) @ rng.normal(size=d) + rng.normal(size=n) * 10.0 ** rng.uniform(-6, 1)
    y = y * 10.0 ** rng.uniform(-6, 6)
    intercept = bool(rng.random() < 0.8)
    size = float(np.abs(X).mean(axis=0)[rng.integers(d)])
    alpha = 10.0 ** rng.uniform(-6, 2) * (size or 1.0) ** 2 if name == "Ridge" else 0.0
    model: Any = Ridge(alpha, fit_intercept=intercept) if alpha else LinearRegression(fit_intercept=intercept)
    c = surefit.certify(model.fit(X, y, w), X, y, w)
    if seed % 3:  # of wild scales, what is claimed must be true
        assert c.holds and c["optimal"].grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    if d > 9:
        return
    G = penalised(gram(X, y, w, intercept), d, alpha)
    least, _ = least_value(G)
    if "spreads of y" in c["optimal"].sentence or "too closely" in c["optimal"].sentence:
        return  # columns that depend on others up to rounding: the claim names them, and how far they may move

    def true_gap(other: Any) -> Fraction:
        return value(G, np.append(other.coef_, [other.intercept_] if intercept else [])) - least

    about = np.abs(X - X.mean(axis=0)).mean(axis=0)
    others = [model]
    for step in 10.0 ** rng.uniform(-8, 1, size=2) * np.abs(y).mean():
        coef = model.coef_ + step * rng.normal(size=d) / np.where(about > 0, about, np.inf)
        b = model.intercept_ - (coef - model.coef_) @ X.mean(axis=0) if intercept else 0.0
        others.append(altered(model, coef_=coef, intercept_=b))
    for other in others:
        claim, gap = surefit.certify(other, X, y, w)["optimal"], true_gap(other)
        assert claim.detail["gap_at_least"] <= gap <= claim.detail["gap"]
        assert claim.detail["lower_bound"] <= least
        if "fit every row" in claim.sentence:
            assert least == 0
        elif "relative to that of y" not in claim.sentence:
            assert gap <= Fraction(min(claim.value, 1e300)) * least
            assert gap <= Fraction(claim.limit + claim.excuse) * least or not claim.holds


# --- principal components ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(MANY))
def test_principal_components(seed: int) -> None:
    rng = np.random.default_rng(120_000 + seed)
    X, _ = table(rng, seed)
    k = int(rng.integers(1, min(X.shape) + 1))
    model = PCA(k).fit(X)
    c = surefit.certify(model, X)
    assert c.holds, f"\n{c}"
    if X.shape[1] > 9:
        return
    G = gram(X, np.zeros(len(X)), np.ones(len(X)), True)[:-1, :-1]
    d = len(G) - 1
    S = (G[:d, :d] - np.multiply.outer(G[:d, d], G[:d, d]) / G[d, d]) / (len(X) - 1)
    truth = np.linalg.eigvalsh(S.astype(np.float64))[::-1][:k]
    np.testing.assert_allclose(model.explained_variance_, truth, rtol=0, atol=1e-12 * truth[0])


# --- Gaussian classes ----------------------------------------------------------------------------------------------


def classes(rng: np.random.Generator, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, w = table(rng, seed)
    y = rng.integers(0, 2 + int(len(X) > 12), len(X))
    y[:4] = [0, 1, 0, 1]
    w[np.arange(len(y)) >= len(y) - 4] = 1.0
    y[-4:] = [0, 0, 1, 1]
    keep = np.isin(y, y[w > 0])
    return X[keep], y[keep], w[keep]


@pytest.mark.parametrize("seed", range(MANY))
def test_gaussian_naive_bayes(seed: int) -> None:
    rng = np.random.default_rng(130_000 + seed)
    X, y, w = classes(rng, seed)
    model = GaussianNB().fit(X, y, w)
    c = surefit.certify(model, X, y, w)
    assert c.holds and c.grade is Grade.EXACT, f"\n{c}"
    for k, label in enumerate(model.classes_):
        rows, weights = rational(X[y == label]), rational(w[y == label])
        mean = (weights[:, None] * rows).sum(axis=0) / weights.sum()
        variance = (weights[:, None] * (rows - mean) ** 2).sum(axis=0) / weights.sum()
        size = np.abs(X).max(axis=0)
        np.testing.assert_array_less(np.abs(model.theta_[k] - mean.astype(float)), 4e-15 * size + 1e-300)
        truth = variance.astype(float) + model.epsilon_
        rounding = 1e-13 * truth + (1e-14 * size) ** 2
        np.testing.assert_array_less(np.abs(model.var_[k] - truth), rounding + 1e-300)
    for name, size in (("theta_", np.sqrt(model.var_[0, 0])), ("var_", model.var_[0, 0])):
        lie = getattr(model, name).copy()
        lie[0, 0] += 2e-6 * size + 2e-14 * np.abs(X[:, 0]).max()
        assert size == 0 or not surefit.certify(altered(model, **{name: lie}), X, y, w).holds


@pytest.mark.parametrize("seed", range(MANY))
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen", "quadratic"])
def test_discriminants(solver: str, seed: int) -> None:
    """Scores about zero (lsqr, eigen) and axes of unscaled columns (quadratic) cannot be stated for wild scales."""
    rng = np.random.default_rng(140_000 + seed)
    X, y, w = classes(rng, seed if solver == "svd" else 1)
    shrinkage = None if solver == "svd" or rng.random() < 0.5 else float(rng.uniform(0.01, 1))
    if solver == "quadratic":
        model: Any = QuadraticDiscriminantAnalysis(reg_param=0.5 if X.shape[1] > 8 else 1e-3)
    else:
        model = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage)
    c = surefit.certify(model.fit(X, y, w), X, y, w)
    assert c.holds, f"\n{c}"
