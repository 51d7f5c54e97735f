"""Corrected resampled t intervals against numbers worked out by hand and SciPy's t distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.model_selection import corrected_difference, corrected_interval, holm


def test_an_interval_worked_out_by_hand():
    # mean 0.5, s² = 0.01, (1/3 + 1/2) s² = 1/120, t(2; 0.975) = 4.302653
    interval = corrected_interval([0.4, 0.5, 0.6], 1 / 2)
    assert interval.mean == pytest.approx(0.5)
    assert interval.half == pytest.approx(4.302653 * np.sqrt(1 / 120), rel=1e-6)
    assert (interval.low, interval.high) == pytest.approx((0.5 - interval.half, 0.5 + interval.half))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_the_level_is_that_of_students_t(level):
    scores = np.random.default_rng(0).normal(size=25)
    expected = stats.t.ppf(0.5 + level / 2, 24) * np.sqrt((1 / 25 + 1 / 4) * scores.var(ddof=1))
    assert corrected_interval(scores, 1 / 4, level).half == pytest.approx(expected, rel=1e-12)


def test_the_correction_widens_the_plain_interval_by_its_factor():
    scores = np.random.default_rng(1).normal(size=10)
    plain = stats.t.interval(0.95, 9, scores.mean(), stats.sem(scores))
    half = (plain[1] - plain[0]) / 2
    assert corrected_interval(scores, 1 / 9).half == pytest.approx(half * np.sqrt((1 / 10 + 1 / 9) / (1 / 10)))


def test_a_difference_is_the_paired_t_test_with_a_smaller_statistic():
    rng = np.random.default_rng(2)
    a, b, ratio = rng.normal(0.3, 1, 15), rng.normal(0, 1, 15), 1 / 4
    statistic = stats.ttest_rel(a, b).statistic / np.sqrt((1 / 15 + ratio) * 15)
    difference = corrected_difference(a, b, ratio)
    assert difference.mean == pytest.approx((a - b).mean())
    assert difference.p == pytest.approx(2 * stats.t.sf(abs(statistic), 14), rel=1e-10)


def test_equal_scores_are_no_difference_and_a_constant_lead_is_certain():
    scores = np.array([0.25, 0.5, 0.75])  # exact in binary, so that the lead is constant to the bit
    assert corrected_difference(scores, scores, 0.5).p == 1.0
    assert corrected_difference(scores + 0.125, scores, 0.5).p == 0.0


def test_one_score_has_no_interval():
    assert np.isnan(corrected_interval([0.4], 0.5).half)
    assert np.isnan(corrected_difference([0.4], [0.2], 0.5).p)


def test_holm_by_hand():
    # sorted: 4 · 0.005, 3 · 0.01, 2 · 0.03, and 1 · 0.04 raised to the one before it
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: corrected_interval([], 0.5), InvalidData, "not empty"),
        (lambda: corrected_interval([[1.0]], 0.5), InvalidData, "one-dimensional"),
        (lambda: corrected_interval([1.0, 2.0], 0.0), InvalidParameter, "test_train_ratio"),
        (lambda: corrected_interval([1.0, 2.0], 0.5, 1.0), InvalidParameter, "level"),
        (lambda: corrected_difference([1.0, 2.0], [1.0], 0.5), InvalidData, "same folds"),
    ],
)
def test_bad_arguments_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
