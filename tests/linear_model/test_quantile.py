"""Quantile regression: closed forms, HiGHS, duality, ties, sampling of rows and columns."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.optimize import linprog

from surefit._core.errors import CannotStream, TooMuchMemory
from surefit.linear_model import LADRegressor, QuantileRegressor
from surefit.solvers.linear_program import linear_program as linear_program


def problem(seed, n=200, d=6, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)).astype(float) if ties else rng.normal(size=(n, d)) * np.arange(1, d + 1) + 3
    y = X[:, 0] - X[:, 1] + rng.standard_t(2, size=n)
    return X, np.round(y) if ties else y, rng.integers(1, 5, n).astype(float)


def pinball(model, X, y, w, q, alpha):
    r = y - X @ model.coef_ - model.intercept_
    return w @ np.maximum(q * r, (q - 1) * r) / w.sum() + alpha * np.abs(model.coef_).sum()


def assert_dual_proves(model, X, y, w, q, alpha, fit_intercept=True):
    """Weak duality by hand: the dual vector is feasible and its value is the objective."""
    a, total = model.dual_, w.sum()
    assert (a >= (q - 1) * w * (1 + 1e-15)).all()
    assert (a <= q * w * (1 + 1e-15)).all()
    rounding = 1e-13 * (np.abs(X).T @ np.abs(a))
    assert (np.abs(X.T @ a) <= alpha * total + rounding).all()
    assert not fit_intercept or abs(a.sum()) <= 1e-13 * np.abs(a).sum()
    assert pinball(model, X, y, w, q, alpha) == pytest.approx(y @ a / total, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_the_dual_vector_proves_the_optimum_and_highs_agrees(q, alpha, fit_intercept, ties):
    X, y, w = problem(1, ties=ties)
    model = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=fit_intercept).fit(X, y, w)
    assert_dual_proves(model, X, y, w, q, alpha, fit_intercept)
    theirs = sklearn.linear_model.QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=fit_intercept).fit(X, y, w)
    assert pinball(model, X, y, w, q, alpha) == pytest.approx(pinball(theirs, X, y, w, q, alpha), rel=1e-9)


@pytest.mark.parametrize(("values", "median"), [([3, 1, 2], 2.0), ([4, 1, 2, 3], 2.5), ([5, 5, 5, 9], 5.0)])
def test_without_slopes_it_is_the_median(values, median):
    """The middle of the interval where there is one, as numpy.median has it."""
    X = np.zeros((len(values), 1))
    for model in (LADRegressor(), QuantileRegressor(alpha=10.0)):
        fitted = model.fit(X if isinstance(model, LADRegressor) else np.arange(len(values))[:, None], values)
        assert fitted.intercept_ == pytest.approx(median)
        np.testing.assert_array_equal(fitted.coef_, [0.0])


def test_a_line_through_most_points_is_found_exactly():
    X = np.arange(20.0)[:, None]
    y = 3 * X[:, 0] - 7
    y[[3, 11, 15]] += [100, -50, 1e6]
    model = LADRegressor().fit(X, y)
    np.testing.assert_allclose([model.coef_[0], model.intercept_], [3, -7], rtol=1e-14)


def test_of_several_optimal_slopes_the_smallest_is_taken():
    """Any slope in [1, 10] is optimal: the points (0, 1), (1, 2), (1, 11)."""
    model = LADRegressor().fit([[0.0], [1.0], [1.0]], [1.0, 2.0, 11.0])
    np.testing.assert_allclose([model.coef_[0], model.intercept_], [1, 1], rtol=1e-14)


def test_wide_data_is_met_with_least_norm():
    """More columns than rows: least squares' answer of least norm (NumPy's pseudo-inverse about the mean)."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 30)), rng.normal(size=8)
    model = LADRegressor().fit(X, y)
    expected = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize("ties", [True, False])
def test_many_rows_by_sampling(monkeypatch, alpha, ties):
    """A sample, then the rows near its fit, then those that were on the wrong side: the same optimum."""
    X, y, w = problem(2, n=3000, ties=ties)
    whole = QuantileRegressor(quantile=0.7, alpha=alpha).fit(X, y, w)
    monkeypatch.setattr(linear_program, "FEW_ROWS", 100)
    monkeypatch.setattr(linear_program, "_sample_size", lambda n, p: 60)
    sampled = QuantileRegressor(quantile=0.7, alpha=alpha).fit(X, y, w)
    assert_dual_proves(sampled, X, y, w, 0.7, alpha)
    np.testing.assert_allclose(sampled.coef_, whole.coef_, rtol=1e-10, atol=1e-12)


def test_many_columns_with_a_penalty():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 200))
    y = X[:, :3].sum(axis=1) + rng.normal(size=150)
    model = QuantileRegressor(alpha=0.05).fit(X, y)
    assert_dual_proves(model, X, y, np.ones(150), 0.5, 0.05)
    theirs = sklearn.linear_model.QuantileRegressor(alpha=0.05).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-8)
    assert 3 <= np.count_nonzero(model.coef_) < 100


@pytest.mark.parametrize(("alpha", "few", "many"), [(0.002, 250, 300), (0.02, 60, 200)])
def test_many_columns_that_stay(alpha, few, many):
    """Hundreds of coefficients are not zero: columns come in by halves and by descent, and all are found."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(800, 300))
    y = X[:, :80] @ rng.normal(size=80) + rng.standard_t(3, size=800)
    model = QuantileRegressor(quantile=0.4, alpha=alpha).fit(X, y)
    assert_dual_proves(model, X, y, np.ones(800), 0.4, alpha)
    assert few <= np.count_nonzero(model.coef_) <= many


def test_nearly_dependent_columns_far_from_zero_are_proved():
    """The second column is the first in other units, rounded: what rounding left is data as any other."""
    x = 1e5 + 10 * np.random.default_rng(0).normal(size=200)
    X, y = np.column_stack([x, x / 7]), x - 1e5 + np.random.default_rng(1).normal(size=200)
    model = LADRegressor().fit(X, y)
    assert model.certify(X, y).holds
    one = LADRegressor().fit(X[:, :1], y)
    assert np.abs(y - model.predict(X)).sum() <= np.abs(y - one.predict(X[:, :1])).sum()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_of_columns_that_only_rounding_tells_apart_the_rounded_one_goes(dtype):
    """The sum of two columns, stored far from zero: the fit is that of the two."""
    rng = np.random.default_rng(2)
    pair = rng.normal(size=(60, 2)).astype(dtype)
    far = (pair.sum(axis=1) + (1e9 if dtype is np.float64 else 1e3)).astype(dtype)
    y = (pair @ [1.0, -2.0] + rng.standard_t(2, size=60)).astype(dtype)
    model, two = LADRegressor().fit(np.column_stack([far, pair]), y), LADRegressor().fit(pair, y)
    X = np.column_stack([far, pair]).astype(np.float64)
    ours = np.abs(y - X @ model.coef_.astype(np.float64) - float(model.intercept_)).sum()
    theirs = np.abs(y - pair.astype(np.float64) @ two.coef_.astype(np.float64) - float(two.intercept_)).sum()
    assert ours == pytest.approx(theirs, rel=1e-5 if dtype is np.float64 else 1e-3)
    assert np.abs(model.coef_).max() < 10
    # coefficients that live on the rounding of the far column have a lower sum: the certificate does not hide them
    claim = model.certify(np.column_stack([far, pair]), y)["optimal"]
    assert not claim.holds and claim.value > 1e-6


def test_twenty_thousand_rows_against_highs_on_the_dual():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 5))
    y = X.sum(axis=1) + rng.normal(size=20_000)
    model = LADRegressor().fit(X, y)
    assert_dual_proves(model, X, y, np.ones(len(y)), 0.5, 0.0)
    A = np.column_stack([X, np.ones(len(y))])
    highs = linprog(-y, A_eq=A.T, b_eq=np.zeros(6), bounds=(-0.5, 0.5), method="highs-ipm")
    assert 0.5 * np.abs(y - model.predict(X)).sum() == pytest.approx(-highs.fun, rel=1e-7)


def test_sparse_rows_are_never_filled_in_whole():
    rng = np.random.default_rng(5)
    X = sp.random_array((400, 30), density=0.1, rng=rng, format="csr")
    y = np.asarray(X.sum(axis=1)).ravel() + rng.normal(size=400)
    sparse, dense = QuantileRegressor(alpha=0.001).fit(X, y), QuantileRegressor(alpha=0.001).fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    assert_dual_proves(sparse, X.toarray(), y, np.ones(400), 0.5, 0.001)


def test_files_and_dask_are_refused(tmp_path):
    X, y, w = problem(6)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(target=y, weight=w)
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(CannotStream, match=r"LADRegressor .*rows\.parquet.* use LinearRegression"):
        LADRegressor().fit(str(tmp_path / "rows.parquet"), "target", "weight")
    with pytest.raises(CannotStream, match=r"QuantileRegressor .* needs its rows in memory; got a dask source"):
        QuantileRegressor().fit(da.from_array(X, (50, 6)), da.from_array(y, 50), da.from_array(w, 50))


def test_too_much_memory_is_refused_first():
    import surefit

    X, y, _ = problem(7, n=2000)
    with surefit.config(memory_limit=10_000), pytest.raises(TooMuchMemory, match="linear program"):
        LADRegressor().fit(X, y)


def test_interior_point_is_refused_in_scikit_learns_words():
    with pytest.raises(ValueError, match=r"interior-point is not anymore available in SciPy >= 1\.11\.0"):
        QuantileRegressor(solver="interior-point").fit([[0.0], [1.0]], [0.0, 1.0])


def test_two_targets_are_refused():
    with pytest.raises(ValueError, match="1d array"):
        LADRegressor().fit(np.eye(3), np.eye(3))
