"""Metrics by name give what scikit-learn's scorers of these names give."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import surefit.metrics
from surefit.metrics import NAMES, get_metric
from surefit.model_selection.scoring import METRIC_WORDS

X2, Y2 = load_breast_cancer(return_X_y=True)
X2 = X2[:, :2]  # probabilities that are not so near to 0 and 1 that scorers cut them
X3, Y3 = load_iris(return_X_y=True)
XR, YR = load_diabetes(return_X_y=True)
TWO, THREE, REAL = GaussianNB().fit(X2, Y2), GaussianNB().fit(X3, Y3), LinearRegression().fit(XR, YR)


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_is_the_scorer_of_its_name(name):
    metric = get_metric(name)
    if metric.task == "regression":
        model, X, y = REAL, XR, YR
    else:
        model, X, y = (THREE, X3, Y3) if name.endswith(("ovr", "ovo", "macro", "weighted")) else (TWO, X2, Y2)
    answer = model.predict(X) if metric.needs == "predictions" else model.predict_proba(X)
    expected = sklearn.metrics.get_scorer(name)(model, X, y)
    assert metric(y, answer) == pytest.approx(expected, rel=1e-12)
    assert metric(y, answer) <= metric.best


def test_every_name_that_compare_words_is_there():
    for name, words in METRIC_WORDS.items():
        if name in NAMES:
            assert NAMES[name].words == words
    assert set(METRIC_WORDS) <= set(NAMES)


def test_what_scikit_learn_does_well_is_its_own():
    for name in ("accuracy_score", "r2_score", "log_loss"):
        assert getattr(surefit.metrics, name) is getattr(sklearn.metrics, name)


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'accuracy'"):
        get_metric("acuracy")
    with pytest.raises(ValueError, match="there are accuracy"):
        get_metric("zzz")
    assert np.isscalar(get_metric("r2").best)
