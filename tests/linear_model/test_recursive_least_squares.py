"""RecursiveLeastSquares against ridge regression in long double and scikit-learn's Ridge."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit._core.errors import InvalidData
from surefit.linear_model.recursive_least_squares import RecursiveLeastSquares
from tests.linear_model.test_linear_regression import problem
from tests.reference.ridge import long_ridge


@parametrize_with_checks([RecursiveLeastSquares(), RecursiveLeastSquares(fit_intercept=False)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("targets", [0, 1, 3])
def test_is_ridge_regression(targets, intercept):
    X, y, w = problem(400, 5, targets, offset=10.0)
    ours = RecursiveLeastSquares(0.7, fit_intercept=intercept).fit(X, y, w)
    theirs = Ridge(0.7, fit_intercept=intercept, solver="cholesky").fit(X, y, w)
    coef, b, P = long_ridge(X, y.reshape(len(y), -1), w, 0.7, intercept)
    np.testing.assert_allclose(np.atleast_2d(ours.coef_), coef, rtol=1e-11)
    np.testing.assert_allclose(np.atleast_1d(ours.intercept_) + np.zeros(len(b)), b, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.covariance_, P, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X).reshape(ours.predict(X).shape), rtol=1e-8, atol=1e-8)


def test_row_by_row_is_all_at_once():
    X, y = load_diabetes(return_X_y=True)
    model = RecursiveLeastSquares(0.01)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        if i in (0, 3, 200):
            so_far = Ridge(0.01, solver="svd").fit(X[: i + 1], y[: i + 1])
            np.testing.assert_allclose(model.predict(X), so_far.predict(X), rtol=1e-8)
    assert model.n_samples_seen_ == len(X)
    np.testing.assert_allclose(model.coef_, RecursiveLeastSquares(0.01).fit(X, y).coef_, rtol=1e-9)


def test_the_answer_after_one_row_by_hand():
    """x = 2, y = 6, α = 4, no intercept: P = 1/(4 + 4), w = 12/8."""
    model = RecursiveLeastSquares(4.0, fit_intercept=False).partial_fit([[2.0]], [6.0])
    assert model.coef_[0] == pytest.approx(1.5, rel=1e-15) and model.covariance_[0, 0] == pytest.approx(0.125)


def test_covariance_follows_every_update():
    X, y, _ = problem(50, 3, 0)
    model = RecursiveLeastSquares().fit(X[:20], y[:20])
    first = model.covariance_
    model.partial_fit(X[20:], y[20:])
    assert np.linalg.eigvalsh(first - model.covariance_)[0] > 0
    np.testing.assert_allclose(model.covariance_, long_ridge(X, y[:, None], np.ones(50), 1.0, True)[2], rtol=1e-12)


def test_forgetting_follows_data_that_changes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    y = np.where(np.arange(4000) < 2000, X @ [1.0, 0.0], X @ [-1.0, 5.0]) + 0.01 * rng.normal(size=4000)
    np.testing.assert_allclose(RecursiveLeastSquares(forgetting=0.98).fit(X, y).coef_, [-1.0, 5.0], atol=0.01)
    assert abs(RecursiveLeastSquares().fit(X, y).coef_[0]) < 0.1


def test_same_bits_from_memory_parquet_dask_and_saved_state(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    X, y, w = problem(9000, 3, 0)
    model = RecursiveLeastSquares(forgetting=0.999).fit(X, y, w)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(3)}, "y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=2500)
    others = [
        RecursiveLeastSquares(forgetting=0.999).fit(str(tmp_path / "rows.parquet"), "y", sample_weight="w"),
        RecursiveLeastSquares(forgetting=0.999).fit(
            da.from_array(X, chunks=(2048, 3)), da.from_array(y, chunks=2048), da.from_array(w, chunks=2048)
        ),
        pickle.loads(pickle.dumps(model)),
    ]
    for other in others:
        assert other.coef_.tobytes() == model.coef_.tobytes() and other.n_samples_seen_ == 9000
    more = [one.partial_fit(X[:5], y[:5]) for one in (model, others[-1])]
    assert more[0].coef_.tobytes() == more[1].coef_.tobytes()


def test_sparse_rows_and_single_precision():
    X, y, _ = problem(200, 4, 0)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    dense = RecursiveLeastSquares().fit(X, y)
    assert RecursiveLeastSquares().fit(sp.csr_array(X), y).coef_.tobytes() == dense.coef_.tobytes()
    single = RecursiveLeastSquares().fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-5)


def test_what_cannot_be_continued_is_refused():
    X, y, _ = problem(20, 3, 0)
    model = RecursiveLeastSquares().fit(X, y)
    before = model.coef_
    with pytest.raises(InvalidData, match="2 target"):
        model.partial_fit(X, np.column_stack([y, y]))
    with pytest.raises(InvalidData, match="rows in memory"):
        model.partial_fit("rows.parquet", "y")
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], y)
    assert model.coef_ is before and model.n_samples_seen_ == 20
    for bad in ({"alpha": 0.0}, {"forgetting": 0.0}, {"forgetting": 1.1}):
        with pytest.raises(ValueError, match="must be"):
            RecursiveLeastSquares(**bad).fit(X, y)
