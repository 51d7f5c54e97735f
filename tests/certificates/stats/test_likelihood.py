"""The checker of maximum likelihood says no to what is not the maximum, and never crashes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import surefit
from surefit.certificates import CertificateError
from surefit.stats import maximum_likelihood

X = stats.gamma(2.5, scale=3).rvs(300, random_state=np.random.default_rng(0))
FIT = maximum_likelihood("gamma", X)


def moved(fit, x, **changes):
    """The same fit with other parameters, and the log-likelihood that belongs to them."""
    parameters = fit.parameters | {name: fit.parameters[name] + change for name, change in changes.items()}
    values = [parameters[name] for name in fit.free]
    return replace(fit, parameters=parameters, log_likelihood=float(fit.log_density(x, values).sum()))


def test_the_maximum_is_accepted():
    certificate = surefit.certify(FIT, X)
    assert certificate.holds and certificate.grade == "STATIONARY"
    assert certificate["stationary"].value < 1e-8


@pytest.mark.parametrize("name", ["a", "scale"])
@pytest.mark.parametrize("share", [-1.0, -0.1, -0.01, 0.01, 0.1, 1.0])
def test_parameters_off_by_a_hundredth_of_a_standard_error_are_refused(name, share):
    wrong = moved(FIT, X, **{name: share * FIT.standard_errors[name]})
    certificate = surefit.certify(wrong, X)
    lost = FIT.log_likelihood - wrong.log_likelihood
    (no,) = certificate.failures
    assert (
        no.name in ("stationary", "edge") and no.value >= 0.5 * lost
    )  # the gain printed is of the size of what is lost


def test_a_minimum_between_two_maxima_is_refused():
    """Cauchy's likelihood of two distant values has a minimum in the middle, where the score is zero."""
    x = np.array([-10.0, 10.0])
    fit = maximum_likelihood("cauchy", x, fixed={"scale": 1.0})
    assert abs(fit.parameters["loc"]) == pytest.approx(99**0.5)  # x² = 100 − 1
    assert fit.certify(x).holds
    middle = moved(fit, x, loc=-fit.parameters["loc"])
    certificate = middle.certify(x)
    assert not certificate["maximum"].holds
    assert "bends upward" in certificate["maximum"].sentence


def test_a_saddle_or_an_edge_that_is_none_is_refused():
    x = np.array([1.0, 2.0, 3.0, 7.0])
    fit = maximum_likelihood("uniform", x)
    assert fit.certify(x).grade == "GREEDY"
    assert not moved(fit, x, scale=0.01).certify(x).holds
    assert not moved(fit, x, loc=-0.01, scale=0.01).certify(x).holds


@pytest.mark.parametrize("size", [1e-8, 1e-7, 1e-6])
def test_an_edge_that_is_a_little_off_is_refused(size):
    """The likelihood of a width w is −n log w: a width too large by a share s costs n log(1 + s)."""
    x = np.random.default_rng(0).uniform(size=2000)
    fit = maximum_likelihood("uniform", x)
    off = moved(fit, x, scale=size * fit.parameters["scale"])
    assert off.certify(x)["edge"].value >= 0.1 * 2000 * np.log1p(size)
    assert not off.certify(x).holds


def test_a_false_likelihood_and_other_data_are_refused():
    assert not replace(FIT, log_likelihood=FIT.log_likelihood + 1e-3).certify(X)["log_likelihood"].holds
    assert not FIT.certify(X[:200]).holds
    assert not FIT.certify(-X).holds  # impossible values


@pytest.mark.parametrize("bad", [np.zeros((3, 2)), np.array(["a"]), np.array([np.nan, 1.0]), np.zeros(0)])
def test_data_that_are_no_sample_give_a_no(bad):
    assert not FIT.certify(bad).holds


def test_broken_fits_give_a_no():
    assert not replace(FIT, parameters={"a": np.nan, "loc": 0.0, "scale": 1.0}).certify(X).holds
    assert not replace(FIT, log_likelihood="high").certify(X).holds
    with pytest.raises(CertificateError):
        replace(FIT, parameters=None).certify(X)
