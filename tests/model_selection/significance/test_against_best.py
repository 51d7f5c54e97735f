"""Tests of all pairs, the Bayesian test and pairing, against SciPy and by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.linear_model import LinearRegression, Ridge
from surefit.model_selection import compare
from surefit.model_selection.significance.against_best import against_best, pairwise_holm
from surefit.model_selection.significance.bayesian import correlated_t_posterior, equivalence
from surefit.model_selection.significance.pairing import fold_fingerprint, require_pairing
from surefit.model_selection.significance.rope import usual_rope

RNG = np.random.default_rng(0)
RATIO = 0.25
SCORES = 0.8 + 0.05 * RNG.normal(size=(4, 25)) + np.array([0.0, 0.01, 0.05, -0.1])[:, None]


def p_by_hand(a, b):
    d = a - b
    t = d.mean() / np.sqrt((1 / d.size + RATIO) * d.var(ddof=1))
    return 2 * stats.t.sf(abs(t), d.size - 1)


def test_holm_runs_over_all_pairs():
    pairs = list(itertools.combinations(range(4), 2))
    p = np.array([p_by_hand(SCORES[i], SCORES[j]) for i, j in pairs])
    adjusted, largest = {}, 0.0
    for rank, place in enumerate(np.argsort(p)):
        largest = max(largest, min(1.0, p[place] * (6 - rank)))
        adjusted[pairs[place]] = largest
    found = pairwise_holm(SCORES, RATIO)
    for (i, j), value in adjusted.items():
        assert found[i, j] == found[j, i] == pytest.approx(value, rel=1e-9)
    assert np.diag(found).tolist() == [1.0] * 4


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_posterior_is_students_t(rope):
    a, b = SCORES[0], SCORES[1]
    d = a - b
    t = stats.t(24, loc=d.mean(), scale=np.sqrt((1 / 25 + RATIO) * d.var(ddof=1)))
    found = equivalence(a, b, RATIO, rope)
    assert found.p_worse == pytest.approx(t.cdf(-rope), rel=1e-9)
    assert found.p_better == pytest.approx(t.sf(rope), rel=1e-9)
    assert found.p_equivalent == pytest.approx(t.cdf(rope) - t.cdf(-rope), abs=1e-12)
    assert found.p_worse + found.p_equivalent + found.p_better == pytest.approx(1.0)


def test_the_posterior_where_there_is_no_spread_and_where_nothing_is_known():
    same = equivalence([0.5, 0.5], [0.5, 0.5], 0.5, 0.01)
    assert (same.p_worse, same.p_equivalent, same.p_better) == (0.0, 1.0, 0.0)
    sure = equivalence([0.5, 0.5], [0.75, 0.75], 0.5, 0.01)
    assert (sure.p_worse, sure.p_equivalent, sure.p_better) == (1.0, 0.0, 0.0)
    assert np.isnan(equivalence([0.5], [0.6], 0.5, 0.01).p_equivalent)
    with pytest.raises(InvalidParameter, match="rope must be a number ≥ 0"):
        equivalence([0.5], [0.6], 0.5, -1.0)
    with pytest.raises(InvalidData, match="not empty"):
        correlated_t_posterior([], 0.5)


@pytest.mark.parametrize(
    ("metric", "y", "expected"),
    [
        ("accuracy", None, 0.01),
        ("R²", None, 0.01),
        ("−MAE", [0.0, 2.0], 0.01),
        ("−MSE", [0.0, 4.0], 0.04),
        ("−log-loss", ["a", "b"], 0.01 * np.log(2)),
        ("my own", [0.0, 1.0], None),
    ],
)
def test_usual_regions(metric, y, expected):
    found = usual_rope(metric, None if y is None else np.array(y))
    assert found == (None if expected is None else pytest.approx(expected))


def test_scores_of_other_folds_rows_or_metrics_do_not_pair():
    X, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    one = compare([Ridge()], X, y, cv=4, random_state=0).outcomes[0]
    same = compare([LinearRegression()], X, y, cv=4, random_state=0).outcomes[0]
    require_pairing(one, same)
    others = {
        "seed": compare([LinearRegression()], X, y, cv=4, random_state=1),
        "target": compare([LinearRegression()], X, -y, cv=4, random_state=0),
        "metric": compare([LinearRegression()], X, y, cv=4, random_state=0, scoring="neg_mean_absolute_error"),
    }
    for other in others.values():
        with pytest.raises(InvalidData, match="were scored on different folds"):
            against_best([one, other.outcomes[0]], 1 / 3, 0.95, None)


def test_the_fingerprint_knows_rows_and_order_of_folds():
    a, b = (np.array([0, 1]), np.array([2])), (np.array([1, 2]), np.array([0]))
    assert fold_fingerprint([a, b]) == fold_fingerprint([(a[0][::-1], a[1]), b])
    assert len({fold_fingerprint(s) for s in ([a, b], [b, a], [a], [(a[1], a[0]), b])}) == 4


def test_every_model_is_tested_against_the_best_of_compare():
    X = RNG.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=60)
    found = compare({"all": LinearRegression(), "much": Ridge(50.0), "more": Ridge(500.0)}, X, y, cv=5, rope=0.02)
    scores = np.stack([one.scores for one in found.outcomes])
    expected = pairwise_holm(scores, found.test_train_ratio)[0]
    for one, p in zip(found.outcomes[1:], expected[1:], strict=True):
        assert one.p_adjusted == p and one.equivalent.rope == 0.02
    assert found.best.equivalent is None and found.best.p_adjusted is None
