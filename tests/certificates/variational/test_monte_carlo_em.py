"""The certificate of Monte-Carlo EM, for a model whose exact EM step is known."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from surefit.certificates import Grade
from surefit.variational import MonteCarloEM

X = np.random.default_rng(0).normal(3, np.sqrt(2), 40)


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


def exact_gain(theta):
    """The exact step halves the distance to the mean: Q gains n/2 · (distance/2)²."""
    return len(X) / 2 * ((X.mean() - theta) / 2) ** 2


def test_fits_are_accepted_by_what_is_left_to_gain():
    """The rule that stops is wrong now and then; the certificate is of the parameters, whatever stopped."""
    good = 0
    for seed in range(20):
        found = MonteCarloEM(Centered(), tol=1e-2, random_state=seed).fit(X)
        certificate, left = surefit.certify(found, X), exact_gain(found.parameters_)
        claim = next(c for c in certificate if c.name == "next_gain")
        assert claim.value >= left
        if left < 0.6e-2:
            good += 1
            assert certificate.holds, str(certificate)
    assert good >= 10
    assert found.certify(X).to_dict()["holds"] == certificate.holds
    found.parameters_ = float(X.mean())
    assert surefit.certify(found, X).grade == Grade.STATISTICAL


@pytest.mark.parametrize(
    "lie",
    [
        ("parameters_", 2.0),
        ("parameters_", np.nan),
        ("parameters_", "three"),
        ("history_", [(1.0, -1.0)]),
        ("history_", [(-1.0, 0.1)]),
        ("history_", [1.0, 2.0]),
        ("history_", None),
        ("n_draws_", 0),
        ("n_draws_", "many"),
    ],
    ids=str,
)
def test_lies_are_refused(lie):
    found = MonteCarloEM(Centered(), tol=1e-2, random_state=0).fit(X)
    setattr(found, *lie)
    assert not surefit.certify(found, X).holds


@pytest.mark.filterwarnings("ignore")
def test_stopped_fits_other_data_and_broken_models_are_refused():
    assert not surefit.certify(MonteCarloEM(Centered(), max_iter=2, random_state=0).fit(X), X).holds
    found = MonteCarloEM(Centered(), tol=1e-2, random_state=0).fit(X)
    assert not surefit.certify(found, X + 1.0).holds
    found.model.log_joint = lambda X, draws, theta: np.zeros(3)
    assert not surefit.certify(found, X).holds
