"""Maximum likelihood against closed forms, against a search by another method, and what the certificate says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from surefit._core.errors import InvalidData
from surefit.stats import maximum_likelihood


def test_normal_has_the_mean_and_the_variance_with_1_over_n():
    x = stats.norm(3, 2).rvs(50, random_state=np.random.default_rng(0))
    fit = maximum_likelihood("norm", x)
    assert fit.parameters == pytest.approx({"loc": x.mean(), "scale": x.std()}, rel=1e-9)
    expected = {"loc": x.std() / 50**0.5, "scale": x.std() / 100**0.5}  # the inverse of Fisher's information
    assert fit.standard_errors == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "fixed", "answer"),
    [
        ("poisson", None, lambda x: {"mu": x.mean()}),
        ("geom", None, lambda x: {"p": 1 / x.mean()}),
        ("binom", {"n": 12}, lambda x: {"p": x.mean() / 12}),
        ("expon", None, lambda x: {"scale": x.mean()}),
        ("rayleigh", None, lambda x: {"scale": ((x.astype(float) ** 2).mean() / 2) ** 0.5}),
        ("uniform", None, lambda x: {"loc": x.min(), "scale": np.ptp(x)}),
        ("lognorm", None, lambda x: {"s": np.log(x).std(), "scale": np.exp(np.log(x).mean())}),
        ("pareto", None, lambda x: {"scale": x.min(), "b": 1 / np.log(x / x.min()).mean()}),
    ],
)
def test_closed_forms(name, fixed, answer):
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    fit = maximum_likelihood(name, x, fixed=fixed)
    for parameter, value in answer(x).items():
        assert fit.parameters[parameter] == pytest.approx(value, rel=1e-7)
    assert fit.certify(x).holds


@pytest.mark.parametrize("name", ["gamma", "weibull_min", "t", "nbinom", "beta"])
def test_no_better_parameters_are_found_by_a_search_of_another_kind(name):
    source = {"gamma": stats.gamma(2.5, scale=3), "weibull_min": stats.weibull_min(1.7, scale=2),
              "t": stats.t(5, 1, 2), "nbinom": stats.nbinom(4, 0.4), "beta": stats.beta(2, 5)}[name]  # fmt: skip
    x = source.rvs(200, random_state=np.random.default_rng(1))
    fit = maximum_likelihood(name, x)
    best = np.array([fit.parameters[free] for free in fit.free])
    options = {"xatol": 1e-8, "fatol": 1e-11, "maxiter": 2000}
    run = optimize.minimize(lambda v: -fit.log_density(x, v).sum(), best * 0.97, method="Nelder-Mead", options=options)
    assert -run.fun <= fit.log_likelihood + 1e-8
    assert np.allclose(run.x, best, rtol=1e-3)
    certificate = fit.certify(x)
    assert certificate.holds and certificate.grade == "STATIONARY"


def test_standard_errors_are_the_scatter_over_samples():
    rng = np.random.default_rng(2)
    fits = [maximum_likelihood("gamma", stats.gamma(3, scale=2).rvs(300, random_state=rng)) for _ in range(60)]
    scatter = np.std([fit.parameters["a"] for fit in fits])
    assert np.mean([fit.standard_errors["a"] for fit in fits]) == pytest.approx(scatter, rel=0.3)


@pytest.mark.parametrize("name", ["uniform", "laplace"])
def test_no_standard_errors_without_derivatives(name):
    fit = maximum_likelihood(name, [1.0, 2.5, 3.0, 7.0, 4.0])
    assert fit.standard_errors == {}


def test_values_that_are_impossible_are_refused():
    with pytest.raises(InvalidData, match="0 to 1"):
        maximum_likelihood("bernoulli", [0, 1, 2])
    with pytest.raises(InvalidData, match="beta"):
        maximum_likelihood("beta", [0.5, 1.5, 2.0])


@pytest.mark.parametrize("name", ["t", "gamma", "weibull_min", "norm", "gumbel_r"])
@pytest.mark.parametrize("unit", [1e-100, 1e-12, 1e12, 1e100])
def test_the_unit_of_measurement_does_not_matter(name, unit):
    x = stats.gamma(2.5, scale=3).rvs(200, random_state=np.random.default_rng(3))
    one, two = maximum_likelihood(name, x), maximum_likelihood(name, unit * x)
    for parameter in one.free:
        size = unit if parameter in ("loc", "scale") else 1.0
        assert two.parameters[parameter] == pytest.approx(size * one.parameters[parameter], rel=1e-5)
        assert two.standard_errors[parameter] == pytest.approx(size * one.standard_errors[parameter], rel=1e-4)


@pytest.mark.parametrize("offset", [1e6, -1e9, 1e12])
def test_neither_does_the_origin(offset):
    x = np.round(stats.t(5, 1, 2).rvs(200, random_state=np.random.default_rng(4)), 2)  # so that x + offset is close
    one, two = maximum_likelihood("t", x), maximum_likelihood("t", offset + x)
    assert two.parameters["loc"] - offset == pytest.approx(one.parameters["loc"], abs=1e-3)
    assert two.parameters["scale"] == pytest.approx(one.parameters["scale"], rel=1e-3)
    edges = maximum_likelihood("uniform", offset + x)
    assert edges.parameters["loc"] == pytest.approx((offset + x).min(), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "x", "words"),
    [
        ("t", np.ones(9), "all values of x are equal"),
        ("weibull_min", np.ones(9), "all values of x are equal"),
        ("norm", [1e200, 2e200], "other units"),
        ("norm", [1e-200, 2e-200], "other units"),
        ("norm", np.array([1j, 2.0]), "real numbers"),
    ],
)
def test_samples_that_say_nothing_are_refused(name, x, words):
    with pytest.raises(InvalidData, match=words):
        maximum_likelihood(name, x)
