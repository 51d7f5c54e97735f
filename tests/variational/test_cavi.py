"""Mean-field inference: updates are maxima, ELBO ≤ evidence, evidence by quadrature and by SciPy's densities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from scipy.integrate import dblquad

from surefit.variational import CAVI
from surefit.variational.models import Gamma, LinearRegressionModel, MixtureModel, Normal, NormalModel

RNG = np.random.default_rng(0)
x = RNG.normal(1.5, 0.7, 12)
DATA = np.column_stack([RNG.normal(size=(15, 2)), RNG.normal(size=15)])
BLOBS = RNG.normal(size=(60, 2)) + 6 * np.eye(3, 2)[RNG.integers(3, size=60)]
MODELS = [(NormalModel(0.5, 2.0, 1.5, 0.8), x), (LinearRegressionModel(0.7, 2.0, 1.2), DATA), (MixtureModel(3), BLOBS)]


@pytest.mark.parametrize("model, data", MODELS)
def test_the_bound_rises_and_updates_are_maxima(model, data):
    found = CAVI(model, random_state=0).fit(data)
    assert found.converged_ and (np.diff(found.history_) >= -1e-9).all()
    for name in found.factors_:
        again = model.update(name, data, found.factors_)
        moved = model.elbo(data, {**found.factors_, name: again})
        assert moved == pytest.approx(found.elbo_, abs=1e-7)


@pytest.mark.parametrize("model, data", MODELS[:2])
def test_no_bound_is_above_the_evidence(model, data):
    found = CAVI(model).fit(data)
    evidence = model.log_evidence(data)
    assert max(found.history_) <= evidence + 1e-9
    assert evidence - found.elbo_ < 0.2


def test_evidence_of_the_normal_model_by_quadrature():
    model, data = MODELS[0]

    def joint(mu, tau):
        likelihood = scipy.stats.norm.pdf(data, mu, tau**-0.5).prod()
        prior = scipy.stats.norm.pdf(mu, 0.5, (2 * tau) ** -0.5) * scipy.stats.gamma.pdf(tau, 1.5, scale=1 / 0.8)
        return likelihood * prior

    value, _ = dblquad(joint, 1e-6, 12, -1, 4, epsabs=0, epsrel=1e-8)
    assert model.log_evidence(data) == pytest.approx(np.log(value), abs=1e-5)


def test_evidence_of_linear_regression_is_students():
    """y has the multivariate t density with 2a₀ degrees, scale (b₀/a₀)(I + XXᵀ/α)."""
    model = MODELS[1][0]
    X, y = DATA[:, :-1], DATA[:, -1]
    shape = (1.2 / 2.0) * (np.eye(15) + X @ X.T / 0.7)
    expected = scipy.stats.multivariate_t(np.zeros(15), shape, df=4.0).logpdf(y)
    assert model.log_evidence(DATA) == pytest.approx(expected, rel=1e-10)


def test_bound_of_the_normal_model_by_simulation():
    """E_g[log p(x, μ, τ) − log g] by draws from SciPy's distributions."""
    model, data = MODELS[0]
    factors = {"mean": Normal(1.2, 0.05), "precision": Gamma(6.0, 4.0)}
    rng = np.random.default_rng(1)
    mu, tau = rng.normal(1.2, 0.05**0.5, 200_000), rng.gamma(6.0, 1 / 4.0, 200_000)
    log_joint = scipy.stats.norm.logpdf(data[:, None], mu, tau**-0.5).sum(axis=0)
    log_joint += scipy.stats.norm.logpdf(mu, 0.5, (2 * tau) ** -0.5) + scipy.stats.gamma.logpdf(tau, 1.5, scale=1 / 0.8)
    terms = log_joint - scipy.stats.norm.logpdf(mu, 1.2, 0.05**0.5) - scipy.stats.gamma.logpdf(tau, 6.0, scale=1 / 4)
    assert model.elbo(data, factors) == pytest.approx(terms.mean(), abs=5 * terms.std() / np.sqrt(len(terms)))


def test_bound_of_the_mixture_by_simulation():
    model = MixtureModel(2, variance=0.8, spread=3.0, alpha0=1.5)
    X = BLOBS[:5]
    rng = np.random.default_rng(2)
    labels = rng.dirichlet([1, 1], 5)
    m, v, alpha = rng.normal(size=(2, 2)), np.array([0.3, 0.6]), np.array([2.0, 3.5])
    value = model.elbo(X, {"labels": labels, "weights": alpha, "means": (m, v)})
    n = 40_000
    weights = rng.dirichlet(alpha, n)
    means = m + rng.normal(size=(n, 2, 2)) * np.sqrt(v)[:, None]
    z = (rng.random((n, 5)) < labels[:, 1]).astype(int)
    rows = np.arange(n)[:, None]
    log_joint = np.log(weights[rows, z]).sum(axis=1)
    log_joint += scipy.stats.norm.logpdf(X, means[rows, z], 0.8**0.5).sum(axis=(1, 2))
    log_joint += scipy.stats.norm.logpdf(means, 0, 3.0).sum(axis=(1, 2))
    log_joint += scipy.stats.dirichlet.logpdf(weights.T, [1.5, 1.5])
    log_g = np.log(labels[np.arange(5), z]).sum(axis=1) + scipy.stats.dirichlet.logpdf(weights.T, alpha)
    log_g += scipy.stats.norm.logpdf(means, m, np.sqrt(v)[:, None]).sum(axis=(1, 2))
    terms = log_joint - log_g
    assert value == pytest.approx(terms.mean(), abs=5 * terms.std() / np.sqrt(n))


def test_updates_that_do_not_belong_to_the_bound_are_told():
    class Wrong(NormalModel):
        def update(self, name, x, factors):
            return Normal(50.0, 1.0) if name == "mean" else super().update(name, x, factors)

    with pytest.raises(ValueError, match=r"the ELBO fell by .* when the factor 'mean'"):
        CAVI(Wrong()).fit(x)
    with pytest.raises(ValueError, match="it has no update, elbo"):
        CAVI(type("Empty", (), {"start": print})())
