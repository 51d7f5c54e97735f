"""The checker of Gaussian mixtures says yes to stationary fits of both libraries, and no to every lie about them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.mixture
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from surefit.mixture import GaussianMixture
from tests.certificates.bench import altered, certify, changed, failing
from tests.certificates.test_totality import wicked

rng = np.random.default_rng(5)
X = np.concatenate([rng.normal(size=(60, 3)), rng.normal(size=(40, 3)) * [0.5, 1.0, 2.0] + 4.0])
W = rng.integers(0, 4, len(X)).astype(float)
KINDS = ("full", "tied", "diag", "spherical")


def fitted(cls: Any = GaussianMixture, kind: str = "full", w: Any = None, **settings: Any) -> Any:
    settings = {"tol": 1e-9, "max_iter": 1000, **settings}
    model = cls(2, covariance_type=kind, random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X) if w is None else model.fit(X, sample_weight=w)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", [GaussianMixture, sklearn.mixture.GaussianMixture])
def test_stationary_fits_hold(cls, kind):
    c = certify(fitted(cls, kind), X)
    assert c.holds, str(c)


def test_weights_hold_and_matter():
    model = fitted(w=W)
    assert certify(model, X, w=W).holds
    assert not certify(model, X).holds


def test_the_likelihood_is_that_of_scipy():
    model = fitted(reg_covar=0.0)
    parts = [
        np.log(p) + multivariate_normal(m, S).logpdf(X)
        for p, m, S in zip(model.weights_, model.means_, model.covariances_, strict=True)
    ]
    claim = next(c for c in certify(model, X) if c.name == "lower_bound")
    np.testing.assert_allclose(claim.detail["recomputed"], logsumexp(parts, axis=0).mean(), rtol=1e-12)


def test_a_stopped_fit_is_refused():
    assert failing(certify(fitted(max_iter=3, init_params="random"), X)) == {"stationary"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_"]
)
def test_a_change_is_refused(kind, name):
    model = fitted(kind=kind)
    value = np.asarray(getattr(model, name), dtype=float)
    lie = changed(value, (0,) * value.ndim, 1e-2)
    assert not certify(altered(model, **{name: lie if value.ndim else float(lie)}), X).holds


@pytest.mark.parametrize(
    "lie",
    [
        {"converged_": False},
        {"collapsed_": np.array([True, False])},
        {"lower_bounds_": [0.0]},
        {"n_components": 3},
        {"covariance_type": "tied"},
    ],
    ids=str,
)
def test_what_belongs_together_is_checked(lie):
    assert not certify(altered(fitted(), **lie), X).holds


def test_a_log_likelihood_that_fell_is_refused():
    model = fitted()
    history = list(model.lower_bounds_)
    history[1] = history[0] - 1.0
    assert "history" in failing(certify(altered(model, lower_bounds_=history), X))


@pytest.mark.parametrize("kind", KINDS)
def test_every_attribute_may_be_anything(kind):
    model = fitted(kind=kind)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_"):
        for lie in wicked(getattr(model, name)):
            assert not certify(altered(model, **{name: lie}), X).holds, (name, lie)


def test_parameters_may_be_anything():
    for name in ("n_components", "covariance_type", "tol", "reg_covar"):
        for lie in (None, np.nan, "text", [], {}, object(), -1, 1e308, [1.0, "a"]):
            assert len(certify(altered(fitted(), **{name: lie}), X)) > 0


@pytest.mark.parametrize("cls", [GaussianMixture, sklearn.mixture.GaussianMixture])
def test_tol_excuses_neither_a_fit_that_it_did_not_stop_nor_any_gain(cls):
    """Random shares are near a saddle, which a step leaves slowly: by less than four times tol here."""
    r = np.random.default_rng(5)
    overlapping = np.concatenate([r.normal(size=(200, 3)), r.normal(size=(200, 3)) + 1.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = cls(3, max_iter=1, init_params="random", tol=2e-4, random_state=0).fit(overlapping)
    assert not stopped.converged_
    c = certify(stopped, overlapping)
    assert failing(c) == {"stationary"} and c["stationary"].value < 4 * stopped.tol
    early = fitted(cls, max_iter=2, init_params="random", tol=0.0)
    assert "stationary" in failing(certify(altered(early, tol=1e6, converged_=True), X))


def test_scikit_learns_bound_of_the_step_before_is_printed_as_it_differs():
    model = fitted(sklearn.mixture.GaussianMixture, tol=1e-3, reg_covar=0.0)
    lie = altered(model, lower_bound_=model.lower_bound_ - 5e-4)
    mean = float(np.mean(model.score_samples(X)))
    claim = certify(lie, X)["lower_bound"]
    assert claim.value >= abs(mean - lie.lower_bound_) * (1 - 1e-9) >= 4e-4


def test_scikit_learns_fixed_point_holds_where_reg_covar_is_felt():
    """Its likelihood leaves reg_covar out, so its fixed point is not the maximum of one that has it."""
    model = fitted(sklearn.mixture.GaussianMixture, tol=1e-12, max_iter=5000, reg_covar=0.05)
    c = certify(model, X)
    assert c.holds and c["stationary"].value < 1e-6, str(c)
    assert "stationary" in failing(certify(altered(model, reg_covar=0.0), X))


@pytest.mark.parametrize("kind", ["diag", "spherical"])
def test_scikit_learns_products_of_rows_far_from_zero_are_excused(kind):
    far = np.hstack([X, np.full((len(X), 1), 3.7)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sklearn.mixture.GaussianMixture(2, covariance_type=kind, random_state=0).fit(far)
    c = certify(model, far)
    assert c.holds, str(c)
    lie = altered(model)
    lie.score_samples = lambda rows: model.score_samples(rows) + 1e-4
    assert "score_samples" in failing(certify(lie, far))


def test_covariances_stored_in_single_precision_hold():
    """A near-copy of a column: storing Σ to ε costs ¼ ‖UᵀΔU‖² of the likelihood."""
    twice = np.hstack([X, X[:, :1] + 2e-3 * rng.normal(size=(len(X), 1))]).astype(np.float32)
    model = GaussianMixture(2, tol=1e-9, max_iter=2000, random_state=0).fit(twice)
    c = certify(model, twice)
    assert c.holds, str(c)


def test_what_storing_means_far_from_zero_costs_is_excused():
    """Of rows in single precision a million from zero: a sixteenth is lost of every mean, and of every row."""
    far = (X + 1e6).astype(np.float32)
    c = certify(GaussianMixture(2, tol=1e-9, max_iter=2000, random_state=0).fit(far), far)
    assert c.holds and c.grade == "BOUNDED", str(c)
