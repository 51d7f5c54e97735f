"""Costs and thresholds against trying every threshold; the hull against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from sklearn.metrics import precision_score, recall_score

from surefit.metrics import best_threshold, expected_cost, operating_points, roc_convex_hull, roc_curve

RNG = np.random.default_rng(4)
N = 30
Y = RNG.integers(0, 2, N)
S = (RNG.normal(size=N) + Y).round(1)


@pytest.mark.parametrize("costs", [(1, 1), (1, 10), (5, 0.5)])
@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_every_point_is_what_its_decisions_cost(costs, prevalence):
    a, b = costs
    points = operating_points(Y, S, false_positive=a, false_negative=b, prevalence=prevalence)
    for i in range(len(points)):
        called = (points.threshold[i] <= S).astype(int)
        options = {"false_positive": a, "false_negative": b, "prevalence": prevalence}
        assert points.cost[i] == pytest.approx(expected_cost(Y, called, **options))
        assert points.sensitivity[i] == pytest.approx(recall_score(Y, called))
        assert points.specificity[i] == pytest.approx(recall_score(1 - Y, 1 - called))
        if prevalence is None and called.any():
            assert points.precision[i] == pytest.approx(precision_score(Y, called))
    best = best_threshold(Y, S, false_positive=a, false_negative=b, prevalence=prevalence)
    assert best.cost == points.cost.min()
    assert best.threshold == points.threshold[points.cost == points.cost.min()].max()
    assert points.cost[points.on_hull].min() == pytest.approx(points.cost.min())


def test_the_cost_of_decisions_is_their_sum():
    y, called = np.array([0, 0, 0, 1, 1]), np.array([1, 0, 0, 0, 1])
    assert expected_cost(y, called, false_positive=2, false_negative=7) == pytest.approx((2 + 7) / 5)
    assert expected_cost(y, called, false_positive=2, false_negative=7, prevalence=0.1) == pytest.approx(
        0.9 * 2 / 3 + 0.1 * 7 / 2
    )
    weight = np.array([1, 2, 0, 3, 1])
    assert expected_cost(y, called, sample_weight=weight) == pytest.approx((1 + 3) / 7)
    assert expected_cost(np.array(["a", "b"])[y], np.array(["a", "b"])[called], pos_label="b") == pytest.approx(2 / 5)


def test_a_sensitivity_or_specificity_can_be_asked_for():
    points = operating_points(Y, S)
    found = best_threshold(Y, S, min_sensitivity=0.9)
    allowed = points.sensitivity >= 0.9
    assert found.sensitivity >= 0.9 and found.cost == points.cost[allowed].min()
    found = best_threshold(Y, S, min_specificity=0.95)
    assert found.specificity >= 0.95
    with pytest.raises(ValueError, match="no threshold"):
        best_threshold(Y, S, min_sensitivity=1.0, min_specificity=1.0)


@pytest.mark.parametrize("n", [2, 3, 10, 5000])
def test_the_hull_is_that_of_scipy(n):
    y = np.r_[0, 1, RNG.integers(0, 2, n - 2)]
    fpr, tpr, _ = roc_curve(y, RNG.normal(size=n) + y, drop_intermediate=False)
    corners = roc_convex_hull(fpr, tpr)
    assert (corners[0], corners[-1]) == (0, fpr.size - 1)
    hull = ConvexHull(np.column_stack([np.r_[fpr, 1.0], np.r_[tpr, -1.0]])).vertices
    upper = {(fpr[i], tpr[i]) for i in hull if i < fpr.size}
    assert set(zip(fpr[corners], tpr[corners], strict=True)) >= upper - {(0.0, 0.0)}
    slopes = np.diff(tpr[corners]) / np.maximum(np.diff(fpr[corners]), 1e-300)
    assert (np.diff(slopes) < 0).all()


def test_labels_of_decisions():
    """Two wrong of four, one of each kind, however the labels are written."""
    truth, called = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    written = [(truth, called), (2 * truth - 1, 2 * called - 1), (truth == 1, called), (truth, called == 1)]
    assert {expected_cost(a, b, false_negative=3) for a, b in written} == {(1 + 3) / 4}
    names = np.array(["well", "ill"])
    assert expected_cost(names[truth], names[called], false_negative=3, pos_label="ill") == (1 + 3) / 4
    assert expected_cost([0, 1, 2, 2], [0, 2, 2, 1], false_negative=3, pos_label=2) == (1 + 3) / 4


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: expected_cost([0, 1], [0, 1], false_positive=-1), "false_positive"),
        (lambda: operating_points([0, 1], [0, 1], prevalence=2), "prevalence"),
        (lambda: operating_points([1, 1], [0, 1]), "both classes"),
        (lambda: expected_cost([1, 1], [0, 1], prevalence=0.5), "both classes"),
        (lambda: best_threshold([0, 1], [0, 1], min_sensitivity=2), "min_sensitivity"),
        (lambda: roc_convex_hull([0, 1, 0.5], [0, 1, 1]), "not decrease"),
        (lambda: roc_convex_hull([0, np.nan, 1], [0, 0.5, 1]), "not decrease"),
        (lambda: expected_cost([0, 1], [0, 1], false_positive="dear"), "false_positive"),
        (lambda: best_threshold([0, 1], [0, 1], min_sensitivity="high"), "min_sensitivity"),
        (lambda: best_threshold([0, 1], [0, 1], prevalence=np.nan), "prevalence"),
        (lambda: expected_cost(["ill", "well"], ["ill", "ill"]), "pos_label"),
        (lambda: expected_cost(["ill", "well"], ["ill", "ill"], pos_label=1), "pos_label"),
        (lambda: expected_cost([0, 1, 2], [0, 1, 1]), "pos_label"),
        (lambda: expected_cost([0, 1, 1], [0, 1, 2]), "pos_label"),
        (lambda: expected_cost([0.0, 1.0, np.nan], [0, 1, 1]), "NaN"),
        (lambda: expected_cost([0, 1], [0, 1, 1]), "inconsistent"),
        (lambda: expected_cost(None, [0, 1]), "1d array"),
        (lambda: expected_cost([0, 1], [0, 1], sample_weight=[1, -1]), "negative"),
        (lambda: expected_cost([0, 1], [0, 1], sample_weight=[1e308, 1e308]), "finite"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
