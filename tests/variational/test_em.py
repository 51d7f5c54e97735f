"""EM: a published example, the two maximizations of one function, and models whose steps do not belong together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.exceptions import ConvergenceWarning

from surefit.variational import EM


class Coins:
    """Each row: heads in ten throws of one of two coins, chosen evenly."""

    def start(self, X, rng):
        return np.array([0.6, 0.5])

    def _joint(self, X, heads):
        return binom.pmf(X[:, None], 10, heads) / 2

    def expect(self, X, heads):
        joint = self._joint(X, heads)
        return joint / joint.sum(axis=1, keepdims=True)

    def maximize(self, X, posterior):
        return X @ posterior / (10 * posterior.sum(axis=0))

    def log_likelihood(self, X, heads):
        return float(np.log(self._joint(X, heads).sum(axis=1)).sum())

    def bound(self, X, posterior, heads):
        return float((posterior * (np.log(self._joint(X, heads)) - np.log(posterior))).sum())


THROWS = np.array([5, 9, 8, 4, 7])


def test_published_example():
    """Do & Batzoglou, What is the expectation maximization algorithm?, Nature Biotechnology 26 (2008), figure 1b."""
    found = EM(Coins(), max_iter=10, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="stopped after 10 iterations"):
        found.fit(THROWS)
    np.testing.assert_allclose(found.parameters_, [0.80, 0.52], atol=0.005)


def test_both_steps_maximize_one_function():
    found = EM(Coins()).fit(THROWS)
    after_e, after_m = np.array(found.free_energy_).T
    np.testing.assert_allclose(after_e, found.history_[:-1], rtol=1e-12)  # F is the log-likelihood at the posterior
    assert (after_m >= after_e - 1e-12).all() and (np.array(found.history_[1:]) >= after_m - 1e-12).all()
    assert found.converged_ and (np.diff(found.history_) >= -1e-12).all()


def test_the_limit_has_no_slope():
    found = EM(Coins(), tol=1e-15, max_iter=5000).fit(THROWS)
    h = 1e-5
    for k in range(2):
        at = [found.parameters_ + sign * h * np.eye(2)[k] for sign in (1, -1)]
        slope = (Coins().log_likelihood(THROWS, at[0]) - Coins().log_likelihood(THROWS, at[1])) / (2 * h)
        assert abs(slope) < 1e-4


def test_the_best_start_is_kept():
    class TwoNormals(Coins):
        def start(self, X, rng):
            return rng.normal(0, 5, 2)

        def _joint(self, X, means):
            return norm.pdf(X[:, None], means, 1) / 2

        def maximize(self, X, posterior):
            return X @ posterior / posterior.sum(axis=0)

    X = np.concatenate([np.random.default_rng(0).normal(m, 1, 50) for m in (-4, 4)])
    found = EM(TwoNormals(), n_init=5, random_state=1).fit(X)
    np.testing.assert_allclose(np.sort(found.parameters_), [-4, 4], atol=0.5)
    singles = [EM(TwoNormals(), random_state=s).fit(X).log_likelihood_ for s in range(3)]
    assert found.log_likelihood_ >= max(singles) - 1e-6


def test_steps_that_do_not_belong_together_are_told():
    class Wrong(Coins):
        def maximize(self, X, posterior):
            return np.array([0.9, 0.1])

    with pytest.raises(ValueError, match="the log-likelihood fell by"):
        EM(Wrong()).fit(np.array([5, 5, 5]))
    with pytest.raises(ValueError, match="it has no expect, maximize"):
        EM(type("Empty", (), {"start": print, "log_likelihood": print})())
    with pytest.raises(ValueError, match="max_iter must be a whole number of at least 1"):
        EM(Coins(), max_iter=0)


def test_a_density_that_grows_without_bound_is_told():
    class Infinite(Coins):
        def log_likelihood(self, X, heads):
            return np.inf

    with pytest.raises(ValueError, match="the log-likelihood is inf"):
        EM(Infinite()).fit(THROWS)
