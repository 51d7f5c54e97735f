"""Ridge regression against its closed form, scikit-learn, and least squares on extra rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.linear_model import Ridge as Theirs

import surefit
from surefit._core.errors import InvalidParameter
from surefit.linear_model import LinearRegression, Ridge
from tests.linear_model.test_linear_regression import problem

SOLVERS = ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]


def extra_rows(X, y, alpha, w=None, intercept=True):
    """The plain reference: ‖y − Xw‖² + α‖w‖² is least squares with √α·I as extra rows; one α."""
    w = np.ones(len(X)) if w is None else w
    Y = y.reshape(len(y), -1)
    xm, ym = (np.average(Z, axis=0, weights=w) * intercept for Z in (X, Y))
    root, d = np.sqrt(w)[:, None], X.shape[1]
    A = np.vstack([root * (X - xm), np.sqrt(alpha) * np.eye(d)])
    B = np.vstack([root * (Y - ym), np.zeros((d, Y.shape[1]))])
    coef = np.linalg.lstsq(A, B, rcond=1e-13)[0].T
    return coef, ym - coef @ xm


@pytest.mark.parametrize("alpha", [1e-12, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("n", "d", "targets"), [(60, 5, 0), (60, 5, 1), (60, 5, 3), (9, 20, 2), (9000, 6, 2)])
def test_agrees_with_extra_rows_and_has_scikit_learns_shapes(n, d, targets, weighted, intercept, alpha):
    X, y, w = problem(n, d, targets, offset=1.0)
    w = w if weighted else None
    ours = Ridge(alpha, fit_intercept=intercept).fit(X, y, sample_weight=w)
    coef, b = extra_rows(X, y, alpha, w, intercept)
    size = np.abs(coef).max()
    np.testing.assert_allclose(np.atleast_2d(ours.coef_), coef, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(ours.intercept_ + np.zeros(len(b)), b if intercept else 0.0, rtol=0, atol=1e-8)
    theirs = Theirs(alpha, fit_intercept=intercept).fit(X, y, sample_weight=w)
    assert ours.coef_.shape == theirs.coef_.shape and np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.predict(X).shape == theirs.predict(X).shape and ours.solver_ == theirs.solver_


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_name_gives_the_same_exact_answer(solver):
    X, y, w = problem(50, 4, 2)
    ours = Ridge(0.5, solver=solver, random_state=0).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, extra_rows(X, y, 0.5, w)[0], atol=1e-12)
    assert np.all(np.asarray(ours.n_iter_) == 1)
    assert np.shape(ours.n_iter_) == ((2,) if solver in ("lsqr", "sag", "saga") else ())


@pytest.mark.parametrize(("n", "d"), [(60, 5), (9, 20)])
def test_a_penalty_for_each_target(n, d):
    X, y, _ = problem(n, d, 3)
    alpha = np.array([1e-3, 1.0, 50.0])
    model = Ridge(alpha).fit(X, y)
    for k in range(3):
        np.testing.assert_allclose(model.coef_[k], extra_rows(X, y[:, k], alpha[k])[0][0], atol=1e-11)
    with pytest.raises(InvalidParameter, match="do not correspond: 2 != 3"):
        Ridge([1.0, 2.0]).fit(X, y)


@pytest.mark.parametrize(("n", "d"), [(60, 5), (9, 20)])
def test_no_penalty_is_least_squares_also_with_dependent_columns(n, d):
    X, y, w = problem(n, d)
    X = np.column_stack([X, X[:, 0], np.full(n, 0.3)])
    np.testing.assert_allclose(
        Ridge(0.0).fit(X, y, sample_weight=w).coef_, LinearRegression().fit(X, y, sample_weight=w).coef_, atol=1e-11
    )


def test_tiny_penalties_on_ill_conditioned_data_keep_their_digits():
    """Powers of x = 0 … 20 with α = 1e-6: the exact answer in rational arithmetic."""
    from fractions import Fraction

    x = np.arange(21)
    X, y = (x[:, None] ** np.arange(1, 6)).astype(float), (x % 7).astype(float)
    columns = [[Fraction(int(v)) for v in column] for column in X.T]
    columns = [[v - sum(c) / 21 for v in c] for c in columns]
    target = [Fraction(int(v)) - Fraction(int(y.sum()), 21) for v in y]
    alpha = Fraction(1, 2**20)
    G = [
        [sum(a * b for a, b in zip(ci, cj, strict=True)) + alpha * (i == j) for j, cj in enumerate(columns)]
        + [sum(a * b for a, b in zip(ci, target, strict=True))]
        for i, ci in enumerate(columns)
    ]
    for i in range(5):
        G[i] = [v / G[i][i] for v in G[i]]
        for k in range(5):
            if k != i:
                G[k] = [u - G[k][i] * v for u, v in zip(G[k], G[i], strict=True)]
    np.testing.assert_allclose(Ridge(2.0**-20).fit(X, y).coef_, [float(row[5]) for row in G], rtol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize(("n", "d"), [(80, 6), (12, 20)])
def test_positive(n, d, alpha):
    X, y, w = problem(n, d, seed=8)
    model = Ridge(alpha, positive=True).fit(X, y, sample_weight=w)
    root = np.sqrt(w)
    xm, ym = np.average(X, axis=0, weights=w), np.average(y, weights=w)
    A = np.vstack([root[:, None] * (X - xm), np.sqrt(alpha) * np.eye(d)])
    expected, norm = scipy.optimize.nnls(A, np.concatenate([root * (y - ym), np.zeros(d)]))
    assert (model.coef_ >= 0).all() and model.solver_ == "lbfgs"
    reached = np.linalg.norm(A @ model.coef_ - np.concatenate([root * (y - ym), np.zeros(d)]))
    assert reached == pytest.approx(norm, rel=1e-10, abs=1e-10)
    if alpha:
        np.testing.assert_allclose(model.coef_, expected, atol=1e-11)


@pytest.mark.parametrize(("n", "d"), [(60, 5), (9, 20), (300, 5000)])
@pytest.mark.parametrize("solver", ["auto", "svd"])
def test_sparse_is_dense(n, d, solver):
    S = sp.random(n, d, 0.05 if d > 100 else 0.4, format="csr", random_state=0)
    y, w = np.arange(n) % 7.0, 1.0 + np.arange(n) % 3
    ours = Ridge(0.3, solver=solver).fit(S, y, sample_weight=w)
    coef, b = extra_rows(S.toarray(), y, 0.3, w) if d < 100 else _dual(S.toarray(), y, 0.3, w)
    np.testing.assert_allclose(ours.coef_, coef[0], atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, b[0], atol=1e-10)


def _dual(X, y, alpha, w):
    """w = Aᵀ (AAᵀ + α)⁻¹ y for more columns than rows."""
    xm, ym = np.average(X, axis=0, weights=w), np.average(y, weights=w)
    A, b = np.sqrt(w)[:, None] * (X - xm), np.sqrt(w) * (y - ym)
    coef = A.T @ np.linalg.solve(A @ A.T + alpha * np.eye(len(A)), b)
    return coef[None], np.array([ym - coef @ xm])


def test_iteration_that_does_not_settle_says_so():
    S = sp.random(300, 5000, 0.05, format="csr", random_state=0)
    with pytest.warns(UserWarning, match="stopped after 2 iterations"):
        Ridge(1e-3, max_iter=2).fit(S, np.arange(300.0))


def test_float32_offsets_weights_and_scales():
    X, y, w = problem(400, 4)
    X32 = (X + 100).astype(np.float32)
    model = Ridge(0.1).fit(X32, y.astype(np.float32), sample_weight=w)
    assert model.coef_.dtype == np.float32
    exact = extra_rows(X32.astype(float), y.astype(np.float32).astype(float), 0.1, w)[0][0]
    np.testing.assert_allclose(model.coef_, exact, rtol=1e-6)
    far = np.round(X * 2**20) / 2**20
    np.testing.assert_allclose(Ridge(0.1).fit(far + 1e8, y).coef_, Ridge(0.1).fit(far, y).coef_, rtol=1e-11)
    big = Ridge(1e300).fit(X * 1e150, y).coef_ * 1e150
    np.testing.assert_allclose(big, Ridge(1.0).fit(X, y).coef_, rtol=1e-11)


@pytest.mark.parametrize("alpha", [-1, "x", [1.0, -1.0], np.nan, []])
def test_bad_penalties_are_refused(alpha):
    X, y, _ = problem(10, 2, 2)
    with pytest.raises(InvalidParameter, match="alpha"):
        Ridge(alpha).fit(X, y)


def test_one_row():
    model = Ridge().fit([[3.0, 4.0]], [5.0])
    assert not model.coef_.any() and model.intercept_ == 5.0


def test_same_bits_for_any_threads_and_from_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, y, w = problem(13_000, 4, seed=4)
    X[:, 3] = X[:, 0] + 1e-7 * X[:, 3]
    model = Ridge(1e-9).fit(X, y, sample_weight=w)
    with surefit.config(n_threads=1):
        assert np.array_equal(Ridge(1e-9).fit(X, y, sample_weight=w).coef_, model.coef_)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=5000)
    other = Ridge(1e-9).fit(str(tmp_path / "rows.parquet"), "y", sample_weight="w")
    assert np.array_equal(other.coef_, model.coef_) and other.intercept_ == model.intercept_
