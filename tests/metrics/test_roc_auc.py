"""roc_auc_score: correctly rounded from exact fractions; elsewhere as scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

from surefit.metrics import roc_auc_score, roc_curve
from tests.metrics.test_roc_curve import SCORES, WEIGHTS, S, Y
from tests.reference import roc as reference

RNG = np.random.default_rng(1)
N = 300
THREE = RNG.integers(0, 3, N)
P = RNG.dirichlet(np.ones(3), N) + np.eye(3)[THREE]
P /= P.sum(axis=1, keepdims=True)
MANY = RNG.integers(0, 2, (N, 4))
MANY[:, 0] |= ~MANY.any(axis=1)
MANY[MANY.all(axis=1), 3] = 0
M = RNG.normal(size=(N, 4)) + MANY
W = RNG.gamma(1.0, size=N)


@pytest.mark.parametrize("decimals", [8, 1, 0])
def test_it_is_the_share_of_ordered_pairs_rounded_once(decimals):
    score = S[:90].round(decimals)
    assert roc_auc_score(Y[:90], score) == float(reference.area(Y[:90] == 1, score))


def test_weights_are_repeated_rows_and_those_of_the_fractions():
    counts = RNG.integers(0, 4, 60)
    y, s = np.repeat(Y[:60], counts), np.repeat(S[:60].round(1), counts)
    weighted = roc_auc_score(Y[:60], S[:60].round(1), sample_weight=counts)
    assert weighted == pytest.approx(roc_auc_score(y, s), rel=1e-15)
    area = reference.area(Y[:60] == 1, S[:60].round(1), W[:60])
    assert roc_auc_score(Y[:60], S[:60].round(1), sample_weight=W[:60]) == pytest.approx(float(area), rel=1e-14)


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("max_fpr", [None, 1.0, 0.3, 1e-3])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_two_classes_as_scikit_learn(score, max_fpr, weight):
    options = {"max_fpr": max_fpr, "sample_weight": weight}
    assert roc_auc_score(Y, score, **options) == pytest.approx(
        sklearn.metrics.roc_auc_score(Y, score, **options), rel=1e-12
    )


@pytest.mark.parametrize(
    "options",
    [
        *({"multi_class": "ovr", "average": a} for a in ("macro", "micro", "weighted", None)),
        *({"multi_class": "ovo", "average": a} for a in ("macro", "weighted")),
        {"multi_class": "ovr", "sample_weight": W},
        {"multi_class": "ovr", "average": "weighted", "sample_weight": W},
        {"multi_class": "ovr", "average": "micro", "sample_weight": W},
        {"multi_class": "ovo", "labels": [0, 1, 2]},
    ],
    ids=lambda o: "-".join(f"{k}={v}" for k, v in o.items() if k != "sample_weight"),
)
def test_several_classes_as_scikit_learn(options):
    found = roc_auc_score(THREE, P, **options)
    np.testing.assert_allclose(found, sklearn.metrics.roc_auc_score(THREE, P, **options), rtol=1e-13)
    names = np.array(["ant", "bee", "cat"])
    if "labels" not in options:
        np.testing.assert_array_equal(roc_auc_score(names[THREE], P, **options), found)


@pytest.mark.parametrize("weight", [None, W], ids=["plain", "weights"])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples", None])
def test_several_labels_as_scikit_learn(average, weight):
    options = {"average": average, "sample_weight": weight}
    expected = sklearn.metrics.roc_auc_score(MANY, M, **options)
    np.testing.assert_allclose(roc_auc_score(MANY, M, **options), expected, rtol=1e-13)
    half = options | {"max_fpr": 0.5}
    expected = sklearn.metrics.roc_auc_score(MANY, M, **half)
    np.testing.assert_allclose(roc_auc_score(MANY, M, **half), expected, rtol=1e-13)


@pytest.mark.parametrize("y", [np.zeros(5, int), ["a"] * 5], ids=["numbers", "words"])
def test_one_class_is_nan_with_a_warning(y):
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(roc_auc_score(y, S[:5]))


def test_a_class_without_weight_is_nan_with_a_warning():
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(roc_auc_score([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[0.0, 1.0, 1.0]))


WRONG = {
    "no way": (THREE, P, {}),
    "samples": (THREE, P, {"multi_class": "ovr", "average": "samples"}),
    "partial": (THREE, P, {"multi_class": "ovr", "max_fpr": 0.2}),
    "weights": (THREE, P, {"multi_class": "ovo", "sample_weight": W}),
    "no probabilities": (THREE, 2 * P, {"multi_class": "ovr"}),
    "columns": (THREE, P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), {"multi_class": "ovr"}),
    "labels": (THREE, P, {"multi_class": "ovr", "labels": [0, 2, 1]}),
    "labels twice": (THREE, P, {"multi_class": "ovr", "labels": [0, 0, 1]}),
    "other labels": (THREE, P, {"multi_class": "ovr", "labels": [0, 1, 3]}),
    "nan": (np.array([0, 1, 0]), np.array([0.1, np.nan, 0.2]), {}),
    "lengths": (np.array([0, 1, 0]), S[:2], {}),
    "one column for three": (THREE, S[:N], {"multi_class": "ovr"}),
}


@pytest.mark.parametrize(("y", "score", "options"), WRONG.values(), ids=WRONG)
def test_refusals_are_those_of_scikit_learn(y, score, options):
    with pytest.raises(ValueError) as theirs:
        sklearn.metrics.roc_auc_score(y, score, **options)
    with pytest.raises(ValueError) as ours:
        roc_auc_score(y, score, **options)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("options", [{"average": "mean"}, {"multi_class": "all"}, {"max_fpr": 0.0}, {"max_fpr": 2}])
def test_a_wrong_parameter_is_named(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        roc_auc_score(Y, S, **options)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200])
def test_the_unit_of_weights_does_not_matter(size):
    """Products of weights leave floating-point numbers long before the weights do."""
    y, score, w = [0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0], np.array([1.0, 2.0, 2.0, 1.0])
    assert roc_auc_score(y, score, sample_weight=size * w) == pytest.approx((2 * 1 + 1 * 3) / 9, rel=1e-3)
    assert roc_auc_score(y, score, sample_weight=w) == pytest.approx(5 / 9, rel=1e-15)


@pytest.mark.parametrize("weights", [[1, -1, 1, 1], [1e308] * 4])
def test_weights_that_mean_nothing_are_refused(weights):
    for judge in (roc_auc_score, roc_curve):
        with pytest.raises(ValueError, match="must not be negative, and its sum must be finite"):
            judge([0, 0, 1, 1], [1, 3, 2, 4], sample_weight=weights)
