"""Bayes risks against closed forms and numerical integration, and the classifier that reaches them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_matrix
from scipy.stats import chi2, multivariate_normal, norm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory import (
    BayesClassifier,
    Distribution,
    GaussianClasses,
    TableDistribution,
    UniformDistribution,
    distribution_like,
    excess_risk,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("prior", [0.5, 0.2])
def test_two_gaussians_of_one_covariance(d, prior):
    """Φ(−Δ/2) for equal priors, Δ Mahalanobis' distance; else the two tails of the likelihood ratio."""
    A = 2 * np.eye(d) + np.tri(d)
    cov, step = A @ A.T, RNG.normal(size=d)
    delta = math.sqrt(step @ np.linalg.solve(cov, step))
    c = math.log((1 - prior) / prior)
    wanted = prior * norm.cdf(c / delta - delta / 2) + (1 - prior) * norm.cdf(-c / delta - delta / 2)
    if prior == 0.5:
        assert wanted == pytest.approx(norm.cdf(-delta / 2), rel=1e-14)
    risk = GaussianClasses([np.zeros(d), step], [cov, cov], priors=[prior, 1 - prior]).bayes_risk()
    assert risk.low <= wanted + 1e-15 and wanted - 1e-15 <= risk.high and risk.high - risk.low < 1e-11


def test_cells_enclose_integration():
    """Mixtures on the line: SciPy's quadrature between the points where the densities cross."""
    mix = GaussianClasses(
        [[[0.0], [4.0]], [2.0], [-3.0]], [1.0, 0.25, 4.0], priors=[0.5, 0.3, 0.2], weights=[[0.7, 0.3], None, None]
    )

    def missed(x):
        f = [0.5 * (0.7 * norm.pdf(x) + 0.3 * norm.pdf(x, 4)), 0.3 * norm.pdf(x, 2, 0.5), 0.2 * norm.pdf(x, -3, 2)]
        return sum(f) - max(f)

    wanted = sum(quad(missed, a, a + 0.25, epsabs=1e-13)[0] for a in np.arange(-25, 15, 0.25))
    risk = mix.bayes_risk()
    assert risk.low - 1e-9 <= wanted <= risk.high + 1e-9 and risk.high - risk.low < 1e-10


def test_cells_agree_with_the_closed_form():
    two = GaussianClasses([[0.0], [1.5]], [1.0, 1.0 + 1e-13])  # different to the eye of the closed form only
    risk = two.bayes_risk()
    assert "cells" in risk.method and risk.low - 1e-12 <= norm.cdf(-0.75) <= risk.high + 1e-12


def test_narrow_far_and_equal_classes():
    """What is apart has risk zero, what is equal that of guessing, and a spike is told from what is wide."""
    assert GaussianClasses([[0.0], [1e12]], [1.0, 2.0]).bayes_risk().high < 1e-12
    assert GaussianClasses([[0.0], [0.0]], [1e-140, 1e140]).bayes_risk().high < 1e-12
    three = GaussianClasses([[0.0]] * 3, [1.0] * 3).bayes_risk()
    assert three.low <= 2 / 3 <= three.high + 1e-15 and three.high - three.low < 1e-3


def test_draws_cover_a_circle():
    """N(0, I) and N(0, 4 I) in the plane: the Bayes classifier is a circle, its risk a chi-square chance."""
    two = GaussianClasses([[0.0, 0.0], [0.0, 0.0]], [1.0, 4.0])
    radius = 8 / 3 * math.log(4)  # r²/2 − r²/8 = log 4
    wanted = 0.5 * chi2.sf(radius, 2) + 0.5 * chi2.cdf(radius / 4, 2)
    risk = two.bayes_risk(n_draws=200_000)
    assert risk.low < wanted < risk.high and risk.confidence == 0.99 and risk.high - risk.low < 0.01


def test_posteriors_and_samples():
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    known = GaussianClasses(
        [[0, 0], [[1, 2], [3, 0]]], [cov, [np.eye(2), cov]], priors=[0.3, 0.7], weights=[None, [0.25, 0.75]]
    )
    X = RNG.normal(size=(20, 2))
    first = 0.3 * multivariate_normal([0, 0], cov).pdf(X)
    other = multivariate_normal([1, 2], np.eye(2)).pdf(X) * 0.25 + multivariate_normal([3, 0], cov).pdf(X) * 0.75
    np.testing.assert_allclose(known.posterior(X)[:, 0], first / (first + 0.7 * other), rtol=1e-10)
    rows, labels = known.sample(40_000, 1)
    again, same = known.sample(40_000, 1)
    assert np.array_equal(rows, again) and np.array_equal(labels, same)
    assert abs((labels == 1).mean() - 0.7) < 5 * math.sqrt(0.21 / 40_000)
    mean = 0.25 * np.array([1, 2]) + 0.75 * np.array([3, 0])
    np.testing.assert_allclose(rows[labels == 1].mean(axis=0), mean, atol=5 * 2 / math.sqrt(28_000))


def test_tables_are_exact():
    table = np.array([[1, 3, 0], [2, 2, 0], [0, 1, 7]]) / 16
    known = TableDistribution([[0.0], [1.0], [-0.0 + 2.0]], table, classes=["a", "b", "c"])
    assert known.bayes_risk().low == known.bayes_risk().high == (1 + 2 + 1) / 16
    model = BayesClassifier(known)
    assert model.predict([[0.0], [-0.0], [2.0]]).tolist() == ["b", "b", "c"]
    always_a = excess_risk(lambda X: np.full(len(X), "a"), known)
    assert always_a.estimate == (2 + 0 + 7) / 16 and always_a.confidence == 1
    X, y = known.sample(30_000, 0)
    counts = np.array([[np.sum((X[:, 0] == x) & (y == c)) for c in "abc"] for x in (0, 1, 2)]) / 30_000
    assert np.abs(counts - table).max() < 5 * math.sqrt(0.25 / 30_000)


@pytest.mark.parametrize("d", [1, 2])
def test_uniform_grid(d):
    """η = x₁ on the unit box: R* = ¼, whatever the dimension."""
    known = UniformDistribution(lambda X: X[:, 0], [0.0] * d, [1.0] * d, lipschitz=1.0)
    risk = known.bayes_risk()
    assert risk.low <= 0.25 <= risk.high and risk.high - risk.low < 2e-3
    drawn = Distribution.bayes_risk(known, n_draws=100_000)
    assert drawn.low < 0.25 < drawn.high


def test_the_bayes_classifier_cannot_be_beaten():
    known = GaussianClasses([[0.0], [2.0]], [1.0, 1.0])
    best = BayesClassifier(known)
    assert excess_risk(best, known).estimate == 0
    shifted = excess_risk(lambda X: (X[:, 0] > 1.5).astype(int), known, n_draws=200_000)
    wanted = 0.5 * norm.sf(1.5) + 0.5 * norm.cdf(-0.5) - norm.cdf(-1)
    assert shifted.low < wanted < shifted.high and shifted.high - shifted.low < 0.01
    assert abs(shifted.disagreement - (norm.cdf(1.5) - norm.cdf(1) + norm.cdf(-0.5) - norm.cdf(-1)) / 2) < 0.005


def test_as_a_classifier():
    known = GaussianClasses([[0.0, 0.0], [3.0, 0.0]], [1.0, 1.0], classes=["x", "y"])
    X, y = known.sample(4000, 0)
    model = clone(BayesClassifier(known))
    scores = cross_val_score(model, X, y, cv=4)
    assert abs(scores.mean() - norm.cdf(1.5)) < 5 * math.sqrt(0.07 / 4000)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(InvalidData, match="none of the distribution's classes"):
        model.fit(X, np.where(y == "x", "z", y))
    with pytest.raises(InvalidParameter, match=r"distribution of surefit\.theory"):
        BayesClassifier(3).fit()


def test_like_the_data():
    X, y = load_iris(return_X_y=True)
    like = distribution_like(X, y, n_components=1)
    for c in range(3):
        np.testing.assert_allclose(like.components[c].mean, X[y == c].mean(axis=0), rtol=1e-6)
        cov = like.components[c].root @ like.components[c].root.T
        np.testing.assert_allclose(cov, np.cov(X[y == c].T, ddof=0), atol=3e-6)
    np.testing.assert_allclose(like.priors, 1 / 3)


def test_like_takes_no_spikes():
    """Whole numbers invite components on single values; a constant column is said."""
    X = np.column_stack([RNG.integers(0, 5, 300), RNG.normal(size=300)]).astype(float)
    like = distribution_like(X, RNG.integers(0, 2, 300), n_components=(1, 2, 3, 5))
    assert min(np.linalg.svd(c.root, compute_uv=False).min() for c in like.components) > 0.01
    with pytest.warns(UserWarning, match="thin sheet"):
        distribution_like(np.column_stack([X[:, 1], np.ones(300)]), X[:, 0] > 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: GaussianClasses([[0.0]], [1.0]), "two classes"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0]), "one entry for each"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, -1.0]), "positive definite"),
        (lambda: GaussianClasses([[0.0], [np.nan]], [1.0, 1.0]), "finite"),
        (lambda: GaussianClasses([[0.0], [1.0, 2.0]], [1.0, 1.0]), "needs means"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0], priors=[0.5, 0.6]), "add up to 1"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0], classes=[1, 1]), "different labels"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0]).posterior([[np.inf]]), "row 0, column 0"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0]).posterior([1.0]), r"shape \(n, 1\)"),
        (lambda: GaussianClasses([[0.0], [1.0]], [np.inf, 1.0]), "finite numbers"),
        (lambda: GaussianClasses([[0.0], [1e300]], [1.0, 1.0]), "below 1e.150"),
        (lambda: GaussianClasses(["a", "b"], [1.0, 1.0]), "means must be numbers"),
        (lambda: GaussianClasses(None, None), "two classes"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0]).posterior([[1e200]]), "below 1e.150"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0]).sample(-1), "n must be a whole number"),
        (lambda: GaussianClasses([[0.0], [1.0]], [1.0, 1.0]).sample("a"), "n must be a whole number"),
        (lambda: Distribution.bayes_risk(UniformDistribution(len, [0], [1]), n_draws=0), "n_draws"),
        (lambda: UniformDistribution(lambda X: ["a"] * len(X), [0], [1]).sample(9), "eta gives must be numbers"),
        (lambda: distribution_like(csr_matrix(np.eye(4)), [0, 0, 1, 1]), "dense array"),
        (lambda: TableDistribution([[0.0], [0.0]], [[0.5, 0], [0, 0.5]]), "different points"),
        (lambda: TableDistribution([[0.0]], [[0.5, 0.4]]), "add up to 1"),
        (lambda: TableDistribution([[0.0]], [[0.5, 0.5]]).posterior([[1.0]]), "no point of the support"),
        (lambda: UniformDistribution(3, [0], [1]), "function"),
        (lambda: UniformDistribution(len, [1], [0]), "below"),
        (lambda: UniformDistribution(lambda X: 2 * X[:, 0], [0], [1]).sample(9), "from 0 to 1"),
        (lambda: distribution_like([[1.0], [2.0]], [0, 0]), "two classes"),
        (lambda: distribution_like([[1.0], [np.nan]], [0, 1]), "finite"),
        (lambda: distribution_like([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], n_components=2), "too small"),
        (lambda: excess_risk(len, 3), "distribution must be"),
        (lambda: excess_risk(lambda X: [7] * len(X), TableDistribution([[0.0]], [[0.5, 0.5]])), "none of the classes"),
        (lambda: excess_risk(lambda X: 0, TableDistribution([[0.0]], [[0.5, 0.5]])), "one label for each"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        call()
