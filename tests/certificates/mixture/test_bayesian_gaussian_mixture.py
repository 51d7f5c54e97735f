"""The checker of Bayesian mixtures: stationary fits hold, priors and counts that are not those of the fit do not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.mixture
from scipy.special import digamma as scipy_digamma
from scipy.special import gammaln

from surefit.certificates.mixture.bayesian_gaussian_mixture import digamma, log_gamma
from surefit.mixture import BayesianGaussianMixture
from tests.certificates.bench import altered, certify, failing

rng = np.random.default_rng(3)
X = np.concatenate([rng.normal(size=(60, 3)), rng.normal(size=(40, 3)) * [0.5, 1.0, 2.0] + 4.0])
KINDS = ("full", "tied", "diag", "spherical")
PRIORS = ("dirichlet_process", "dirichlet_distribution")


def fitted(cls: Any = BayesianGaussianMixture, kind: str = "full", rows: Any = X, **settings: Any) -> Any:
    settings = {"tol": 1e-9, "max_iter": 3000, "n_components": 2, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(covariance_type=kind, random_state=0, **settings).fit(rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("law", PRIORS)
def test_stationary_fits_hold(kind, law):
    c = certify(fitted(kind=kind, weight_concentration_prior_type=law), X)
    assert c.holds, str(c)


@pytest.mark.parametrize("law", PRIORS)
def test_scikit_learns_fit_holds(law):
    c = certify(fitted(sklearn.mixture.BayesianGaussianMixture, weight_concentration_prior_type=law), X)
    assert c.holds, str(c)


def test_a_stopped_fit_is_refused():
    assert "stationary" in failing(certify(fitted(max_iter=2, init_params="random"), X))


@pytest.mark.parametrize("kind", KINDS)
def test_other_rows_are_refused(kind):
    assert not certify(fitted(kind=kind, rows=X[:90]), X).holds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "claim"), [("mean_precision_", "counts"), ("degrees_of_freedom_", "counts"),
                                             ("mean_prior_", "priors"), ("covariance_prior_", "priors"),
                                             ("lower_bound_", "lower_bound"), ("weights_", "chances")])  # fmt: skip
def test_lies_of_a_thousandth_are_refused(kind, name, claim):
    model = fitted(kind=kind)
    lie = altered(model, **{name: np.asarray(getattr(model, name)) * 1.001})
    assert claim in failing(certify(lie, X))


def test_a_prior_that_was_not_asked_for_is_refused():
    model = fitted(covariance_prior=np.eye(3), mean_prior=[0.0, 0.0, 0.0])
    assert certify(model, X).holds
    assert "priors" in failing(certify(altered(model, covariance_prior=None), X))
    assert "priors" in failing(certify(altered(model, mean_prior=None), X))


def test_special_functions_agree_with_scipys():
    x = np.geomspace(1e-3, 1e6, 400)
    np.testing.assert_allclose(digamma(x), scipy_digamma(x), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(log_gamma(x), gammaln(x), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kind", ["full", "tied"])
def test_repeated_columns_are_decided(kind):
    rows = np.hstack([X, X[:, :2]])
    c = certify(fitted(kind=kind, rows=rows), rows)
    assert c.holds, str(c)


def test_no_tol_excuses_a_stopped_fit():
    early = fitted(max_iter=2, init_params="random", tol=0.0)
    assert "stationary" in failing(certify(altered(early, tol=1e9, converged_=True), X))


def test_what_is_not_checked_is_said():
    model = fitted(sklearn.mixture.BayesianGaussianMixture, kind="diag")
    c = certify(model, X)
    assert c.grade == "UNPROVED" and "means" in c["rounds"].sentence and "answers" in c["rounds"].sentence


def test_more_columns_than_rows_are_decided():
    r = np.random.default_rng(0)
    rows = 3 * r.normal(size=(2, 300))[np.arange(150) % 2] + r.normal(size=(150, 300))
    c = certify(fitted(kind="diag", rows=rows), rows)
    assert c.holds, str(c)
