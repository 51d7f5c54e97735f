"""The checkers of Ridge and RidgeCV on scikit-learn's fits, against closed forms, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import KFold, cross_val_score

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(11)
N, D = 300, 7
X = rng.normal(size=(N, D)) + 1.0
Y = X @ rng.normal(size=D) + 2.0 + rng.normal(size=N)
Y2 = np.column_stack([Y, rng.normal(size=N)])
W = rng.random(N) * 2 + 0.1
GRID = np.logspace(-2, 4, 9)


@pytest.mark.parametrize("solver", ["svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
@pytest.mark.parametrize("weights", [None, W], ids=["", "weights"])
def test_accepts_every_solver(solver: str, weights: Any) -> None:
    model = Ridge(alpha=3.0, solver=solver, tol=1e-12, max_iter=100_000, random_state=0).fit(X, Y, weights)
    c = certify(model, X, Y, weights)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


GOOD: dict[str, tuple[Ridge, tuple[Any, ...]]] = {
    "no intercept": (Ridge(fit_intercept=False), (X, Y, W)),
    "single precision": (Ridge(), (X.astype(np.float32), Y.astype(np.float32))),
    "penalty per target": (Ridge(alpha=[1.0, 500.0]), (X, Y2, W)),
    "two targets": (Ridge(alpha=20.0), (X, Y2)),
    "no penalty": (Ridge(alpha=0.0), (X, Y)),
    "tiny penalty": (Ridge(alpha=1e-12), (X, Y)),
    "huge penalty": (Ridge(alpha=1e12), (X, Y)),
    "wide": (Ridge(), (X[:12].T.copy(), Y[:7])),
    "duplicated columns": (Ridge(), (np.hstack([X, X]), Y)),
    "constant column": (Ridge(), (np.hstack([X, np.full((N, 1), 0.1)]), Y)),
    "offset of a million": (Ridge(), (X + 1e6, Y)),
    "non-negative": (Ridge(positive=True, tol=1e-12), (X, Y, W)),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(*data), *data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("columns", [40, 5100])
def test_accepts_sparse_narrow_and_wide(columns: int) -> None:
    """Beyond 5000 columns the gap comes from strong convexity alone: ‖g‖²/α."""
    S = sp.random(N, columns, 0.05, format="csr", random_state=2)
    model = Ridge(solver="sparse_cg", tol=1e-13).fit(S, Y)
    c = certify(model, S, Y)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    assert not certify(altered(model, coef_=changed(model.coef_, 0, 0.1)), S, Y).holds


def test_gap_equals_the_closed_form() -> None:
    A = X - X.mean(axis=0)
    y = Y - Y.mean()
    best = np.linalg.solve(A.T @ A + 5.0 * np.eye(D), A.T @ y)
    least = float(((y - A @ best) ** 2).sum() + 5.0 * best @ best)
    model = Ridge(alpha=5.0).fit(X, Y)
    claim = certify(altered(model, coef_=model.coef_ * 1.01), X, Y)["optimal"]
    assert not claim.holds and claim.detail["lower_bound"] == pytest.approx(least, rel=1e-10)


MODEL = Ridge(alpha=2.0).fit(X, Y)


@pytest.mark.parametrize(
    "change",
    [
        {"coef_": changed(MODEL.coef_, 1, 1e-3)},
        {"coef_": MODEL.coef_[::-1].copy()},
        {"coef_": -MODEL.coef_},
        {"coef_": np.zeros(D)},
        {"coef_": changed(MODEL.coef_, 0, np.nan)},
        {"coef_": MODEL.coef_[:3]},
        {"intercept_": MODEL.intercept_ + 1e-2},
        {"alpha": 2.2},
        {"alpha": 0.0},
        {"alpha": -1.0},
        {"alpha": np.nan},
        {"alpha": [1.0, 2.0]},
        {"alpha": None},
        {"fit_intercept": False},
    ],
)
def test_rejects_mutations(change: dict[str, Any]) -> None:
    assert certify(MODEL, X, Y).holds
    assert not certify(altered(MODEL, **change), X, Y).holds


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[3:], Y[3:]).holds
    assert not certify(MODEL, X, Y, W).holds
    assert not certify(MODEL, X, Y + 1).holds


def test_rejects_a_solver_that_stopped_early() -> None:
    model = Ridge(solver="sag", max_iter=1, tol=1e-15, random_state=0)
    with pytest.warns(Warning):
        model.fit(X, Y)
    assert "optimal" in failing(certify(model, X, Y))


# --- RidgeCV -----------------------------------------------------------------------------------------------------


CV_GOOD: dict[str, tuple[RidgeCV, tuple[Any, ...]]] = {
    "plain": (RidgeCV(GRID, store_cv_results=True), (X, Y)),
    "weights": (RidgeCV(GRID, store_cv_results=True), (X, Y, W)),
    "no intercept": (RidgeCV(GRID, store_cv_results=True, fit_intercept=False), (X, Y, W)),
    "two targets": (RidgeCV(GRID, store_cv_results=True), (X, Y2, W)),
    "penalty per target": (RidgeCV(GRID, store_cv_results=True, alpha_per_target=True), (X, Y2, W)),
    "svd": (RidgeCV(GRID, gcv_mode="svd"), (X, Y)),
    "wide": (RidgeCV(GRID), (X[:25].T.copy(), Y[:7])),
    "folds": (RidgeCV(GRID, cv=4), (X, Y)),
    "scorer": (RidgeCV(GRID, scoring="r2"), (X, Y)),
    "single precision": (RidgeCV(GRID), (X.astype(np.float32), Y.astype(np.float32))),
    "one penalty": (RidgeCV([1.0]), (X, Y)),
    "offset of a million": (RidgeCV(GRID), (X + 1e6, Y)),
}


@pytest.mark.parametrize("name", CV_GOOD)
def test_cv_accepts(name: str) -> None:
    model, data = CV_GOOD[name]
    c = certify(model.fit(*data), *data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    assert {"optimal", "predict", "on_grid", "best_score", "best_alpha"} <= {claim.name for claim in c}


def test_cv_accepts_sparse() -> None:
    S = sp.random(N, 20, 0.3, format="csr", random_state=2)
    c = certify(RidgeCV(GRID).fit(S, Y), S, Y)
    assert c.holds and "best_alpha" in c, f"\n{c}"


def test_leave_one_out_equals_refits_of_scikit_learn() -> None:
    """The score recomputed by the checker against N fits of Ridge, each without one row."""
    model = RidgeCV([4.0]).fit(X[:40], Y[:40], W[:40])
    errors = []
    for i in range(40):
        keep = np.arange(40) != i
        left = Ridge(alpha=4.0).fit(X[:40][keep], Y[:40][keep], W[:40][keep])
        errors.append(W[i] * (Y[i] - left.predict(X[i : i + 1])[0]) ** 2)
    claim = certify(model, X[:40], Y[:40], W[:40])["best_score"]
    assert claim.detail["recomputed"][0] == pytest.approx(-np.mean(errors), rel=1e-10)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scoring": "r2"},
        {"scoring": "neg_mean_squared_error"},
        {"cv": 5},
        {"cv": 4, "scoring": "neg_mean_squared_error"},
    ],
)
def test_scores_are_derived_again(options: dict[str, Any]) -> None:
    model = RidgeCV(GRID, **options).fit(X, Y)
    assert certify(model, X, Y).grade is Grade.OPTIMAL
    assert failing(certify(altered(model, best_score_=123.0), X, Y)) == {"best_score"}
    other = RidgeCV([GRID[-1]], **options).fit(X, Y)
    learnt = {name: getattr(other, name) for name in ("alpha_", "coef_", "intercept_", "best_score_")}
    assert failing(certify(altered(model, **learnt), X, Y)) == {"best_alpha"}


def test_folds_equal_refits_of_scikit_learn() -> None:
    """The mean R² of five folds against cross_val_score."""
    model = RidgeCV([4.0], cv=5).fit(X, Y)
    claim = certify(model, X, Y)["best_score"]
    assert claim.detail["recomputed"][0] == pytest.approx(cross_val_score(Ridge(4.0), X, Y, cv=5).mean(), rel=1e-10)


@pytest.mark.parametrize("options", [{"scoring": "neg_max_error"}, {"cv": KFold(3)}])
def test_what_is_not_derived_again_is_said(options: dict[str, Any]) -> None:
    c = certify(RidgeCV(GRID, **options).fit(X, Y), X, Y)
    assert c.holds and "not checked" in c["selection"].sentence and "best_alpha" not in c


CV = RidgeCV(GRID, store_cv_results=True).fit(X, Y)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"best_score_": CV.best_score_ * 1.001}, "best_score"),
        ({"best_score_": np.nan}, "best_score"),
        ({"best_score_": "good"}, "best_score"),
        ({"cv_results_": CV.cv_results_ * 1.001}, "stored_errors"),
        ({"cv_results_": changed(CV.cv_results_, (17, 2), 0.1)}, "stored_errors"),
        ({"cv_results_": CV.cv_results_[::-1].copy()}, "stored_errors"),
        ({"cv_results_": CV.cv_results_[:-1]}, "stored_errors"),
        ({"cv_results_": changed(CV.cv_results_, (0, 0), np.nan)}, "stored_errors"),
        ({"alphas": GRID * 1.1}, "on_grid"),
        ({"alphas": "none"}, "on_grid"),
        ({"alpha_": CV.alpha_ * 1.3}, "on_grid"),
        ({"coef_": changed(CV.coef_, 0, 1e-2)}, "optimal"),
        ({"intercept_": CV.intercept_ - 0.1}, "optimal"),
        ({"alpha_": np.nan}, "attributes"),
    ],
)
def test_cv_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(CV, X, Y).holds
    assert fails in failing(certify(altered(CV, **change), X, Y))


def test_cv_rejects_a_worse_penalty_of_the_grid() -> None:
    other = RidgeCV([GRID[-1]]).fit(X, Y)
    liar = altered(
        CV, alpha_=other.alpha_, coef_=other.coef_, intercept_=other.intercept_, best_score_=other.best_score_
    )
    assert failing(certify(liar, X, Y)) == {"best_alpha"}


@pytest.mark.parametrize("target", [0.0, 3.7])
def test_a_constant_target_prefers_no_penalty(target: float) -> None:
    """Every penalty leaves errors of nothing, or of rounding: the fit is optimal, the choice is not decided."""
    y = np.full(N, target)
    c = certify(RidgeCV().fit(X, y), X, y)
    assert c["optimal"].holds and failing(c) == {"best_alpha"} and c["best_alpha"].grade is Grade.UNPROVED
