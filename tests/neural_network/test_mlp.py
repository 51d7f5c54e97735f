"""Networks as estimators: order, repetition, dropout, decay, stopping, sources of rows."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from surefit.neural_network.mlp_classifier import MLPClassifier
from surefit.neural_network.mlp_regressor import MLPRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def moons(n=200, seed=0):
    rng = np.random.default_rng(seed)
    t, side = np.pi * rng.random(n), rng.integers(2, size=n)
    X = np.column_stack([np.cos(t) + side, np.sin(t) * (1 - 2 * side) + 0.5 * side]) + 0.1 * rng.normal(size=(n, 2))
    return X, side


@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
def test_order_and_repetition_do_not_matter(solver):
    X, y = moons(60)
    w = np.random.default_rng(1).integers(0, 3, 60).astype(float)
    order = np.random.default_rng(2).permutation(60)
    model = MLPClassifier((5,), solver=solver, max_iter=20, batch_size=16, random_state=0)
    said = [
        model.fit(rows, labels, weights).predict_proba(X)
        for rows, labels, weights in (
            (X, y, w),
            (X[order], y[order], w[order]),
            (np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)), None),
        )
    ]
    np.testing.assert_allclose(said[1], said[0], rtol=1e-9)
    np.testing.assert_allclose(said[2], said[0], rtol=1e-9)


def test_what_is_learnt_is_learnt():
    X, y = moons()
    model = MLPClassifier((20,), solver="lbfgs", alpha=1e-5, random_state=0, max_iter=500).fit(X, y)
    assert model.score(X, y) == 1.0
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    target = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    fit = MLPRegressor(hidden_layer_sizes=(30,), activation="tanh", solver="lbfgs", random_state=0, max_iter=500)
    assert fit.fit(X, target).score(X, target) > 0.99


def test_dropout_and_decay_narrow_the_gap_of_training_and_test():
    """Few noisy rows in many columns: a network without them learns the noise."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.2, rng.integers(10, size=len(y)), y)
    train, test = slice(0, 300), slice(300, 1500)
    settings = {
        "hidden_layer_sizes": (100,),
        "max_iter": 150,
        "learning_rate_init": 0.003,
        "random_state": 0,
        "tol": 0.0,
    }

    def gap(**more):
        model = MLPClassifier(**settings, **more).fit(X[train] / 16, noisy[train])
        return model.score(X[train] / 16, noisy[train]) - model.score(X[test] / 16, noisy[test])

    plain = gap()
    assert gap(dropout=0.5) < plain - 0.02
    assert gap(weight_decay=1.0) < plain - 0.02


def test_early_stopping_keeps_the_best_weights():
    X, y = moons(300)
    model = MLPClassifier((10,), early_stopping=True, random_state=0, learning_rate_init=0.01, max_iter=300).fit(X, y)
    assert max(model.validation_scores_) == model.best_validation_score_ and model.best_loss_ is None
    assert len(model.validation_scores_) == model.n_iter_ == len(model.loss_curve_)


def test_sparse_single_precision_and_streams(tmp_path):
    X, y = moons(150)
    model = MLPClassifier((5,), random_state=0, max_iter=10)
    dense = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(sp.csr_array(X), y).predict_proba(X), dense, rtol=1e-9)
    single = model.fit(X.astype(np.float32), y)
    assert single.coefs_[0].dtype == np.float32
    np.testing.assert_allclose(single.predict_proba(X.astype(np.float32)), dense, atol=1e-4)
    pd = pytest.importorskip("pandas")
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": y}).to_parquet(path)
    in_order = MLPClassifier((5,), random_state=0, max_iter=10, shuffle=False)
    stored = in_order.fit(path, "label").predict_proba(path)
    np.testing.assert_allclose(stored, in_order.fit(X, y).predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="lbfgs"):
        MLPClassifier(solver="lbfgs").fit(path, "label")


def test_going_on():
    X, y = moons(100)
    model = MLPClassifier((5,), random_state=0, warm_start=True, max_iter=5).fit(X, y)
    first = model.loss_
    assert model.fit(X, y).loss_ < first
    steps = MLPClassifier((5,), random_state=0)
    for _ in range(3):
        steps.partial_fit(X, y, classes=[0, 1])
    assert steps.n_iter_ == 3 and len(steps.history_) == 3


def test_bad_input_is_told():
    X, y = moons(30)
    with pytest.raises(ValueError, match="hidden_layer_sizes must be > 0"):
        MLPClassifier((5, 0)).fit(X, y)
    with pytest.raises(ValueError, match="dropout and weight_decay are for"):
        MLPClassifier(solver="lbfgs", dropout=0.5).fit(X, y)
    with pytest.raises(ValueError, match="targets ≥ 0"):
        MLPRegressor("poisson").fit(X, X[:, 0] - 10)
    with pytest.raises(ValueError, match="classes must be passed"):
        MLPClassifier().partial_fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Maximum iterations"):
        MLPClassifier(max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning) as told:
        model = MLPClassifier((5,), max_iter=3, random_state=0).fit(X, y)
    fall = model.loss_curve_[1] - model.loss_curve_[2]
    assert f"The last epoch lowered the loss by {fall:.2g} to {model.loss_:.4g}; 0 of 10 epochs" in str(told[0].message)


@pytest.mark.parametrize("settings", [{}, {"early_stopping": True}])
def test_rows_are_not_copied(settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 100)).astype(np.float32)
    y = X[:, 0] > 0
    model = MLPClassifier((4,), max_iter=1, **settings)
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.6 * X.nbytes, f"{peak / X.nbytes:.2f} of X"
