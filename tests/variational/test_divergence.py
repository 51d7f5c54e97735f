"""Divergences against quadrature and simulation by SciPy's own densities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from surefit.variational import elbo, kl_divergence

CONTINUOUS = [
    (stats.norm(1, 2), stats.norm(-0.5, 1.2)),
    (stats.gamma(2.5, scale=0.7), stats.gamma(1.2, scale=1.5)),
    (stats.gamma(2.5, loc=0.5, scale=0.7), stats.gamma(1.2, loc=0.2, scale=1.5)),
    (stats.expon(scale=2.0), stats.expon(scale=0.5)),
    (stats.beta(2, 3), stats.beta(1.5, 1.5)),
    (stats.t(5), stats.norm(0, 1.5)),
    (stats.uniform(0, 1), stats.norm(0, 1)),
]


@pytest.mark.parametrize("g, f", CONTINUOUS)
def test_continuous_by_quadrature(g, f):
    low, high = g.ppf([1e-14, 1 - 1e-14])
    expected = quad(lambda x: g.pdf(x) * (g.logpdf(x) - f.logpdf(x)), low, high, limit=500)[0]
    assert kl_divergence(g, f) == pytest.approx(expected, rel=1e-5)
    assert kl_divergence(g, g) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "g, f",
    [
        (stats.poisson(3), stats.poisson(5)),
        (stats.binom(10, 0.3), stats.binom(10, 0.5)),
        (stats.bernoulli(0.2), stats.bernoulli(0.6)),
        (stats.binom(10, 0.3), stats.poisson(3)),
    ],
)
def test_discrete_by_sums(g, f):
    k = np.arange(0, 60)
    p = g.pmf(k)
    expected = (p[p > 0] * np.log(p[p > 0] / f.pmf(k)[p > 0])).sum()
    assert kl_divergence(g, f) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "g, f",
    [
        (stats.multivariate_normal([0, 1], [[2, 0.5], [0.5, 1]]), stats.multivariate_normal([1, 0], np.eye(2))),
        (stats.dirichlet([2.0, 3.0, 1.5]), stats.dirichlet([1.0, 1.0, 4.0])),
    ],
)
def test_several_dimensions_by_simulation(g, f):
    draws = g.rvs(100_000, random_state=0)
    at = draws.T if isinstance(g, type(stats.dirichlet([1.0, 1.0]))) else draws
    terms = g.logpdf(at) - f.logpdf(at)
    assert kl_divergence(g, f) == pytest.approx(terms.mean(), abs=5 * terms.std() / np.sqrt(len(terms)))


def test_probabilities_and_supports():
    assert kl_divergence([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]) == pytest.approx(np.log(2))
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == np.inf
    assert kl_divergence(stats.norm(0, 1), stats.expon()) == np.inf
    with pytest.raises(ValueError, match="add up to one"):
        kl_divergence([0.5, 0.6], [0.5, 0.5])


def test_bound_of_a_normalizing_constant():
    """f̃ = 7·N(1, 2²) has the constant log 7; the bound is below it by the divergence, and equal at g = f."""

    def log_density(x):
        return np.log(7) + stats.norm.logpdf(x, 1, 2)

    best, other = elbo(log_density, stats.norm(1, 2)), elbo(log_density, stats.norm(0, 1))
    assert best.value == pytest.approx(np.log(7)) and best.standard_error == 0
    assert other.value == pytest.approx(np.log(7) - kl_divergence(stats.norm(0, 1), stats.norm(1, 2)))
    g = stats.multivariate_normal([0, 0], np.eye(2))
    drawn = elbo(lambda X: stats.multivariate_normal([1, 0], np.eye(2)).logpdf(X), g, random_state=0)
    assert abs(drawn.value + 0.5) < 5 * drawn.standard_error


@pytest.mark.parametrize(
    ("g", "f", "words"),
    [
        ("a", "b", "two arrays of probabilities or two frozen distributions"),
        ([0.5, 0.5], stats.norm(), "two arrays or two frozen distributions"),
        (stats.poisson(1), stats.norm(), "whole numbers, the other of a continuum"),
        (stats.multivariate_normal([0, 0]), stats.multivariate_normal([0, 0, 0]), "dimensions; got 2 and 3"),
        (stats.dirichlet([1, 1]), stats.dirichlet([1, 1, 1]), "dimensions; got 2 and 3"),
    ],
)
def test_what_has_no_divergence_is_told(g, f, words):
    with pytest.raises(ValueError, match=words):
        kl_divergence(g, f)


@pytest.mark.parametrize(
    ("log_density", "g", "draws", "words"),
    [
        (3.0, stats.norm(), 10, "log_density must be a function"),
        (lambda x: x, [0.5, 0.5], 10, "g must be a frozen distribution"),
        (lambda x: x[:, 0], stats.multivariate_normal([0, 0]), 0, "n_draws must be a whole number ≥ 2"),
        (lambda x: 1.0, stats.multivariate_normal([0, 0]), 10, "one number for each of 10 points; it gave 1"),
        (lambda x: x * np.nan, stats.norm(), 10, "the ELBO is NaN"),
    ],
)
def test_what_has_no_bound_is_told(log_density, g, draws, words):
    with pytest.raises(ValueError, match=words):
        elbo(log_density, g, n_draws=draws)
