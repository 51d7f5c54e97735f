"""Risks of estimators by simulation, against what is known of them exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bernoulli, norm

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.stats import estimator_risk, maximal_risk


def test_risk_of_the_mean_of_coin_flips():
    """S5's example: the mean has the risk p(1 − p)/n, the first value alone p(1 − p), and 1/2 the risk (p − 1/2)²."""
    p, n = 0.3, 20
    known = {"mean": p * (1 - p) / n, "first": p * (1 - p), "half": (p - 0.5) ** 2}
    estimators = {"mean": np.mean, "first": lambda x: x[0], "half": lambda x: 0.5}
    for name, estimator in estimators.items():
        low, high = estimator_risk(estimator, bernoulli(p), p, n=n, random_state=1).risk_interval(0.9999)
        assert low - 1e-12 <= known[name] <= high + 1e-12


def test_bias_and_variance_add_up():
    found = estimator_risk(np.var, norm(0, 2), 4.0, n=5, repeats=4000, vectorized=True)
    assert found.quadratic_risk == pytest.approx(float(found.bias @ found.bias) + found.variance)
    low, high = found.bias_interval(0.9999)
    assert low[0] <= -4 / 5 <= high[0]


def test_intervals_cover_as_often_as_they_say():
    hits = 0
    for seed in range(200):
        low, high = estimator_risk(
            np.mean, norm, 0.0, n=4, repeats=100, vectorized=True, random_state=seed
        ).risk_interval()
        hits += low <= 0.25 <= high
    assert 176 <= hits <= 199


def test_vector_estimators_and_samplers_of_rows():
    found = estimator_risk(
        lambda rows: rows.mean(axis=0), lambda n, rng: rng.normal(size=(n, 3)), np.zeros(3), n=10, repeats=500
    )
    low, high = found.risk_interval(0.9999)
    assert found.bias.shape == (3,) and low <= 0.3 <= high


def test_the_same_seed_gives_the_same_numbers_and_vectorizing_changes_nothing():
    options = {"n": 7, "repeats": 50}
    a = estimator_risk(np.median, norm(1, 2), 1.0, **options, random_state=3)
    b = estimator_risk(np.median, norm(1, 2), 1.0, **options, random_state=3, vectorized=True)
    assert a.quadratic_risk == b.quadratic_risk and (a.bias == b.bias).all()
    assert a.quadratic_risk != estimator_risk(np.median, norm(1, 2), 1.0, **options, random_state=4).quadratic_risk


def test_the_mean_is_not_minimax_for_coin_flips():
    """(Σx + √n/2)/(n + √n) has the same risk 1/(4(1 + √n)²) everywhere, less than the mean's largest, 1/(4n)."""
    n, places = 16, np.linspace(0.05, 0.95, 7)
    mean = maximal_risk(np.mean, bernoulli, places, n=n, vectorized=True)
    steady = maximal_risk(
        lambda x, axis: (x.sum(axis=axis) + 2) / (n + 4), bernoulli, places, n=n, repeats=4000, vectorized=True
    )
    assert mean.parameter == pytest.approx(0.5) and mean.interval(0.9999)[0] <= 1 / (4 * n) <= mean.interval(0.9999)[1]
    z = np.abs(steady.risks - 1 / (4 * 5**2)) / steady.errors
    assert z.max() < 4.5 and steady.interval()[1] < mean.interval()[0]


def test_bad_input_is_refused_in_words():
    with pytest.raises(InvalidParameter, match="n must be a whole number ≥ 1"):
        estimator_risk(np.mean, norm, 0.0, n=0)
    with pytest.raises(InvalidParameter, match="rvs"):
        estimator_risk(np.mean, 3, 0.0, n=5)
    with pytest.raises(InvalidData, match="the target has 2"):
        estimator_risk(np.mean, norm, [0.0, 1.0], n=5, repeats=5)
    with pytest.raises(InvalidData, match="gave nan"):
        estimator_risk(lambda x: np.nan, norm, 0.0, n=5, repeats=5)
    with pytest.raises(InvalidParameter, match="at least one parameter"):
        maximal_risk(np.mean, bernoulli, [], n=5)
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        estimator_risk(np.mean, norm, 0.0, n=5, repeats=5).risk_interval(2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: estimator_risk(np.mean, norm(), 0.0, n=1.5), "n must be a whole number"),
        (lambda: estimator_risk(np.mean, norm(), 0.0, n=5, repeats="many"), "repeats must be a whole number"),
        (lambda: estimator_risk(3, norm(), 0.0, n=5), "function of a sample"),
        (lambda: estimator_risk(lambda x: "a", norm(), 0.0, n=5), "must be numbers"),
        (lambda: estimator_risk(np.mean, norm(), "zero", n=5), "target must be numbers"),
        (lambda: estimator_risk(lambda x: x[x > 0], norm(), 0.0, n=5), "equally many"),
        (lambda: estimator_risk(lambda x, axis: 0.0, norm(), 0.0, n=5, vectorized=True), "rows; got the shape"),
        (lambda: maximal_risk(np.mean, 3, [0.5], n=5), "gives a distribution"),
    ],
)
def test_what_is_no_estimator_is_refused(call, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        call()
