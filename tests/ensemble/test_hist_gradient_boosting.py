"""Histogram boosting: scikit-learn's models where nothing ties, and what must not change a bit."""

from __future__ import annotations

import pickle
from itertools import chain

import numpy as np
import pytest
from sklearn import ensemble as theirs
from sklearn.datasets import load_diabetes, load_iris

from surefit import certify, config
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.ensemble.histogram_boosting.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier as Classifier,
)
from surefit.ensemble.histogram_boosting.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor as Regressor,
)


def rows(n=250, d=4, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def same_model(one, other):
    assert len(one.trees_) == len(other.trees_)
    np.testing.assert_array_equal(one.baseline_prediction_, other.baseline_prediction_)
    for left, right in zip(chain(*one.trees_), chain(*other.trees_), strict=True):
        for name, array in left.__getstate__().items():
            np.testing.assert_array_equal(array, getattr(right, name), err_msg=name)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_regression_as_scikit_learn(loss, missing):
    X, y = rows(missing=missing)
    y = y if loss == "squared_error" else np.exp(y)
    options = {"loss": loss, "max_iter": 10, "l2_regularization": 0.5, "max_leaf_nodes": 8}
    ours, them = Regressor(**options).fit(X, y), theirs.HistGradientBoostingRegressor(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), them.predict(X), rtol=1e-5, atol=1e-6)  # theirs sum in float32


@pytest.mark.parametrize("classes", [2, 3])
def test_classification_as_scikit_learn(classes):
    X, y = rows(seed=1)
    labels = np.array(["a", "b", "c"])[np.digitize(y, [0.0, 1.0][: classes - 1])]
    options = {"max_iter": 8, "max_leaf_nodes": 6}
    ours, them = Classifier(**options).fit(X, labels), theirs.HistGradientBoostingClassifier(**options).fit(X, labels)
    np.testing.assert_allclose(ours.predict_proba(X), them.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), them.predict(X))
    assert ours.history_[0] == pytest.approx(
        -np.log(np.unique(labels, return_counts=True)[1] / 250) @ [np.mean(labels == one) for one in ours.classes_]
    )


def test_constraints_as_scikit_learn():
    X, y = rows(seed=1)  # on some data theirs makes splits whose gain is the rounding of zero
    options = {"max_iter": 10, "monotonic_cst": [1, 0, -1, 0], "interaction_cst": [[0, 1], [2, 3]]}
    ours, them = Regressor(**options).fit(X, y), theirs.HistGradientBoostingRegressor(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), them.predict(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "poisson"])
def test_weights_are_repetitions_to_the_bit(loss):
    X, y = rows(150, seed=3)
    w = np.random.default_rng(3).integers(0, 3, 150)
    options = {"loss": loss, "max_iter": 8, "quantile": 0.3, "early_stopping": True, "random_state": 0}
    y = np.exp(y)
    one = Regressor(**options).fit(X, y, w)
    other = Regressor(**options).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.n_iter_ == other.n_iter_


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_of_labels_are_repetitions_to_the_bit(classes):
    X, y = rows(300, seed=3)
    labels, w = np.digitize(y, [0.0, 1.0][: classes - 1]), np.random.default_rng(4).integers(0, 3, 300)
    one = Classifier(min_samples_leaf=1).fit(X, labels, w)
    other = Classifier(min_samples_leaf=1).fit(np.repeat(X, w, axis=0), np.repeat(labels, w))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_order_and_threads_change_no_bit():
    X, y = rows(6000, seed=4)
    codes = np.digitize(y, [-0.5, 0.5])
    turn = np.random.default_rng(4).permutation(len(y))
    options = {"max_iter": 4, "max_features": 0.5, "random_state": 1}
    one = Classifier(**options).fit(X, codes)
    same_model(one, Classifier(**options).fit(X[turn], codes[turn]))
    with config(n_threads=1):
        same_model(one, Classifier(**options).fit(X, codes))


def test_parquet_and_dask_give_the_same_bits(tmp_path):
    pandas, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y = rows(9000, seed=5, missing=0.05)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(y=(y > 0).astype(int), w=np.arange(9000) % 3 / 2)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=1000)
    options = {"max_iter": 5, "early_stopping": True, "random_state": 0}
    one = Classifier(**options).fit(frame[list("abcd")], frame["y"], frame["w"])
    read = Classifier(**options).fit(str(tmp_path / "rows.parquet"), "y", "w")
    same_model(one, read)
    np.testing.assert_array_equal(one.validation_score_, read.validation_score_)
    np.testing.assert_array_equal(one.predict(frame[list("abcd")]), read.predict(str(tmp_path / "rows.parquet")))
    spread = dd.from_pandas(frame, npartitions=4)
    same_model(one, Classifier(**options).fit(spread, "y", "w"))
    with pytest.raises(CannotStream):
        Classifier(**{**options, "scoring": None}).fit(str(tmp_path / "rows.parquet"), "y")


def test_bins_in_a_mapped_file(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    X, y = rows(3000, seed=6)
    pandas.DataFrame(X, columns=list("abcd")).assign(y=y).to_parquet(tmp_path / "rows.parquet")
    one = Regressor(max_iter=3).fit(str(tmp_path / "rows.parquet"), "y")
    monkeypatch.setattr("surefit.solvers.boosting.histogram_data.available_bytes", lambda: 1)
    same_model(one, Regressor(max_iter=3).fit(str(tmp_path / "rows.parquet"), "y"))


@pytest.mark.parametrize("model", [Regressor(max_iter=3, max_features=0.5), Classifier(max_iter=3, max_features=0.5)])
def test_a_warm_start_goes_on(model):
    X, y = rows(300, seed=7)
    y = y if isinstance(model, Regressor) else np.digitize(y, [-0.5, 0.5])
    model.set_params(warm_start=True, random_state=3).fit(X, y)
    model.set_params(max_iter=6).fit(X, y)
    straight = type(model)(max_iter=6, max_features=0.5, random_state=3).fit(X, y)
    same_model(model, straight)
    np.testing.assert_array_equal(model.history_, straight.history_)
    with pytest.raises(InvalidParameter, match="max_iter=2 must be larger"):
        model.set_params(max_iter=2).fit(X, y)


def test_stages_end_at_the_predictions():
    X, y = load_iris(return_X_y=True)
    model = Classifier(max_iter=4).fit(X, y)
    for name in ("predict", "predict_proba", "decision_function"):
        stages = list(getattr(model, f"staged_{name}")(X))
        assert len(stages) == 4
        np.testing.assert_array_equal(stages[-1], getattr(model, name)(X))


def test_early_stopping_looks_at_rows_that_are_not_trained_on():
    X, y = rows(600, seed=8)
    model = Regressor(early_stopping=True, max_iter=500, random_state=0, validation_fraction=0.2).fit(X, y)
    assert model.n_iter_ < 500
    assert len(model.train_score_) == len(model.validation_score_) == model.n_iter_ + 1
    assert model.train_score_[-1] == -model.history_[-1]
    best = np.max(model.validation_score_[:-10])
    assert (model.validation_score_[-10:] <= best + 1e-7).all()
    given = Regressor(early_stopping=True, max_iter=5).fit(X, y, X_val=X[:50], y_val=y[:50])
    errors = y[:50] - given.predict(X[:50])
    assert given.validation_score_[-1] == pytest.approx(-0.5 * np.mean(errors**2))
    named = Regressor(early_stopping=True, max_iter=5, scoring="r2").fit(X, y, X_val=X[:50], y_val=y[:50])
    assert named.validation_score_[-1] == pytest.approx(named.score(X[:50], y[:50]))


def test_categories_by_dtype_by_number_and_by_name():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(9)
    codes, x = rng.integers(0, 12, 500), rng.normal(size=500)
    y = np.where(codes % 3 == 0, 2.0, -1.0) + 0.1 * x
    names = np.array([f"c{k:02d}" for k in range(12)])
    frame = pandas.DataFrame({"x": x, "kind": pandas.Categorical(names[codes])})
    numbers = np.column_stack([x, codes])
    by_dtype = Regressor(max_iter=10).fit(frame, y)
    assert by_dtype.is_categorical_.tolist() == [False, True]
    np.testing.assert_array_equal(by_dtype.categories_[1], names)
    for other in (Regressor(max_iter=10, categorical_features=spec).fit(numbers, y) for spec in ([1], [False, True])):
        np.testing.assert_array_equal(other.predict(numbers), by_dtype.predict(frame))
    by_name = Regressor(max_iter=10, categorical_features=["kind"]).fit(frame.astype({"kind": str}), y)
    np.testing.assert_array_equal(by_name.predict(frame), by_dtype.predict(frame))
    unknown = frame.assign(kind=["no such"] * 500)
    missing = frame.assign(kind=[None] * 500)
    np.testing.assert_array_equal(by_dtype.predict(unknown), by_dtype.predict(missing))
    them = theirs.HistGradientBoostingRegressor(max_iter=10, categorical_features=[1]).fit(numbers, y)
    np.testing.assert_allclose(them.predict(numbers), by_dtype.predict(frame), rtol=1e-5, atol=1e-6)


def test_importances_and_pickles():
    X, y = rows(500, seed=10)
    model = Regressor(max_iter=20).fit(X, y)
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1) and shares.argmin() == 3
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    nodes = sum(tree.node_count for trees in model.trees_ for tree in trees)
    assert len(pickle.dumps(model)) < 120 * nodes + 40_000


def test_faults_are_told():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(InvalidParameter, match="needs quantile"):
        Regressor(loss="quantile").fit(X, y)
    with pytest.raises(InvalidData, match="strictly positive"):
        Regressor(loss="gamma").fit(X, y - y.mean())
    with pytest.raises(InvalidData, match="holds out 0 of 4 rows"):
        Regressor(early_stopping=True).fit(X[:4], y[:4])


def test_categories_of_little_curvature_are_left_aside_by_the_rule_of_scikit_learn():
    """Support is a share of the curvature, not a count: with sure rows the two differ by much."""
    rng = np.random.default_rng(2)
    codes = rng.choice(30, size=900, p=np.arange(1, 31) / 465.0)
    X = np.column_stack([codes, rng.normal(size=900)])
    y = (rng.random(900) < 1 / (1 + np.exp(-3 * np.sin(1.7 * codes) - 2 * X[:, 1]))).astype(int)
    options = {"max_iter": 15, "categorical_features": [0], "random_state": 0, "early_stopping": False}
    ours, them = Classifier(**options).fit(X, y), theirs.HistGradientBoostingClassifier(**options).fit(X, y)
    assert certify(ours, X, y).holds and certify(them, X, y).holds
