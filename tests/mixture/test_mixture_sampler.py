"""Draws from mixtures: labels by their weights, points by their distributions, densities by the sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.mixture import GaussianMixture as ScikitLearns

from surefit.mixture import MixtureSampler


def test_labels_and_points_have_their_distributions():
    parts = [stats.norm(0, 1), stats.gamma(2), stats.uniform(5, 1)]
    X, labels = MixtureSampler(parts, [1, 2, 5]).sample(20_000, random_state=0)
    assert stats.chisquare(np.bincount(labels), 20_000 * np.array([1, 2, 5]) / 8).pvalue > 1e-3
    for k, part in enumerate(parts):
        assert stats.kstest(X[labels == k, 0], part.cdf).pvalue > 1e-3


def test_densities_and_posterior():
    sampler = MixtureSampler([stats.norm(-1, 1), stats.norm(2, 0.5)], [0.3, 0.7])
    x = np.linspace(-3, 4, 9)
    joint = np.column_stack([0.3 * stats.norm.pdf(x, -1, 1), 0.7 * stats.norm.pdf(x, 2, 0.5)])
    np.testing.assert_allclose(np.exp(sampler.log_density(x)), joint.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(sampler.posterior(x), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_fitted_mixtures_bring_their_own(covariance_type):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1 + m, (100, 2)) for m in (0, 4)])
    model = ScikitLearns(2, covariance_type=covariance_type, random_state=0).fit(X)
    sampler = MixtureSampler(model)
    np.testing.assert_allclose(sampler.log_density(X), model.score_samples(X), rtol=1e-8)
    drawn, labels = sampler.sample(500, random_state=1)
    assert drawn.shape == (500, 2) and set(labels) == {0, 1}


def test_seeds_repeat_and_bad_input_is_told():
    sampler = MixtureSampler([stats.norm(), stats.norm(3)])
    np.testing.assert_array_equal(sampler.sample(5, random_state=2)[0], sampler.sample(5, random_state=2)[0])
    with pytest.raises(ValueError, match="numbers ≥ 0"):
        MixtureSampler([stats.norm()], [-1.0])
    with pytest.raises(ValueError, match="no method rvs"):
        MixtureSampler([3.0])
    with pytest.raises(ValueError, match="dimensions"):
        MixtureSampler([stats.norm(), stats.multivariate_normal([0, 0])]).sample(50, random_state=0)


def test_what_is_no_number_is_told():
    with pytest.raises(ValueError, match="weights must be 2 numbers"):
        MixtureSampler([stats.norm(), stats.norm()], weights=["much", "little"])
    for n in ("many", 1.5, 0):
        with pytest.raises(ValueError, match="n_samples must be at least 1, a whole number"):
            MixtureSampler([stats.norm()]).sample(n)
