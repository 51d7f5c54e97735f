"""Leave-one-out in closed form against n real fits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_ridge
import sklearn.linear_model
import sklearn.model_selection
import sklearn.neighbors
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit.kernel_ridge import KernelRidge
from surefit.linear_model import LinearRegression, Ridge
from surefit.model_selection import LeaveOneOut, cross_val_predict, cross_val_score, cross_validate
from surefit.model_selection.validation.left_out import left_out
from surefit.neighbors import KNeighborsClassifier, KNeighborsRegressor

N = 24
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4)) * [1.0, 10.0, 0.1, 1.0] + 30.0
Y = np.column_stack([X @ [1.0, 2.0, 3.0, 0.0] + RNG.normal(size=N), X[:, 0] ** 2])
LABELS = np.array(["low", "middle", "high"])[np.digitize(Y[:, 0], np.quantile(Y[:, 0], [0.3, 0.6]))]
WEIGHTS = RNG.integers(0, 3, N).astype(float)
REGRESSORS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(),
    Ridge(alpha=[0.1, 10.0]),
    Ridge(alpha=1e-3, fit_intercept=False),
    Ridge(alpha=0.0),
    KernelRidge(kernel="rbf", gamma=0.1),
    KernelRidge(alpha=[0.1, 10.0]),
    sklearn.linear_model.LinearRegression(),
    sklearn.linear_model.Ridge(),
    sklearn.kernel_ridge.KernelRidge(kernel="rbf"),
    KNeighborsRegressor(),
    sklearn.neighbors.KNeighborsRegressor(3, weights="distance"),
]


def refitted(model, X, y, w=None, method="predict"):
    """n fits, each asked for the row it has not seen."""
    found = []
    for i in range(X.shape[0]):
        rows = np.flatnonzero(np.arange(X.shape[0]) != i)
        weights = {} if w is None else {"sample_weight": w[rows]}
        found.append(getattr(clone(model).fit(X[rows], y[rows], **weights), method)(X[[i]])[0])
    return np.array(found)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: f"{type(m).__module__.split('.')[0]} {m}")
@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_regressors(model, targets, weighted):
    y = Y if targets == 2 or np.ndim(getattr(model, "alpha", 0.0)) else Y[:, 0]
    w = WEIGHTS if weighted and "Neighbors" not in type(model).__name__ else None
    expected = refitted(model, X, y, w)
    np.testing.assert_allclose(left_out(model, X, y, w).predict, expected, rtol=1e-8, atol=1e-9 * np.abs(y).max())


@pytest.mark.parametrize("model", [KNeighborsClassifier(3), sklearn.neighbors.KNeighborsClassifier(4)])
def test_classifiers(model):
    found = left_out(model, X, LABELS)
    np.testing.assert_array_equal(found.predict, refitted(model, X, LABELS))
    np.testing.assert_array_equal(found.predict_proba, refitted(model, X, LABELS, method="predict_proba"))
    by_name = cross_val_score(model, X, LABELS, cv="loo")
    np.testing.assert_array_equal(by_name, (found.predict == LABELS).astype(float))
    shares = found.predict_proba[np.arange(N), np.searchsorted(found.classes, LABELS)]
    losses = cross_val_score(model, X, LABELS, cv="loo", scoring="neg_log_loss")
    np.testing.assert_allclose(losses[shares > 0], np.log(shares[shares > 0]), atol=1e-12)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=0.5), KernelRidge()])
def test_sparse_wide_and_short(model):
    few = np.where(np.abs(X - 30) < 0.8, 0.0, X - 30)
    rows = sp.csr_array(few)
    np.testing.assert_allclose(left_out(model, rows, Y).predict, refitted(model, few, Y), rtol=1e-8, atol=1e-10)
    wide = RNG.normal(size=(12, 20))
    found = left_out(model, wide, Y[:12, 0])
    if isinstance(model, LinearRegression):
        assert found is None  # each row decides coefficients of its own: n fits
    else:
        np.testing.assert_allclose(found.predict, refitted(model, wide, Y[:12, 0]), rtol=1e-8)


def test_rows_that_decide_a_coefficient_alone_are_fitted_again():
    """A column that one row alone has: without it the coefficient is zero."""
    rows = np.column_stack([X, np.arange(N) == 7])
    found = left_out(LinearRegression(), rows, Y[:, 0]).predict
    np.testing.assert_allclose(found, refitted(LinearRegression(), rows, Y[:, 0]), rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "y", "w"),
    [
        (Ridge(positive=True), Y[:, 0], None),
        (LinearRegression(), np.column_stack([Y, Y]), None),
        (KNeighborsRegressor(N), Y[:, 0], None),
        (KNeighborsClassifier(), np.where(np.arange(N) == 3, "alone", LABELS), None),
        (KernelRidge(alpha=0.0), Y[:, 0], None),
        (sklearn.linear_model.Lasso(), Y[:, 0], None),
    ],
)
def test_where_there_is_no_closed_form(model, y, w):
    rows = np.column_stack([X, X[:, 0]]) if isinstance(model, LinearRegression) else X
    assert left_out(model, rows, y, w) is None


class Shrunken(Ridge):
    """Derived from a class with a closed form, and another thing."""

    def predict(self, X):
        return 0.5 * super().predict(X)


def test_a_derived_class_is_fitted_n_times():
    assert left_out(Shrunken(), X, Y[:, 0]) is None
    found = cross_val_predict(Shrunken(), X, Y[:, 0], cv="loo")
    np.testing.assert_allclose(found, 0.5 * refitted(Ridge(), X, Y[:, 0]), rtol=1e-9)


def test_scores_are_scikit_learns():
    ours = cross_validate(Ridge(), X, Y[:, 0], cv="loo", scoring=["neg_mean_squared_error", "neg_max_error"])
    theirs = sklearn.model_selection.cross_validate(
        Ridge(), X, Y[:, 0], cv=sklearn.model_selection.LeaveOneOut(),
        scoring=["neg_mean_squared_error", "neg_max_error"],
    )  # fmt: skip
    assert ours.closed_form
    assert ours.keys() == theirs.keys()
    for name in ("test_neg_mean_squared_error", "test_neg_max_error"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-8)
    fitted = cross_validate(make_pipeline(StandardScaler(), Ridge()), X, Y[:, 0], cv=LeaveOneOut())
    assert not fitted.closed_form
    assert fitted.fingerprint == ours.fingerprint  # the same folds, whoever computes them
    np.testing.assert_allclose(
        cross_val_score(Ridge(), X, Y[:, 0], cv=LeaveOneOut(), params={"sample_weight": WEIGHTS}),
        -((Y[:, 0] - refitted(Ridge(), X, Y[:, 0], WEIGHTS)) ** 2),
        rtol=1e-8,
    )


def test_scores_that_one_row_has_not_are_refused():
    with pytest.raises(ValueError, match=r"r2.*not defined for the one row.*neg_mean_squared_error"):
        cross_val_score(Ridge(), X, Y[:, 0], cv="loo", scoring="r2")
    with pytest.raises(ValueError, match="or 'loo'"):
        cross_val_score(Ridge(), X, Y[:, 0], cv="lou")
