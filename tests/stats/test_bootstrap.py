"""Bootstrap intervals: SciPy's numbers, coverage, rows resampled whole, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.random import random_stream
from surefit.stats import bootstrap_interval, normal_interval
from surefit.stats.bootstrap import SEED


@pytest.mark.parametrize("method", ["BCa", "percentile", "basic"])
def test_scipys_interval(method):
    x = np.random.default_rng(0).exponential(size=60)
    ours = bootstrap_interval(x, np.median, method=method, n_resamples=500, random_state=5)
    theirs = stats.bootstrap((x,), np.median, method=method, n_resamples=500, **{SEED: random_stream(5)})
    assert (ours.low, ours.high) == tuple(theirs.confidence_interval)
    assert ours.estimate == np.median(x) and ours.standard_error == theirs.standard_error


def test_the_percentile_interval_of_a_mean_by_hand():
    """Two values: the resampled mean is 0, 1/2, 1 with chances 1/4, 1/2, 1/4."""
    found = bootstrap_interval([0.0, 1.0], np.mean, level=0.4, method="percentile", n_resamples=2000)
    assert (found.low, found.high) == (0.5, 0.5)
    found = bootstrap_interval([0.0, 1.0], np.mean, level=0.8, method="percentile", n_resamples=2000)
    assert (found.low, found.high) == (0.0, 1.0)
    assert found.standard_error == pytest.approx(8**-0.5, rel=0.1)


def test_coverage_of_the_mean():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(100):
        found = bootstrap_interval(rng.normal(size=40), np.mean, n_resamples=300, random_state=rng)
        hits += found.low <= 0 <= found.high
    assert 86 <= hits <= 99


def test_rows_and_pairs_are_resampled_whole():
    rng = np.random.default_rng(2)
    x = rng.normal(size=80)
    y = x + 0.01 * rng.normal(size=80)
    pairs = bootstrap_interval((x, y), lambda a, b: np.corrcoef(a, b)[0, 1], n_resamples=200)
    rows = bootstrap_interval(np.column_stack([x, y]), lambda r: np.corrcoef(r.T)[0, 1], n_resamples=200)
    assert 0.999 < pairs.low <= pairs.high <= 1
    assert (pairs.low, pairs.high) == pytest.approx((rows.low, rows.high), abs=1e-12)


def test_normal_interval_is_the_textbooks():
    x = np.array([2.0, 4.0, 4.0, 5.0, 7.0])
    low, high = normal_interval(x, 0.9)
    assert low == pytest.approx(x.mean() - 1.6448536269514722 * x.std(ddof=1) / 5**0.5)
    assert high + low == pytest.approx(2 * x.mean())


def test_bad_input_is_refused_in_words():
    with pytest.raises(InvalidParameter, match="one of BCa"):
        bootstrap_interval([1.0, 2.0], np.mean, method="student")
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        bootstrap_interval([1.0, 2.0], np.mean, level=95)
    with pytest.raises(InvalidParameter, match="n_resamples must be a whole number ≥ 1"):
        bootstrap_interval([1.0, 2.0], np.mean, n_resamples=0)
    with pytest.raises(InvalidData, match="two rows"):
        bootstrap_interval([1.0], np.mean)
    with pytest.raises(InvalidData, match="two rows"):
        bootstrap_interval(([1.0, 2.0], [1.0, 2.0, 3.0]), lambda a, b: 0.0)
    with pytest.raises(InvalidData, match="does not vary"):
        bootstrap_interval([2.0, 2.0, 2.0], np.mean)
    with pytest.raises(InvalidData, match="two values"):
        normal_interval([1.0])


@pytest.mark.parametrize(
    ("statistic", "options", "words"),
    [
        (None, {}, "function of the sample"),
        (lambda x: x[:2], {}, "one number"),
        (lambda x: "a", {}, "must be numbers"),
        (np.mean, {"n_resamples": 1.5}, "whole number"),
        (np.mean, {"level": "high"}, "between 0 and 1"),
    ],
)
def test_what_is_no_statistic_is_refused(statistic, options, words):
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        bootstrap_interval(np.arange(9.0), statistic, **options)
