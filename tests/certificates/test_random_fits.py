"""surefit's own fits of random problems are proved, all of them, by checkers that do not know the solvers.

Sixty problems per estimator; a thousand with SUREFIT_MANY=1.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import surefit
from surefit.certificates import Grade
from surefit.linear_model import BatchPerceptron, LinearProgramClassifier, LogisticRegression, QuantileRegressor
from tests.certificates.test_random_problems import MANY, table


def labels(rng: np.random.Generator, X: np.ndarray, classes: int) -> np.ndarray:
    n, d = X.shape
    signal = X / np.abs(X).max() @ rng.normal(size=(d, classes)) * rng.uniform(0, 6)
    y = (signal + rng.gumbel(size=(n, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return y


@pytest.mark.parametrize("seed", range(MANY))
def test_logistic_regression(seed: int) -> None:
    rng = np.random.default_rng(40_000 + seed)
    X, w = table(rng)
    y = labels(rng, X, int(rng.integers(2, 5)) if len(X) > 4 else 2)
    model = LogisticRegression(C=float(10.0 ** rng.uniform(-3, 3)), fit_intercept=bool(rng.random() < 0.8))
    c = surefit.certify(model.fit(X, y, w), X, y, w)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("seed", range(MANY))
def test_logistic_regression_without_a_penalty(seed: int) -> None:
    """Either the minimum, or a ray along which there is none; undecided only where three classes are tied in part."""
    rng = np.random.default_rng(50_000 + seed)
    X, w = table(rng)
    y = labels(rng, X, int(rng.integers(2, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(C=np.inf).fit(X, y, w)
    c = surefit.certify(model, X, y, w)
    ray = getattr(model, "separation_", None) is not None
    if ray and not c.holds and len(model.classes_) > 2:
        assert [(q.name, q.grade) for q in c.failures] == [("tied", Grade.UNPROVED)], f"\n{c}"
    else:
        assert c.holds and c.grade is (Grade.NO_SOLUTION if ray else Grade.OPTIMAL), f"\n{c}"


def test_what_rounding_alone_separates_proves_no_distance() -> None:
    """Newton's method in 60 digits ends at 36.674: these coefficients are 7e-4 above it, not 5e-2."""
    rng = np.random.default_rng(50_415)
    X, w = table(rng)
    y = labels(rng, X, int(rng.integers(2, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(C=np.inf).fit(X, y, w)
    logits = X @ model.coef_.T + model.intercept_
    f = w @ (np.logaddexp.reduce(logits, axis=1) - logits[np.arange(len(y)), y])
    assert 36.674006 < f < 36.70
    c = surefit.certify(model, X, y, w)
    assert [(q.name, q.grade) for q in c.failures] == [("tied", Grade.UNPROVED)], f"\n{c}"


@pytest.mark.parametrize("seed", range(MANY))
def test_quantile_regression(seed: int) -> None:
    rng = np.random.default_rng(60_000 + seed)
    X, w = table(rng)
    n, d = X.shape
    y = X @ rng.normal(size=d) * rng.uniform(0, 2) + rng.standard_t(2, size=n) * 10.0 ** rng.uniform(-3, 3)
    y = np.round(y) if rng.random() < 0.2 else y
    alpha = float(rng.choice([0.0, 0.0, 1e-3, 1.0]) * np.abs(X).mean())
    model = QuantileRegressor(quantile=float(rng.uniform(0.05, 0.95)), alpha=alpha).fit(X, y, w)
    c = surefit.certify(model, X, y, w)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    model.dual_ = None
    c = surefit.certify(model, X, y, w)  # the dual vector rebuilt from the coefficients alone
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("seed", range(MANY))
def test_linear_program_classifier(seed: int) -> None:
    rng = np.random.default_rng(70_000 + seed)
    X, w = table(rng)
    y = labels(rng, X, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearProgramClassifier().fit(X, y, w)
    c = surefit.certify(model, X, y, w)
    assert c.holds, f"\n{c}"


@pytest.mark.parametrize("seed", range(MANY))
def test_batch_perceptron(seed: int) -> None:
    """A hyperplane, or the proof that there is none; where the updates were stopped, no claim."""
    rng = np.random.default_rng(80_000 + seed)
    X, w = table(rng)
    y = labels(rng, X, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BatchPerceptron(fit_intercept=bool(rng.random() < 0.8), max_updates=20_000).fit(X, y, w)
    c = surefit.certify(model, X, y, w)
    if model.separable_ is None:
        assert model.n_updates_ == 20_000 and c.grade in (Grade.UNPROVED, Grade.NOT_OPTIMAL)
    else:
        assert c.holds, f"\n{c}"
