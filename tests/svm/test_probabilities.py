"""Probabilities of SVC: the largest is the prediction, always; nothing is random; they are calibrated."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from surefit.svm import SVC

pytestmark = pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")


def fitted(X, y, w=None, **params):
    return SVC(probability=True, **params).fit(X, y, sample_weight=w)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("params", [{}, {"break_ties": True}, {"decision_function_shape": "ovo"}])
def test_the_largest_is_the_prediction(classes, params):
    X, y = make_classification(200, 6, n_informative=6, n_redundant=0, n_classes=classes, flip_y=0.4, random_state=1)
    model = fitted(X, y, **params)
    far = np.random.default_rng(0).normal(size=(2000, 6)) * 10.0 ** np.random.default_rng(1).integers(-2, 3, (2000, 1))
    for rows in (X, far, far.astype(np.float32)):
        p = model.predict_proba(rows)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(rows))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-6)
        assert (p >= 0).all()


def test_single_precision_agrees_with_its_prediction():
    X, y = make_classification(200, 6, n_informative=6, n_redundant=0, n_classes=4, flip_y=0.4, random_state=1)
    X = X.astype(np.float32)
    model = fitted(X, y)
    near = np.vstack([X + np.float32(s) for s in np.linspace(-2, 2, 9)])
    p = model.predict_proba(near)
    assert p.dtype == np.float32
    np.testing.assert_array_equal(p.argmax(axis=1), model.predict(near))


def test_ties_of_votes_and_of_probabilities():
    """Kernel values of zero: every score is an intercept, the votes are equal, and still both agree."""
    X, y = load_iris(return_X_y=True)
    model = fitted(X, y, gamma=1e6)
    away = X[:20] + 50.0
    np.testing.assert_array_equal(model.classes_[model.predict_proba(away).argmax(axis=1)], model.predict(away))


def test_two_classes_are_ranked_as_by_the_scores():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = fitted(train, y_train)
    order = np.argsort(model.decision_function(test))
    p = model.predict_proba(test)[:, 1]
    assert (np.diff(p[order]) >= 0).all()
    assert log_loss(y_test, p) < 0.15  # a constant has 0.66
    np.testing.assert_allclose(np.exp(model.predict_log_proba(test)), model.predict_proba(test), rtol=1e-12)


def test_order_weights_containers_and_threads_change_nothing():
    X, y = make_classification(120, 4, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.3, random_state=2)
    w = np.random.default_rng(0).integers(0, 3, 120)
    wanted = fitted(X, y).predict_proba(X)
    order = np.random.default_rng(1).permutation(120)
    np.testing.assert_allclose(fitted(X[order], y[order]).predict_proba(X), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fitted(sp.csr_array(X), y).predict_proba(X), wanted, rtol=1e-5, atol=1e-5)
    repeated = fitted(np.repeat(X, w, axis=0), np.repeat(y, w)).predict_proba(X)
    np.testing.assert_allclose(fitted(X, y, w).predict_proba(X), repeated, rtol=1e-9, atol=1e-9)
    with ThreadPoolExecutor(4) as pool:
        for p in pool.map(lambda _: fitted(X, y).predict_proba(X), range(4)):
            np.testing.assert_array_equal(p, wanted)


def test_tiny_classes():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    model = fitted(X, [0, 0, 0, 1])
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def test_there_is_none_unless_asked_for():
    X, y = load_iris(return_X_y=True)
    model = SVC().fit(X, y)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    model.probability = True
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        model.predict_proba(X)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        SVC(probability=True).fit(X, y)
    assert any(w.category is FutureWarning and "deprecated in scikit-learn 1.9" in str(w.message) for w in told)
