"""The method of moments: the fitted distribution has the moments of the sample; known solutions; bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.stats import method_of_moments

RNG = np.random.default_rng(0)
SAMPLES = {
    "norm": stats.norm(3, 2), "laplace": stats.laplace(-1, 2), "logistic": stats.logistic(4, 0.5),
    "gumbel_r": stats.gumbel_r(1, 2), "gumbel_l": stats.gumbel_l(1, 2), "uniform": stats.uniform(-1, 3),
    "gamma": stats.gamma(2.5, scale=3), "lognorm": stats.lognorm(0.6, scale=2), "pareto": stats.pareto(5, scale=2),
    "beta": stats.beta(2, 5), "nbinom": stats.nbinom(4, 0.4), "weibull_min": stats.weibull_min(1.7, scale=2),
    "invgamma": stats.invgamma(6, scale=3), "skellam": stats.skellam(3, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_mean_and_variance_of_the_fit_are_those_of_the_sample(name):
    x = SAMPLES[name].rvs(300, random_state=np.random.default_rng(1))
    fit = method_of_moments(name, x)
    mean, variance = fit.frozen().stats("mv")
    assert mean == pytest.approx(x.mean(), rel=1e-6)
    assert variance == pytest.approx(x.var(), rel=1e-6)
    assert fit.closed_form == (name not in ("weibull_min", "invgamma", "skellam"))


@pytest.mark.parametrize("name", ["expon", "rayleigh", "poisson", "geom", "bernoulli", "halfnorm"])
def test_one_parameter_takes_the_mean(name):
    source = {"geom": stats.geom(0.3), "bernoulli": stats.bernoulli(0.3), "poisson": stats.poisson(3)}
    x = source.get(name, stats.expon(scale=2)).rvs(200, random_state=np.random.default_rng(2))
    assert method_of_moments(name, x).frozen().mean() == pytest.approx(x.mean(), rel=1e-7)


def test_three_parameters_of_a_symmetric_family_take_the_kurtosis():
    x = stats.t(6, 1, 2).rvs(2000, random_state=np.random.default_rng(3))
    fit = method_of_moments("t", x)
    kurtosis = stats.kurtosis(x)
    assert fit.parameters["df"] == pytest.approx(4 + 6 / kurtosis, rel=1e-6)
    assert fit.moments == pytest.approx({"mean": x.mean(), "variance": x.var(), "kurtosis": kurtosis})


def test_three_moments_of_a_skewed_family():
    x = stats.skewnorm(4, 1, 2).rvs(500, random_state=np.random.default_rng(4))
    found = method_of_moments("skewnorm", x).frozen().stats("mvs")
    assert np.allclose(np.array(found, dtype=float), [x.mean(), x.var(), stats.skew(x)], rtol=1e-6)


def test_binomial_with_its_number_of_trials_given():
    assert method_of_moments("binom", [3, 5, 4], fixed={"n": 10}).parameters == {"n": 10, "p": 0.4, "loc": 0}


@pytest.mark.parametrize(
    ("distribution", "x", "fixed", "error", "words"),
    [
        ("gama", [1.0, 2.0], None, InvalidParameter, "did you mean"),
        (stats.norm(0, 1), [1.0, 2.0], None, InvalidParameter, "give the family, 'norm'"),
        (3, [1.0, 2.0], None, InvalidParameter, "name of scipy.stats"),
        ("norm", [1.0, 2.0], {"sigma": 1}, InvalidParameter, "no parameter 'sigma'"),
        ("norm", [1.0, 2.0], {"loc": 0, "scale": 1}, InvalidParameter, "nothing is left"),
        ("binom", [1, 2], None, InvalidParameter, "whole numbers"),
        ("norm", [2.0, 2.0], None, InvalidData, "variance is zero"),
        ("norm", [1.0, np.nan], None, InvalidData, "nan"),
        ("norm", ["a", "b"], None, InvalidData, "column of numbers"),
        ("norm", [], None, InvalidData, "at least one"),
        ("poisson", [1.5, 2.0], None, InvalidData, "whole numbers"),
        ("beta", [-3.0, 4.0, 9.0], None, InvalidData, "no beta distribution"),
        ("nbinom", [3, 3, 4, 3], None, InvalidData, "no nbinom distribution"),
        ("cauchy", [1.0, 2.0, 4.0], None, InvalidData, "no cauchy distribution"),
    ],
)
def test_bad_input_is_refused_in_words(distribution, x, fixed, error, words):
    with pytest.raises(error, match=words):
        method_of_moments(distribution, x, fixed=fixed)
