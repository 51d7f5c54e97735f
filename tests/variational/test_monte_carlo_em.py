"""Monte-Carlo EM against exact EM, and its gains against the exact gains of log-likelihood."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from surefit.variational import MonteCarloEM
from surefit.variational.monte_carlo_em import estimated_gain


class Centered:
    """z_i ~ N(θ, 1), x_i | z_i ~ N(z_i, 1): the likelihood is that of N(θ, 2), and θ = mean of x the maximum."""

    def start(self, X, rng):
        return 0.0

    def sample(self, X, theta, n_draws, rng):
        return (X + theta) / 2 + rng.normal(size=(n_draws, len(X))) / np.sqrt(2)

    def maximize(self, X, draws):
        return float(draws.mean())

    def log_joint(self, X, draws, theta):
        return -((X - draws) ** 2 / 2 + (draws - theta) ** 2 / 2 + np.log(2 * np.pi)).sum(axis=1)


X = np.random.default_rng(0).normal(3, np.sqrt(2), 40)


def exact(theta):
    return -((X - theta) ** 2).sum() / 4


def test_the_maximum_is_found():
    found = MonteCarloEM(Centered(), tol=1e-2, random_state=0).fit(X)
    assert found.converged_
    # within tol of the most: the EM step halves the distance, and gains n/4·(1 − ¼)·distance² at least tol before
    assert exact(X.mean()) - exact(found.parameters_) < 0.1


def test_estimated_gains_are_below_the_gain_of_likelihood():
    """The mean gain of log p(x, z | θ) is that of log p(x | θ) less a divergence; here it is known in closed form."""
    theta, proposed = 1.0, 1.8
    gain, error = estimated_gain(Centered(), X, theta, proposed, 20_000, np.random.default_rng(1))
    middle = (X + theta) / 2
    expected = ((middle - theta) ** 2 - (middle - proposed) ** 2).sum() / 2
    assert abs(gain - expected) < 5 * error
    assert gain - 5 * error < exact(proposed) - exact(theta)


def test_a_seed_repeats_itself_and_too_few_draws_are_told():
    one, two = (MonteCarloEM(Centered(), random_state=3).fit(X).parameters_ for _ in range(2))
    assert one == two
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        MonteCarloEM(Centered(), n_draws=2, max_draws=2, tol=1e-9, max_iter=30, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_draws"):
        MonteCarloEM(Centered(), n_draws=1)
    bad = Centered()
    bad.log_joint = lambda X, draws, theta: np.zeros(3)
    with pytest.raises(ValueError, match="one finite number for each"):
        MonteCarloEM(bad).fit(X)
