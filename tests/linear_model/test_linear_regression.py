"""Least squares: all roads to the answer, wicked inputs, the summary, equal bits from every source."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
from scipy import stats
from sklearn.linear_model import LinearRegression as Theirs

import surefit
from surefit._core.errors import InvalidData, InvalidParameter
from surefit.engine.sources.source import MemorySource
from surefit.linear_model import LinearRegression
from surefit.solvers.least_squares.tsqr import triangular_factor
from surefit.solvers.numerics import twofold


def problem(n=60, d=5, targets=0, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + offset
    y = X @ rng.normal(size=(d, max(targets, 1))) + rng.normal(size=(n, max(targets, 1)))
    return X, (y if targets else y[:, 0]), rng.integers(0, 4, n).astype(float)


def lstsq(X, y, w=None, intercept=True):
    """The plain reference: LAPACK's least squares on centered, scaled rows."""
    w = np.ones(len(X)) if w is None else w
    Y = y.reshape(len(y), -1)
    xm = np.average(X, axis=0, weights=w) if intercept else np.zeros(X.shape[1])
    ym = np.average(Y, axis=0, weights=w) if intercept else np.zeros(Y.shape[1])
    root = np.sqrt(w)[:, None]
    coef = scipy.linalg.lstsq(root * (X - xm), root * (Y - ym), cond=1e-11)[0].T
    return coef, ym - coef @ xm


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("n", "d", "targets"), [(60, 5, 0), (60, 5, 1), (60, 5, 3), (9, 20, 0), (9, 20, 2), (9000, 7, 2)]
)
def test_agrees_with_lapack_and_has_scikit_learns_shapes(n, d, targets, weighted, intercept):
    X, y, w = problem(n, d, targets, offset=2.0)
    w = w if weighted else None
    ours = LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=w)
    coef, b = lstsq(X, y, w, intercept)
    np.testing.assert_allclose(np.atleast_2d(ours.coef_), coef, rtol=0, atol=1e-11)
    np.testing.assert_allclose(np.atleast_1d(ours.intercept_), b if intercept else 0.0, rtol=0, atol=1e-10)
    theirs = Theirs(fit_intercept=intercept).fit(X, y, sample_weight=w)
    assert ours.coef_.shape == theirs.coef_.shape and np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.rank_ == theirs.rank_
    np.testing.assert_allclose(ours.singular_, theirs.singular_, rtol=1e-9, atol=1e-9 * theirs.singular_[0])
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_ill_conditioned_data_is_solved_to_the_last_digits(condition, offset):
    """Whole numbers throughout, so that the right answer is known exactly: y = X·1 without rounding."""
    rng = np.random.default_rng(1)
    X = rng.integers(-1000, 1000, (200, 6)).astype(float) + offset
    X[:, 5] = X[:, 0] * int(condition) + rng.integers(-500, 500, 200)
    y = X.sum(axis=1) + 7
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, 1.0, rtol=1e-14 * max(1, condition / 1e4))
    np.testing.assert_allclose(model.intercept_, 7.0, rtol=1e-9)


def test_powers_of_a_large_sample_in_plain_and_in_twofold_precision(monkeypatch):
    x = np.tile(np.arange(31.0), 300)
    X, y = x[:, None] ** np.arange(1, 7), sum(x**k for k in range(7))
    np.testing.assert_allclose(LinearRegression().fit(X, y).coef_, 1.0, rtol=1e-13)
    monkeypatch.setattr("surefit.solvers.least_squares.refine.TWOFOLD_ELEMENTS", 0)
    np.testing.assert_allclose(LinearRegression().fit(X, y).coef_, 1.0, rtol=1e-8)


@pytest.mark.parametrize("copies", ["duplicate", "scaled", "sum", "constant"])
@pytest.mark.parametrize("n", [50, 9000])
def test_dependent_columns_give_the_shortest_answer(copies, n):
    X, y, _ = problem(n, 4, seed=3)
    extra = {"duplicate": X[:, 0], "scaled": 8 * X[:, 1], "sum": X[:, 0] + X[:, 1], "constant": np.full(n, 0.1)}[copies]
    X = np.column_stack([X, extra])
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, lstsq(X, y)[0][0], rtol=0, atol=1e-10)
    assert model.rank_ == 4
    with pytest.raises(ValueError, match="rank 4 of 5"):
        model.summary()


def test_units_of_measurement_do_not_decide_the_rank():
    X, y, _ = problem(100, 4)
    scales = np.array([1e-12, 1.0, 1e9, 1e-3])
    plain, scaled = LinearRegression().fit(X, y), LinearRegression().fit(X * scales, y)
    assert scaled.rank_ == 4
    np.testing.assert_allclose(scaled.coef_ * scales, plain.coef_, rtol=1e-11)


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e200])
def test_extreme_scales(scale):
    X, y, _ = problem(80, 3)
    plain = LinearRegression().fit(X, y)
    np.testing.assert_allclose(LinearRegression().fit(X * scale, y).coef_ * scale, plain.coef_, rtol=1e-11)
    np.testing.assert_allclose(LinearRegression().fit(X, y * scale).coef_ / scale, plain.coef_, rtol=1e-11)


def test_offsets_cost_no_digits():
    X, y, _ = problem(500, 3)
    X = np.round(X * 2**20) / 2**20  # so that adding 1e8 is exact
    coef = LinearRegression().fit(X, y).coef_
    np.testing.assert_allclose(LinearRegression().fit(X + 1e8, y).coef_, coef, rtol=1e-12)


def test_one_row_and_constant_columns():
    model = LinearRegression().fit([[3.0, 4.0]], [5.0])
    assert model.rank_ == 0 and not model.coef_.any() and model.intercept_ == 5.0
    model = LinearRegression().fit(np.full((8, 2), 0.1), np.arange(8.0))
    assert model.rank_ == 0 and not model.coef_.any() and model.intercept_ == 3.5


def test_rows_of_weight_zero_are_not_there():
    X, y, w = problem(60, 5, seed=5)
    wild = np.where((w == 0)[:, None], 1e6, X)
    kept = w > 0
    with_them, without = (
        LinearRegression().fit(wild, y, sample_weight=w),
        LinearRegression().fit(X[kept], y[kept], sample_weight=w[kept]),
    )
    np.testing.assert_allclose(with_them.coef_, without.coef_, rtol=1e-11)


def test_weights_are_repetitions_of_rows_for_the_summary_too():
    X, y, w = problem(60, 3, seed=6)
    again = np.repeat(np.arange(60), w.astype(int))
    weighted = LinearRegression().fit(X, y, sample_weight=w).summary()
    repeated = LinearRegression().fit(X[again], y[again]).summary()
    for name in ("coef", "standard_error", "p", "low", "r_squared", "adjusted_r_squared", "f_statistic", "residual_sd"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-8, err_msg=name)
    assert weighted.degrees_of_freedom == repeated.degrees_of_freedom == w.sum() - 4


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["X", "y", "w"])
def test_values_that_are_no_numbers_are_refused(bad, where):
    X, y, w = problem(20, 3)
    {"X": X, "y": y, "w": w}[where].flat[4] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        LinearRegression().fit(X, y, sample_weight=w)


def test_values_whose_mean_overflows_are_refused():
    X = np.array([[1.7e308], [1.7e308], [1.0e308], [-1.7e308]])
    with pytest.raises(InvalidData, match="too large"):
        LinearRegression().fit(X * np.array([1.0]), np.arange(4.0))


def test_float32_stays_float32():
    X, y, _ = problem(100, 4, offset=3)
    model = LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32
    exact = lstsq(X.astype(np.float32).astype(float), y.astype(np.float32).astype(float))[0][0]
    np.testing.assert_allclose(model.coef_, exact, rtol=3e-7)


@pytest.mark.parametrize(("n", "d"), [(60, 5), (9, 20), (5000, 8)])
def test_sparse_is_dense(n, d):
    S = sp.random(n, d, 0.4, format="csr", random_state=0)
    y, w = np.arange(n) % 7.0, 1.0 + np.arange(n) % 3
    for weights in (None, w):
        sparse = LinearRegression().fit(S, y, sample_weight=weights)
        dense = LinearRegression().fit(S.toarray(), y, sample_weight=weights)
        np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=0, atol=1e-10 * np.abs(dense.coef_).max())


def test_sparse_column_of_ones_is_a_constant():
    S = sp.csr_array(np.column_stack([np.ones(300), np.arange(300.0), (np.arange(300) % 5 == 0) * 2.0]))
    y = np.arange(300) * 2.0 + 1
    model = LinearRegression().fit(S, y)
    np.testing.assert_allclose(model.coef_, [0, 2, 0], atol=1e-12)


def test_wide_sparse_data_is_solved_by_iteration():
    rng = np.random.default_rng(0)
    S = sp.random(200, 5000, 0.01, format="csr", random_state=0)
    y, w = rng.normal(size=200), rng.random(200)
    model = LinearRegression().fit(S, y, sample_weight=w)
    coef, b = lstsq(S.toarray(), y, w)
    np.testing.assert_allclose(model.coef_, coef[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, b[0], atol=1e-9)
    with pytest.raises(ValueError, match="iteration"):
        model.summary()


@pytest.mark.parametrize("intercept", [True, False])
def test_positive(intercept):
    X, y, w = problem(80, 6, 2, seed=8)
    model = LinearRegression(positive=True, fit_intercept=intercept).fit(X, y, sample_weight=w)
    assert (model.coef_ >= 0).all() and (model.coef_ == 0).any()
    root = np.sqrt(w)[:, None]
    xm, ym = (np.average(Z, axis=0, weights=w) * intercept for Z in (X, y))
    for k in range(2):
        expected = scipy.optimize.nnls(root * (X - xm), (root * (y - ym))[:, k])[0]
        np.testing.assert_allclose(model.coef_[k], expected, atol=1e-12)
    with pytest.raises(ValueError, match="positive=True"):
        model.summary()


def test_summary_is_the_textbook_formula():
    X, y, _ = problem(40, 3, seed=9)
    s = LinearRegression().fit(X, y).summary(level=0.9)
    A = np.column_stack([np.ones(40), X])
    beta, rss = np.linalg.lstsq(A, y)[:2]
    error = np.sqrt(np.diag(np.linalg.inv(A.T @ A)) * rss[0] / 36)
    np.testing.assert_allclose(s.coef, beta, rtol=1e-10)
    np.testing.assert_allclose(s.standard_error, error, rtol=1e-10)
    np.testing.assert_allclose(s.p, 2 * stats.t.sf(np.abs(beta / error), 36), rtol=1e-8)
    np.testing.assert_allclose(s.high - s.low, 2 * stats.t.ppf(0.95, 36) * error, rtol=1e-10)
    r2 = 1 - rss[0] / ((y - y.mean()) ** 2).sum()
    assert s.r_squared == pytest.approx(r2) and s.adjusted_r_squared == pytest.approx(1 - (1 - r2) * 39 / 36)
    assert s.f_statistic == pytest.approx(r2 / 3 / ((1 - r2) / 36))
    assert s.f_p == pytest.approx(stats.f.sf(s.f_statistic, 3, 36))
    assert s.names == ("intercept", "x0", "x1", "x2") and "90 % from" in str(s) and "<table>" in s._repr_html_()
    assert json.loads(json.dumps(s.to_dict()))["degrees_of_freedom"] == 36


def test_summary_of_one_column_is_scipys_linregress():
    X, y, _ = problem(30, 1, seed=2)
    s, known = LinearRegression().fit(X, y).summary(), stats.linregress(X[:, 0], y)
    np.testing.assert_allclose(
        [s.coef[1], s.standard_error[1], s.p[1], s.coef[0], s.standard_error[0], s.r_squared],
        [known.slope, known.stderr, known.pvalue, known.intercept, known.intercept_stderr, known.rvalue**2],
        rtol=1e-9,
    )


def test_summary_without_an_intercept_and_with_several_targets():
    X, y, _ = problem(40, 3, 2, seed=9)
    s = LinearRegression(fit_intercept=False).fit(X, y).summary()
    _, rss = np.linalg.lstsq(X, y)[:2]
    error = np.sqrt(np.outer(rss / 37, np.diag(np.linalg.inv(X.T @ X))))
    np.testing.assert_allclose(s.standard_error, error, rtol=1e-10)
    np.testing.assert_allclose(s.r_squared, 1 - rss / (y**2).sum(axis=0), rtol=1e-10)
    assert s.coef.shape == (2, 3) and "target 1" in str(s)


def test_summary_is_refused_without_degrees_of_freedom_and_for_bad_levels():
    X, y, _ = problem(6, 5)
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="degrees of freedom"):
        model.summary()
    with pytest.raises(InvalidParameter, match="level"):
        model.summary(level=95)


def test_pickles_keep_the_summary():
    X, y, _ = problem(40, 3)
    model = LinearRegression().fit(X, y)
    assert str(pickle.loads(pickle.dumps(model)).summary()) == str(model.summary())


@pytest.mark.parametrize("kind", ["good", "middling", "dependent"])
def test_same_bits_for_any_threads_and_from_parquet_and_dask(kind, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    X, y, w = problem(13_000, 4, seed=4)
    X[:, 3] = {"good": X[:, 3], "middling": X[:, 0] + 1e-3 * X[:, 3], "dependent": X[:, 0] + X[:, 1]}[kind]
    model = LinearRegression().fit(X, y, sample_weight=w)
    with surefit.config(n_threads=1):
        others = {"one thread": LinearRegression().fit(X, y, sample_weight=w)}
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=3000)
    others["parquet"] = LinearRegression().fit(str(tmp_path / "rows.parquet"), "y", sample_weight="w")
    chunked = [da.from_array(a, chunks=(5000, *a.shape[1:])) for a in (X, y, w)]
    others["dask"] = LinearRegression().fit(chunked[0], chunked[1], sample_weight=chunked[2])
    for name, other in others.items():
        assert np.array_equal(other.coef_, model.coef_) and other.intercept_ == model.intercept_, name
    lazy = model.predict(chunked[0])
    np.testing.assert_allclose(lazy.compute(), model.predict(X), rtol=0, atol=1e-12)


def test_triangular_factor_has_the_products_of_the_data():
    X, y, w = problem(9000, 5, seed=7)
    center = np.average(np.column_stack([X, y]), axis=0, weights=w)
    R = triangular_factor(MemorySource(X, y, w), center, True)
    Z = np.sqrt(w)[:, None] * (np.column_stack([X, y]) - center)
    np.testing.assert_allclose(R.T @ R, Z.T @ Z, rtol=0, atol=1e-12 * np.trace(Z.T @ Z))
    assert np.array_equal(R, np.triu(R))


def test_twofold_sums_and_products_are_exact():
    from fractions import Fraction

    rng = np.random.default_rng(0)
    a, b = rng.normal(size=300) * 10.0 ** rng.integers(-8, 8, 300), rng.normal(size=300)
    p, e = twofold.two_product(a, b)
    s, f = twofold.two_sum(a, b)
    for i in range(300):
        x, y = Fraction(float(a[i])), Fraction(float(b[i]))
        assert Fraction(float(p[i])) + Fraction(float(e[i])) == x * y
        assert Fraction(float(s[i])) + Fraction(float(f[i])) == x + y
    total = twofold.sum_rows(twofold.exact(a[:, None]))
    exact = sum((Fraction(float(v)) for v in a), Fraction(0))
    assert abs(Fraction(float(total.high[0])) + Fraction(float(total.low[0])) - exact) <= abs(exact) * Fraction(
        1, 2**95
    )


def test_a_rounded_mean_is_no_direction_of_its_own():
    """Three different rows far from zero span two directions; the least norm on them is that of exact differences."""
    base = np.array([[1e7, 3.0, -2e6, 5.0], [1e7 + 100, 4.0, -2e6 + 7, 5.5], [1e7 - 50, 9.0, -2e6 + 1, 4.0]])
    X, y = base[[0, 1, 1, 2, 2, 0]].repeat(1, axis=0), np.array([1.0, 2.0, 2.0, 4.0, 4.0, 1.0])
    X = np.hstack([X, X / 3])
    model = LinearRegression().fit(X, y)
    differences = np.hstack([base, base / 3])[1:] - np.hstack([base, base / 3])[0]
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(differences) @ [1.0, 3.0], rtol=1e-6)
    assert model.rank_ == 2
    assert model.certify(X, y).holds
