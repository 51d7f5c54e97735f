"""DeLong's variance against exact fractions by definition; intervals by simulation and at their ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning

from surefit.metrics import delong_test, roc_auc_interval, roc_auc_score
from tests.reference import roc as reference

RNG = np.random.default_rng(3)
N = 45
Y = RNG.integers(0, 2, N)
A = RNG.normal(size=N) + Y
B = A + RNG.normal(size=N)


@pytest.mark.parametrize("decimals", [8, 0], ids=["distinct", "ties"])
def test_the_standard_error_is_that_of_the_definition(decimals):
    score = A.round(decimals)
    found = roc_auc_interval(Y, score)
    assert found.auc == pytest.approx(float(reference.area(Y == 1, score)), rel=1e-15)
    assert found.standard_error == pytest.approx(math.sqrt(reference.covariance(Y == 1, score, score)), rel=1e-12)
    plain = roc_auc_interval(Y, score, method="plain", level=0.9)
    half = norm.isf(0.05) * found.standard_error
    assert (plain.low, plain.high) == pytest.approx((found.auc - half, min(1.0, found.auc + half)), rel=1e-12)


def test_the_logit_interval_is_symmetric_in_log_odds():
    i = roc_auc_interval(Y, A)
    low, middle, high = (math.log(p / (1 - p)) for p in (i.low, i.auc, i.high))
    assert high - middle == pytest.approx(middle - low)
    assert high - middle == pytest.approx(norm.isf(0.025) * i.standard_error / (i.auc * (1 - i.auc)))


@pytest.mark.parametrize("decimals", [8, 0], ids=["distinct", "ties"])
def test_the_paired_test_is_that_of_the_definition(decimals):
    a, b = A.round(decimals), B.round(decimals)
    p = Y == 1
    variance = reference.covariance(p, a, a) + reference.covariance(p, b, b) - 2 * reference.covariance(p, a, b)
    difference = float(reference.area(p, a) - reference.area(p, b))
    found = delong_test(Y, a, b)
    assert found.difference == pytest.approx(difference, abs=1e-15)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert found.statistic == pytest.approx(difference / math.sqrt(variance), rel=1e-12)
    assert found.pvalue == pytest.approx(2 * norm.sf(abs(found.statistic)), rel=1e-12)
    assert (found.low, found.high) == pytest.approx(
        (difference - norm.isf(0.025) * found.standard_error, difference + norm.isf(0.025) * found.standard_error)
    )


def test_the_alternatives_and_the_order():
    two, greater = delong_test(Y, A, B), delong_test(Y, A, B, alternative="greater")
    assert greater.pvalue == pytest.approx(norm.sf(two.statistic))
    assert delong_test(Y, A, B, alternative="less").pvalue == pytest.approx(1 - greater.pvalue)
    assert delong_test(Y, B, A).statistic == pytest.approx(-two.statistic)


def test_equal_rankings_have_no_difference():
    found = delong_test(Y, A, np.exp(A))
    assert (found.difference, found.standard_error, found.pvalue) == (0.0, 0.0, 1.0)


def test_a_difference_without_variance_is_not_called_sure():
    with pytest.warns(UndefinedMetricWarning, match="no variance"):
        assert np.isnan(delong_test([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1]).pvalue)


def test_a_weight_of_two_is_a_row_repeated():
    counts = RNG.integers(0, 4, N)
    y, a, b = (np.repeat(v, counts) for v in (Y, A, B))
    for method in ("logit", "plain", "newcombe"):
        one, two = roc_auc_interval(Y, A, sample_weight=counts, method=method), roc_auc_interval(y, a, method=method)
        assert (one.low, one.high, one.auc) == pytest.approx((two.low, two.high, two.auc), rel=1e-12)
    assert delong_test(Y, A, B, sample_weight=counts).pvalue == pytest.approx(delong_test(y, a, b).pvalue, rel=1e-10)


@pytest.mark.parametrize(
    ("y", "score"),
    [
        (np.repeat([0, 1], 10), np.arange(20.0)),
        (np.repeat([0, 1], 10), -np.arange(20.0)),
        (np.repeat([0, 1], 10), np.zeros(20)),
        (np.array([0, 1]), np.array([0.0, 1.0])),
        (np.repeat([0, 1], [30, 1]), np.r_[np.arange(30.0), 20.5]),
    ],
    ids=["all", "none", "equal", "two rows", "one positive"],
)
@pytest.mark.parametrize("method", ["logit", "plain", "newcombe"])
def test_the_interval_is_never_a_point_and_stays_in_range(y, score, method):
    i = roc_auc_interval(y, score, method=method)
    assert i.method == "newcombe"
    assert 0 <= i.low < i.high <= 1
    assert i.low <= i.auc <= i.high
    assert i.auc == roc_auc_score(y, score)


def test_newcombe_solves_its_equation():
    """Newcombe (2006), method 5: |A − θ| = z √V(θ) at both ends, with the classes' mean size in V."""
    i = roc_auc_interval(Y, A, method="newcombe")
    n, m = (Y == 1).sum(), (Y == 0).sum()
    mean, z = (n + m) / 2, norm.isf(0.025)
    for theta in (i.low, i.high):
        V = theta * (1 - theta) / (n * m) * (2 * mean - 1 - (3 * mean - 3) / ((2 - theta) * (1 + theta)))
        assert abs(i.auc - theta) == pytest.approx(z * math.sqrt(V), rel=1e-9)
    perfect = roc_auc_interval([0] * 8 + [1] * 8, range(16))
    theta = perfect.low
    V = theta * (1 - theta) / 64 * (15 - 21 / ((2 - theta) * (1 + theta)))
    assert 1 - theta == pytest.approx(z * math.sqrt(V), rel=1e-9)


@pytest.mark.parametrize("method", ["logit", "plain", "newcombe"])
@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_coverage_in_simulation(method, shift):
    """Normal scores a shift apart have the area Φ(shift/√2); 400 samples: 95 % ± 4 standard errors (4.4 %)."""
    rng = np.random.default_rng(7)
    y, truth, covered = np.repeat([0, 1], [60, 40]), norm.cdf(shift / math.sqrt(2)), 0
    for _ in range(400):
        i = roc_auc_interval(y, rng.normal(size=100) + shift * y, method=method)
        covered += i.low <= truth <= i.high
    assert 0.906 <= covered / 400 <= 0.994


def test_the_size_of_the_test_in_simulation():
    """Two scores with the same area and a common part: 400 samples, 5 % ± 4 standard errors."""
    rng = np.random.default_rng(8)
    y, rejected = np.repeat([0, 1], 60), 0
    for _ in range(400):
        common = rng.normal(size=120) + 1.5 * y
        a, b = common + rng.normal(size=120), common + rng.normal(size=120)
        rejected += delong_test(y, a, b).pvalue < 0.05
    assert rejected / 400 <= 0.094


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: roc_auc_interval(Y, A, level=1.0), "level"),
        (lambda: roc_auc_interval(Y, A, method="wald"), "method"),
        (lambda: roc_auc_interval(np.ones(5), np.arange(5)), "both classes"),
        (lambda: roc_auc_interval(Y, A, sample_weight=-np.ones(N)), "negative"),
        (lambda: roc_auc_interval(Y, A, sample_weight=np.full(N, 1e-9)), "at least one"),
        (lambda: roc_auc_interval(Y, A, level="high"), "between 0 and 1"),
        (lambda: delong_test(Y, A, B, alternative="other"), "alternative"),
        (lambda: delong_test([0, 1], [0, 1], [1, 0]), "two rows"),
        (lambda: delong_test(Y, A, B[:-1]), "inconsistent"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
