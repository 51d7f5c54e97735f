"""Bayesian mixtures: the bound is the evidence where that is known, never falls, and unneeded components go."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, multigammaln
from scipy.stats import multivariate_t

from surefit.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from surefit.solvers.mixture.variational import Prior

KINDS = ["full", "tied", "diag", "spherical"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def blobs(n=200, seed=0):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [8.0, 1.0], [2.0, 9.0]])
    return centers[rng.integers(3, size=n)] + rng.normal(size=(n, 2)) * [1.0, 0.5]


def one_dimensional(S0, S, nu0, nu, b0, b, n, d=1):
    """log p of n·d numbers that share a precision ~ Gamma(ν₀/2, S₀/2), means with precision factor β₀."""
    ratio = gammaln(nu / 2) - gammaln(nu0 / 2) + nu0 / 2 * np.log(S0) - nu / 2 * np.log(S)
    return ratio - n * d / 2 * np.log(np.pi) + d / 2 * np.log(b0 / b)


def evidence(X, kind, m0, b0, nu0, S0):
    """log p(X) of one component with a conjugate prior (Murphy, Conjugate Bayesian analysis, 2007)."""
    n, d = X.shape
    b, center = b0 + n, X.mean(axis=0)
    D, gap = X - center, center - m0
    if kind in ("full", "tied"):
        S = S0 + D.T @ D + b0 * n / b * np.outer(gap, gap)
        nu = nu0 + n
        ratio = multigammaln(nu / 2, d) - multigammaln(nu0 / 2, d)
        dets = nu0 / 2 * np.linalg.slogdet(S0)[1] - nu / 2 * np.linalg.slogdet(S)[1]
        return ratio + dets - n * d / 2 * np.log(np.pi) + d / 2 * np.log(b0 / b)
    own = (D**2).sum(axis=0) + b0 * n / b * gap**2
    if kind == "diag":
        return sum(one_dimensional(s0, s0 + s, nu0, nu0 + n, b0, b, n) for s0, s in zip(S0, own, strict=True))
    return one_dimensional(S0, S0 + own.sum(), nu0, nu0 + n * d, b0, b, n, d)


@pytest.mark.parametrize("kind", KINDS)
def test_one_component_has_the_evidence_itself(kind):
    X = blobs(40)
    S0 = {"full": np.array([[2.0, 0.3], [0.3, 1.0]]), "diag": np.array([2.0, 1.0]), "spherical": 1.5}
    S0["tied"] = S0["full"]
    model = BayesianGaussianMixture(
        covariance_type=kind, weight_concentration_prior_type="dirichlet_distribution", mean_prior=[1.0, 2.0],
        mean_precision_prior=0.7, degrees_of_freedom_prior=3.5, covariance_prior=S0[kind], reg_covar=0.0,
    ).fit(X)  # fmt: skip
    expected = evidence(X, kind, np.array([1.0, 2.0]), 0.7, 3.5, S0[kind])
    assert model.lower_bound_ == pytest.approx(expected, rel=1e-9)


def test_the_reference_is_students_distribution():
    """p of one row is multivariate t with ν₀ − d + 1 degrees."""
    x, S0 = np.array([[0.4, -1.0]]), np.array([[2.0, 0.3], [0.3, 1.0]])
    student = multivariate_t([1.0, 2.0], S0 * (0.7 + 1) / (0.7 * 2.5), df=2.5)
    assert evidence(x, "full", np.array([1.0, 2.0]), 0.7, 3.5, S0) == pytest.approx(student.logpdf(x[0]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
def test_the_bound_never_falls(kind, prior):
    for seed in range(3):
        model = BayesianGaussianMixture(
            n_components=4, covariance_type=kind, weight_concentration_prior_type=prior, init_params="random",
            max_iter=60, tol=1e-9, random_state=seed,
        ).fit(blobs(80, seed))  # fmt: skip
        assert (np.diff(model.history_) >= -1e-8 * abs(model.lower_bound_)).all()


@pytest.mark.parametrize("prior", ["dirichlet_process", "dirichlet_distribution"])
def test_components_that_are_not_needed_lose_their_weight(prior):
    model = BayesianGaussianMixture(
        n_components=8, weight_concentration_prior_type=prior, weight_concentration_prior=1e-3, max_iter=500,
        random_state=0,
    ).fit(blobs(400))  # fmt: skip
    assert (model.weights_ > 0.02).sum() == 3
    assert model.weights_.sum() == pytest.approx(1)


def test_order_and_repetition_do_not_matter():
    X, rng = blobs(90), np.random.default_rng(1)
    w, order = rng.integers(0, 3, 90).astype(float), rng.permutation(90)
    model = BayesianGaussianMixture(n_components=3, random_state=0, max_iter=200)
    said = [
        model.fit(rows, sample_weight=weights).predict_proba(X)
        for rows, weights in ((X, w), (X[order], w[order]), (np.repeat(X, w.astype(int), axis=0), None))
    ]
    np.testing.assert_allclose(said[1], said[0], atol=1e-8)
    np.testing.assert_allclose(said[2], said[0], atol=1e-8)


def test_units_do_not_matter_but_for_the_density():
    X = blobs(100)
    one, two = (
        BayesianGaussianMixture(n_components=3, random_state=0, reg_covar=0.0).fit(X * unit) for unit in (1.0, 1024.0)
    )
    np.testing.assert_allclose(two.means_, one.means_ * 1024, rtol=1e-9)
    assert two.lower_bound_ - one.lower_bound_ == pytest.approx(-100 * 2 * np.log(1024), rel=1e-9)


def test_what_cannot_be_is_refused():
    X = blobs(20)
    with pytest.raises(ValueError, match="degrees_of_freedom_prior"):
        BayesianGaussianMixture(degrees_of_freedom_prior=0.5).fit(X)
    with pytest.raises(ValueError, match="should have the shape"):
        BayesianGaussianMixture(covariance_prior=np.eye(3)).fit(X)
    with pytest.raises(ValueError, match="'means' should be an array of numbers, but got 'auto'"):
        BayesianGaussianMixture(mean_prior="auto").fit(X)
    with pytest.raises(ValueError, match=r"weight_concentration_prior=…\) must be a number > 0 and finite"):
        BayesianGaussianMixture(weight_concentration_prior=np.inf).fit(X)
    with pytest.raises(ValueError, match="positive-definite"):
        BayesianGaussianMixture(covariance_prior=-np.eye(2)).fit(X)
    assert Prior(1.0, True, np.zeros(1), 1.0, 1.0, np.eye(1), "full").process
