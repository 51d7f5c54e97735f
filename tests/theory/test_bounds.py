"""The bounds are the formulas, hold in simulation, and sample sizes are the smallest that meet them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.theory import (
    FiniteFamily,
    HalfLines,
    HalfSpaces,
    clopper_pearson,
    expected_deviation_bound,
    finite_deviation_bound,
    risk_interval,
    sample_size,
    stochastic_error_bound,
    uniform_deviation_bound,
)


def test_formulas():
    """The three inequalities, written out."""
    n, S, t = 500, 501, math.log(20)
    first = 2 * math.sqrt(2 * math.log(2 * S) / n)
    assert expected_deviation_bound(HalfLines(), n) == pytest.approx(first, rel=1e-14)
    assert uniform_deviation_bound(HalfLines(), n) == pytest.approx(first + math.sqrt(t / (2 * n)), rel=1e-14)
    wanted = 4 * math.sqrt(2 * math.log(2 * S) / n) + math.sqrt(2 * t / n)
    assert stochastic_error_bound(HalfLines(), n) == pytest.approx(wanted, rel=1e-14)
    assert uniform_deviation_bound(np.int64(1), np.int64(n)) == uniform_deviation_bound(1, n)
    assert uniform_deviation_bound(1, n) == pytest.approx(first + math.sqrt(t / (2 * n)), rel=1e-14)
    assert finite_deviation_bound(7, n) == pytest.approx(math.sqrt(math.log(2 * 7 * 20) / (2 * n)), rel=1e-14)
    assert expected_deviation_bound(math.inf, 100) == pytest.approx(
        2 * math.sqrt(2 * 101 * math.log(2) / 100), rel=1e-14
    )


def deviations(n, repeats, rng):
    """sup over a of |F_n(a) − a| for uniform points, Kolmogorov's statistic: labels are all 'no', so R(h_a) = a."""
    X = np.sort(rng.random((repeats, n)), axis=1)
    steps = np.arange(n)
    return np.maximum((steps + 1) / n - X, X - steps / n).max(axis=1)


@pytest.mark.parametrize("n", [50, 400])
def test_uniform_deviation_holds_in_simulation(n):
    """2000 samples: failures are no more than a binomial of chance δ would have, at one in a million."""
    found = deviations(n, 2000, np.random.default_rng(n))
    assert found.mean() <= expected_deviation_bound(HalfLines(), n)
    for confidence in (0.5, 0.9, 0.99):
        failures = int((found > uniform_deviation_bound(HalfLines(), n, confidence=confidence)).sum())
        assert failures <= binom.isf(1e-6, 2000, 1 - confidence)


def test_finite_deviation_holds_and_is_nearly_reached():
    """Fair coins as classifiers, 64 of them: the bound holds, and at half its size it would not."""
    rng, n, M = np.random.default_rng(1), 200, 64
    found = np.abs(rng.binomial(n, 0.5, size=(4000, M)) / n - 0.5).max(axis=1)
    assert (found > finite_deviation_bound(M, n, confidence=0.9)).sum() <= binom.isf(1e-6, 4000, 0.1)
    assert (found > 0.5 * finite_deviation_bound(M, n, confidence=0.9)).sum() > binom.isf(1e-6, 4000, 0.1)


def test_stochastic_error_holds_in_simulation():
    """The half-line of least empirical risk; labels x ≤ ½, a tenth turned round: R(a) = 0.1 + 0.8 |a − ½|."""
    rng, n = np.random.default_rng(2), 200
    X = np.sort(rng.random((1000, n)), axis=1)
    turned = rng.random((1000, n)) < 0.1
    y = (X <= 0.5) ^ turned
    # 'yes up to the i-th point' is wrong for no among the first i, and yes among the rest
    none = np.zeros((1000, 1))
    wrong = np.hstack([none, np.cumsum(~y, axis=1)]) + np.hstack([none, np.cumsum(y, axis=1)])[:, [-1]]
    wrong = wrong - np.hstack([none, np.cumsum(y, axis=1)])
    best = wrong.argmin(axis=1)
    at = np.where(best > 0, X[np.arange(1000), np.maximum(best - 1, 0)], 0.0)
    excess = 0.8 * np.abs(at - 0.5)
    failures = int((excess > stochastic_error_bound(HalfLines(), n, confidence=0.5)).sum())
    assert failures <= binom.isf(1e-6, 1000, 0.5)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 100), (57, 60), (1, 1), (500, 1000)])
def test_clopper_pearson_is_scipys(k, n, confidence):
    wanted = binomtest(k, n).proportion_ci(confidence, method="exact")
    low, high = clopper_pearson(k, n, confidence)
    assert low == pytest.approx(wanted.low, rel=1e-10, abs=1e-15)
    assert high == pytest.approx(wanted.high, rel=1e-10)


@pytest.mark.parametrize("p", [0.02, 0.3])
@pytest.mark.parametrize("method", ["clopper-pearson", "hoeffding", "empirical-bernstein"])
def test_intervals_cover(method, p):
    """Coverage is a sum of binomial chances: no simulation is needed."""
    n, covered = 60, 0.0
    for k in range(n + 1):
        losses = np.r_[np.ones(k), np.zeros(n - k)]
        found = risk_interval(losses, method=method, confidence=0.9)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        covered += binom.pmf(k, n, p) * (found.low <= p <= found.high)
    assert covered >= 0.9


def test_bernstein_is_the_formula_and_narrow_for_small_variance():
    losses = np.tile([0.1, 0.1, 0.1, 0.2], 500)
    t, V = math.log(4 / 0.05), losses.var(ddof=1)
    half = math.sqrt(2 * V * t / 2000) + 7 * t / (3 * 1999)
    found = risk_interval(losses, method="empirical-bernstein")
    assert found.high == pytest.approx(losses.mean() + half, rel=1e-12)
    assert found.high - found.low < risk_interval(losses, method="hoeffding").high - losses.mean()


def test_other_ranges_scale():
    losses = np.array([-1.0, 1.0, 0.5, 0.0])
    one = risk_interval(losses, method="hoeffding", bounds=(-1, 1), confidence=0.3)
    two = risk_interval((losses + 1) / 2, method="hoeffding", confidence=0.3)
    assert (one.low + 1) / 2 == pytest.approx(two.low) and (one.high + 1) / 2 == pytest.approx(two.high)


def test_sample_sizes():
    assert sample_size(0.02) == math.ceil(math.log(2 / 0.05) / (2 * 0.02**2))
    for goal, bound in (("deviation", uniform_deviation_bound), ("stochastic_error", stochastic_error_bound)):
        n = sample_size(0.15, dictionary=HalfSpaces(3), goal=goal, confidence=0.9)
        assert bound(HalfSpaces(3), n, confidence=0.9) <= 0.15 < bound(HalfSpaces(3), n - 1, confidence=0.9)
    assert sample_size(0.1, dictionary=FiniteFamily([len] * 8, 1)) < sample_size(0.1, dictionary=HalfLines())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sample_size(0), "between 0 and 1"),
        (lambda: sample_size(0.1, confidence=1), "between 0 and 1"),
        (lambda: sample_size(0.1, dictionary=math.inf), "infinite"),
        (lambda: sample_size(0.1, goal="x"), "deviation"),
        (lambda: sample_size(1e-9), "would be needed"),
        (lambda: uniform_deviation_bound("half-spaces", 10), "Dictionary or a VC dimension"),
        (lambda: uniform_deviation_bound(3, 0), "whole number ≥ 1"),
        (lambda: risk_interval([]), "at least one row"),
        (lambda: risk_interval([0.5]), "0 or 1"),
        (lambda: risk_interval([2.0]), "from 0 to 1"),
        (lambda: risk_interval([np.nan]), "from 0 to 1"),
        (lambda: risk_interval([1.0], method="empirical-bernstein"), "two rows"),
        (lambda: risk_interval([1.0], method="wald"), "clopper-pearson"),
        (lambda: risk_interval([1.0], bounds=(1, 0)), "smaller first"),
        (lambda: clopper_pearson(3, 2), "from 0 to n"),
        (lambda: clopper_pearson(2.5, 10), "whole number"),
        (lambda: risk_interval(["a"]), "losses must be numbers"),
        (lambda: risk_interval([1.0], bounds="ab"), "bounds must be numbers"),
        (lambda: risk_interval([1.0], bounds=(0, 1, 2)), "two finite numbers"),
        (lambda: risk_interval([1.0], confidence="sure"), "between 0 and 1"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        call()
