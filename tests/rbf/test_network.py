"""The networks against batch ridge regression on their hidden layer, scikit-learn, and rules written out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.rbf import RBFNetworkClassifier, RBFNetworkRegressor

IRIS, SPECIES = load_iris(return_X_y=True)
ROWS, PROGRESS = load_diabetes(return_X_y=True)


@parametrize_with_checks(
    [RBFNetworkRegressor(), RBFNetworkClassifier(), RBFNetworkRegressor(20, kernel="multiquadric", fit_intercept=False)]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def hidden(model, X):
    r = cdist(X, model.centers_)
    return {
        "gaussian": lambda: np.exp(-(r**2) / (2 * model.width_**2)),
        "multiquadric": lambda: np.sqrt(r**2 + model.width_**2),
        "inverse_multiquadric": lambda: 1 / np.sqrt(r**2 + model.width_**2),
    }[model.kernel]()


@pytest.mark.parametrize("kernel", ["gaussian", "multiquadric", "inverse_multiquadric"])
@pytest.mark.parametrize("intercept", [True, False])
def test_is_ridge_regression_on_the_hidden_layer(kernel, intercept):
    w = np.random.default_rng(0).integers(0, 3, len(ROWS))
    model = RBFNetworkRegressor(15, kernel=kernel, alpha=0.1, fit_intercept=intercept, random_state=0)
    model.fit(ROWS, PROGRESS, w)
    ridge = Ridge(0.1, fit_intercept=intercept, solver="svd").fit(hidden(model, ROWS), PROGRESS, w)
    np.testing.assert_allclose(model.predict(ROWS), ridge.predict(hidden(model, ROWS)), rtol=1e-7)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-5, atol=1e-6 * np.abs(ridge.coef_).max())


def test_centers_are_those_of_k_means_and_the_width_their_mean_distance():
    model = RBFNetworkRegressor(3, random_state=0).fit(IRIS, SPECIES)
    best = KMeans(3, n_init=10, random_state=0).fit(IRIS)
    order, theirs = np.argsort(model.centers_[:, 0]), np.argsort(best.cluster_centers_[:, 0])
    np.testing.assert_allclose(model.centers_[order], best.cluster_centers_[theirs], atol=0.05)
    assert model.width_ == pytest.approx(pdist(model.centers_).mean(), rel=1e-12)
    assert RBFNetworkRegressor(3, width=0.25).fit(IRIS, SPECIES).width_ == 0.25
    one = RBFNetworkRegressor(1).fit(IRIS, SPECIES)
    np.testing.assert_allclose(one.centers_[0], IRIS.mean(axis=0), rtol=1e-12)
    assert one.width_ == pytest.approx(np.sqrt(IRIS.var(axis=0).sum()), rel=1e-12)


def test_as_many_centers_as_rows_go_through_them():
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.arange(12.0)
    model = RBFNetworkRegressor(50, alpha=0.0, width=0.5).fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert model.centers_.shape == (12, 2)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)


def test_row_by_row_is_all_at_once():
    start, rest = slice(0, 150), slice(150, None)
    model = RBFNetworkRegressor(20, random_state=0).partial_fit(ROWS[start], PROGRESS[start])
    centers = model.centers_
    for i in range(150, len(ROWS)):
        model.partial_fit(ROWS[i : i + 1], PROGRESS[i : i + 1])
    assert model.centers_ is centers and model.n_samples_seen_ == len(ROWS)
    ridge = Ridge(1e-3, solver="svd").fit(hidden(model, ROWS), PROGRESS)
    np.testing.assert_allclose(model.predict(ROWS), ridge.predict(hidden(model, ROWS)), rtol=1e-6)
    at_once = RBFNetworkRegressor(20, random_state=0).partial_fit(ROWS[start], PROGRESS[start])
    at_once.partial_fit(ROWS[rest], PROGRESS[rest])
    np.testing.assert_allclose(at_once.predict(ROWS), model.predict(ROWS), rtol=1e-8)


def test_forgetting_follows_data_that_changes():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(3000, 1))
    y = np.where(np.arange(3000) < 1500, np.sin(X[:, 0]), np.cos(X[:, 0]))
    grid = np.linspace(-2.5, 2.5, 30)[:, None]
    now = RBFNetworkRegressor(15, forgetting=0.98, random_state=0).fit(X, y).predict(grid)
    assert np.abs(now - np.cos(grid[:, 0])).max() < 0.05
    assert np.abs(RBFNetworkRegressor(15, random_state=0).fit(X, y).predict(grid) - np.cos(grid[:, 0])).max() > 0.3


def test_the_classifier_is_least_squares_on_indicators():
    model = RBFNetworkClassifier(12, random_state=0).fit(IRIS, SPECIES)
    ridge = Ridge(1e-3, solver="svd").fit(hidden(model, IRIS), np.eye(3)[SPECIES])
    outputs = ridge.predict(hidden(model, IRIS))
    np.testing.assert_allclose(model.decision_function(IRIS), outputs, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(IRIS).sum(axis=1), 1.0, atol=1e-9)
    shares = outputs.clip(0) / outputs.clip(0).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(IRIS), shares, atol=1e-8)
    assert (model.predict(IRIS) == model.classes_[model.predict_proba(IRIS).argmax(axis=1)]).all()
    assert model.score(IRIS, SPECIES) > 0.95 and model.coef_.shape == (3, 12)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(IRIS), np.log(model.predict_proba(IRIS)))


@pytest.mark.parametrize("intercept", [True, False])
def test_two_classes_agree_with_themselves(intercept):
    X, y = IRIS[50:], np.array(["b", "a"])[SPECIES[50:] - 1]
    model = RBFNetworkClassifier(6, fit_intercept=intercept, random_state=0).fit(X, y)
    scores, shares = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == (100,) and shares.shape == (100, 2)
    assert (model.predict(X) == np.where(scores > 0, "b", "a")).all()
    assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    far = model.predict_proba(X + 1e6)  # no output is positive, or all are the intercept's
    np.testing.assert_allclose(far.sum(axis=1), 1.0, rtol=1e-12)


def test_classes_in_parts():
    order = np.random.default_rng(0).permutation(150)
    X, y = IRIS[order], SPECIES[order]
    model = RBFNetworkClassifier(10, random_state=0).partial_fit(X[:60], y[:60], classes=[0, 1, 2])
    model.partial_fit(X[60:], y[60:])
    ridge = Ridge(1e-3, solver="svd").fit(hidden(model, X), np.eye(3)[y])
    np.testing.assert_allclose(model.decision_function(X), ridge.predict(hidden(model, X)), atol=1e-8)
    with pytest.raises(InvalidParameter, match="first call"):
        RBFNetworkClassifier().partial_fit(X, y)
    with pytest.raises(InvalidParameter, match="not the same"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidData, match="do not exist"):
        model.partial_fit(X, y + 1)
    with pytest.raises(InvalidData, match="greater than one"):
        RBFNetworkClassifier().fit(X, np.zeros(150, dtype=int))


def test_same_bits_from_memory_parquet_and_dask(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 3))
    y, w = np.sin(X[:, 0]) + X[:, 1], rng.integers(0, 3, 9000).astype(float)
    model = RBFNetworkRegressor(12, random_state=0).fit(X, y, w)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=2500)
    parquet = RBFNetworkRegressor(12, random_state=0).fit(str(tmp_path / "rows.parquet"), "y", sample_weight="w")
    chunks = [da.from_array(one, chunks=2048) for one in (y, w)]
    dask = RBFNetworkRegressor(12, random_state=0).fit(da.from_array(X, chunks=(2048, 3)), *chunks)
    for other in (parquet, dask, pickle.loads(pickle.dumps(model))):
        assert other.coef_.tobytes() == model.coef_.tobytes()
        assert other.centers_.tobytes() == model.centers_.tobytes()


def test_sparse_rows_single_precision_and_several_targets():
    thin = np.where(np.abs(ROWS) < 0.02, 0.0, ROWS)
    dense = RBFNetworkRegressor(10, random_state=0).fit(thin, PROGRESS)
    sparse = RBFNetworkRegressor(10, random_state=0).fit(sp.csr_array(thin), PROGRESS)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(thin)), dense.predict(thin), rtol=1e-6)
    single = RBFNetworkRegressor(10, random_state=0).fit(thin.astype(np.float32), PROGRESS.astype(np.float32))
    assert single.predict(thin.astype(np.float32)).dtype == single.coef_.dtype == np.float32
    both = RBFNetworkRegressor(10, random_state=0).fit(thin, np.column_stack([PROGRESS, -PROGRESS]))
    assert both.coef_.shape == (2, 10) and both.intercept_.shape == (2,)
    np.testing.assert_allclose(both.predict(thin)[:, 0], dense.predict(thin), rtol=1e-9)
    with pytest.raises(InvalidData, match="2 target"):
        dense.partial_fit(thin, np.column_stack([PROGRESS, PROGRESS]))
