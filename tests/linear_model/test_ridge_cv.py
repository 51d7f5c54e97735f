"""The penalty chosen by leave-one-out: closed forms against real refits, and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import RidgeCV as Theirs
from sklearn.model_selection import KFold

import surefit
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit.linear_model import RidgeCV
from tests.linear_model.test_linear_regression import problem
from tests.linear_model.test_ridge import extra_rows

ALPHAS = [1e-3, 0.1, 1.0, 10.0, 1000.0]


def refits(X, y, alpha, w=None, intercept=True):
    """The plain reference: every row is left out, the rest is fitted anew, and the row is predicted."""
    n = len(X)
    w = np.ones(n) if w is None else w
    errors = np.empty((n, y.reshape(n, -1).shape[1]))
    for i in range(n):
        rest = np.arange(n) != i
        coef, b = extra_rows(X[rest], y[rest], alpha, w[rest], intercept)
        errors[i] = y[i] - (coef @ X[i] + b)
    return errors


@pytest.mark.parametrize("mode", [None, "svd", "eigen"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("n", "d", "targets"), [(25, 4, 0), (25, 4, 2), (8, 12, 0), (8, 12, 2), (9, 9, 0)])
def test_errors_are_those_of_real_refits(n, d, targets, weighted, intercept, mode):
    X, y, w = problem(n, d, targets, offset=1.0)
    w = w + 1 if weighted else None
    model = RidgeCV(ALPHAS, store_cv_results=True, fit_intercept=intercept, gcv_mode=mode).fit(X, y, sample_weight=w)
    stored = model.cv_results_.reshape(n, -1, len(ALPHAS))
    scores = []
    for a, alpha in enumerate(ALPHAS):
        errors = refits(X, y, alpha, w, intercept)
        expected = errors**2 * (1 if w is None else w[:, None])
        np.testing.assert_allclose(stored[:, :, a], expected, rtol=1e-6, atol=1e-9)
        scores.append(-expected.mean())
    best = int(np.argmax(scores))
    assert model.alpha_ == ALPHAS[best] and model.best_score_ == pytest.approx(scores[best], rel=1e-8)
    np.testing.assert_allclose(
        np.atleast_2d(model.coef_), extra_rows(X, y, model.alpha_, w, intercept)[0], rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("settings", [{}, {"scoring": "neg_mean_absolute_error"}, {"alpha_per_target": True}])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("n", "d", "targets"), [(40, 5, 0), (40, 5, 1), (40, 5, 3), (8, 12, 2)])
def test_agrees_with_scikit_learn(n, d, targets, sparse, settings):
    X, y, w = problem(n, d, targets, seed=2)
    X = sp.csr_array(np.where(np.abs(X) < 0.5, 0.0, X)) if sparse else X
    w = w + 0.5
    ours, theirs = (
        cls(ALPHAS, store_cv_results=True, **settings).fit(X, y, sample_weight=w) for cls in (RidgeCV, Theirs)
    )
    np.testing.assert_array_equal(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-6, atol=1e-8)
    for name in ("alpha_", "best_score_", "coef_", "intercept_", "cv_results_"):
        assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name


def test_many_leaves_and_stored_results_agree_with_the_sums():
    X, y, w = problem(9000, 6, 2, seed=3)
    folded = RidgeCV(ALPHAS, alpha_per_target=True).fit(X, y, sample_weight=w)
    stored = RidgeCV(ALPHAS, alpha_per_target=True, store_cv_results=True).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(folded.best_score_, -stored.cv_results_.mean(axis=0).min(axis=1), rtol=1e-12)
    rows = np.flatnonzero(w)[:5]
    for i in rows:
        rest = np.arange(9000) != i
        coef, b = extra_rows(X[rest], y[rest], 10.0, w[rest])
        np.testing.assert_allclose(stored.cv_results_[i, :, 3], w[i] * (y[i] - coef @ X[i] - b) ** 2, rtol=1e-8)


@pytest.mark.parametrize(("n", "d"), [(25, 4), (8, 12)])
def test_rows_of_weight_zero_choose_nothing(n, d):
    X, y, w = problem(n, d, seed=4)
    w[:3] = 0.0
    kept = w > 0
    full = RidgeCV(ALPHAS).fit(np.where(kept[:, None], X, 99.0), y, sample_weight=w)
    part = RidgeCV(ALPHAS).fit(X[kept], y[kept], sample_weight=w[kept])
    assert full.alpha_ == part.alpha_
    assert full.best_score_ * n == pytest.approx(part.best_score_ * kept.sum(), rel=1e-9)
    scored = RidgeCV(ALPHAS, scoring="r2", store_cv_results=True).fit(X, y, sample_weight=w)
    a = ALPHAS.index(scored.alpha_)
    np.testing.assert_allclose(scored.cv_results_[:3, a], scored.predict(X[:3]), atol=1e-9)


def test_tiny_penalties_on_ill_conditioned_data():
    """Small eigenvalues are lost in products; the triangular factor keeps the errors right."""
    x = np.arange(21.0) / 10
    X, y = x[:, None] ** np.arange(1, 8), np.sin(3 * x)
    stored = RidgeCV([1e-9, 1e-3], store_cv_results=True).fit(X, y).cv_results_
    for a, alpha in enumerate([1e-9, 1e-3]):
        np.testing.assert_allclose(stored[:, a], refits(X, y, alpha)[:, 0] ** 2, rtol=1e-4)


def test_folds_are_a_grid_search():
    X, y, _ = problem(60, 5, seed=5)
    for cv in (3, KFold(4), list(KFold(5).split(X))):
        ours, theirs = RidgeCV(ALPHAS, cv=cv).fit(X, y), Theirs(ALPHAS, cv=cv).fit(X, y)
        assert ours.alpha_ == theirs.alpha_ and ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    scored = RidgeCV(ALPHAS, cv=3, scoring="neg_mean_squared_error").fit(X, y)
    assert scored.best_score_ == pytest.approx(
        Theirs(ALPHAS, cv=3, scoring="neg_mean_squared_error").fit(X, y).best_score_, rel=1e-9
    )


def test_what_is_refused(tmp_path):
    X, y, w = problem(20, 3)
    for alphas in ((0.0, 1.0), (1.0, -1.0), ("a",), [], (np.nan,)):
        with pytest.raises(InvalidParameter, match="alphas"):
            RidgeCV(alphas).fit(X, y)
    with pytest.raises(InvalidParameter, match="store_cv_results"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, y)
    with pytest.raises(InvalidParameter, match="alpha_per_target"):
        RidgeCV(cv=3, alpha_per_target=True).fit(X, y)
    with pytest.raises(ValueError, match="1 sample"):
        RidgeCV().fit(X[:1], y[:1])
    alone = np.zeros(20)
    alone[4] = 2.0
    for rows in (X, np.hstack([X] * 10)):
        with pytest.raises(InvalidData, match="two rows"):
            RidgeCV().fit(rows, y, sample_weight=alone)
    with pytest.raises(InvalidData, match="overflow"):
        RidgeCV().fit(X * 1e200, y, sample_weight=w)
    with pytest.raises(CannotStream, match="RidgeCV"):
        RidgeCV(cv=3).fit(str(tmp_path / "none.parquet"), "y")


def test_float32_in_float32_out():
    X, y, _ = problem(80, 4)
    model = RidgeCV(store_cv_results=True).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == model.cv_results_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32


def test_same_bits_for_any_threads_and_from_parquet_and_dask(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    da = pytest.importorskip("dask.array")
    X, y, w = problem(13_000, 4, seed=4)
    model = RidgeCV(ALPHAS).fit(X, y, sample_weight=w)
    with surefit.config(n_threads=1):
        others = [RidgeCV(ALPHAS).fit(X, y, sample_weight=w)]
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y, "w": w})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=5000)
    others.append(RidgeCV(ALPHAS).fit(str(tmp_path / "rows.parquet"), "y", sample_weight="w"))
    chunks = [da.from_array(a, chunks=(5000, *a.shape[1:])) for a in (X, y, w)]
    others.append(RidgeCV(ALPHAS).fit(chunks[0], chunks[1], sample_weight=chunks[2]))
    for other in others:
        assert other.alpha_ == model.alpha_ and other.best_score_ == model.best_score_
        assert np.array_equal(other.coef_, model.coef_)


def test_weights_reach_the_scorer_by_metadata_routing():
    import sklearn
    from sklearn.metrics import get_scorer

    X, y, w = problem(40, 5, seed=2)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = get_scorer("neg_mean_absolute_error").set_score_request(sample_weight=True)
        ours, theirs = (cls(ALPHAS, scoring=scorer).fit(X, y, sample_weight=w + 1) for cls in (RidgeCV, Theirs))
        assert ours.alpha_ == theirs.alpha_ and ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)
        plain = RidgeCV(ALPHAS).fit(X, y, sample_weight=w + 1)
    assert plain.best_score_ == RidgeCV(ALPHAS).fit(X, y, sample_weight=w + 1).best_score_
    with pytest.raises(InvalidParameter, match="enable_metadata_routing"):
        RidgeCV(ALPHAS).fit(X, y, groups=w)


def test_folds_weigh_the_default_score_as_repeated_rows_would():
    X, y, w = problem(45, 4, seed=6)
    w[w == 0] = 1.0
    again = np.repeat(np.arange(45), w.astype(int))
    fold = np.arange(45) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    repeated = [(np.flatnonzero(fold[again] != k), np.flatnonzero(fold[again] == k)) for k in range(3)]
    weighted = RidgeCV(ALPHAS, cv=splits).fit(X, y, sample_weight=w)
    copied = RidgeCV(ALPHAS, cv=repeated).fit(X[again], y[again])
    assert weighted.alpha_ == copied.alpha_ and weighted.best_score_ == pytest.approx(copied.best_score_, rel=1e-9)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9)
