"""KernelRidgeCV: leave-one-out in closed form against real refits, and every choice it makes."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.kernel_ridge
from sklearn.metrics import mean_absolute_error
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

import surefit
from surefit._core.errors import InvalidParameter
from surefit.kernel_ridge import KernelRidge, KernelRidgeCV
from surefit.linear_model import RidgeCV

ALPHAS = [1e-3, 1e-1, 1.0, 30.0]


def data(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    return X, y, rng.integers(0, 4, n).astype(float)


@parametrize_with_checks([KernelRidgeCV(kernel="rbf"), KernelRidgeCV(kernel="rbf", gammas=[0.1, 1.0])])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def left_out_by_refits(alpha, X, Y, **settings):
    return cross_val_predict(sklearn.kernel_ridge.KernelRidge(alpha=alpha, **settings), X, Y, cv=LeaveOneOut())


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
@pytest.mark.parametrize("targets", [1, 2])
def test_errors_are_those_of_refits(kernel, targets):
    X, y, _ = data()
    Y = y if targets == 1 else np.column_stack([y, X[:, 2] ** 2])
    model = KernelRidgeCV(ALPHAS, kernel=kernel, gamma=0.4, store_cv_results=True).fit(X, Y)
    for k, alpha in enumerate(ALPHAS):
        squares = (left_out_by_refits(alpha, X, Y, kernel=kernel, gamma=0.4) - Y) ** 2
        np.testing.assert_allclose(model.cv_results_[..., k], squares, rtol=1e-6, atol=1e-9)
        assert model.path_scores_[k] == pytest.approx(-squares.mean(), rel=1e-8)
    best = int(np.argmax(model.path_scores_))
    assert model.alpha_ == ALPHAS[best] and model.best_score_ == model.path_scores_[best]
    refit = KernelRidge(alpha=model.alpha_, kernel=kernel, gamma=0.4).fit(X, Y)
    np.testing.assert_array_equal(model.dual_coef_, refit.dual_coef_)


def test_weighted_rows_are_left_out_as_a_whole():
    X, y, w = data()
    model = KernelRidgeCV(ALPHAS, kernel="rbf", store_cv_results=True).fit(X, y, w)
    for k, alpha in enumerate(ALPHAS):
        for i in range(0, 60, 7):
            rest = np.arange(60) != i
            refit = sklearn.kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf").fit(X[rest], y[rest], w[rest])
            error = y[i] - refit.predict(X[[i]])[0]
            assert model.cv_results_[i, k] == pytest.approx(w[i] * error**2, rel=1e-7, abs=1e-12)
    np.testing.assert_allclose(model.path_scores_, -model.cv_results_.mean(axis=0), rtol=1e-12)


def test_a_weight_is_a_repetition():
    X, y, w = data()
    times = w.astype(int)
    weighted = KernelRidgeCV(ALPHAS, kernel="rbf").fit(X, y, w)
    repeated = KernelRidgeCV(ALPHAS, kernel="rbf").fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.alpha_ == repeated.alpha_
    np.testing.assert_allclose(weighted.best_score_ * len(X), repeated.best_score_ * times.sum(), rtol=1e-10)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9, atol=1e-10)


def test_gamma_is_chosen_with_alpha():
    X, y, _ = data(80)
    gammas = [0.01, 0.3, 5.0]
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gammas=gammas, store_cv_results=True).fit(X, y)
    scores = np.array(
        [[-np.mean((left_out_by_refits(a, X, y, kernel="rbf", gamma=g) - y) ** 2) for a in ALPHAS] for g in gammas]
    )
    np.testing.assert_allclose(model.path_scores_, scores, rtol=1e-7)
    g, a = np.unravel_index(scores.argmax(), scores.shape)
    assert (model.gamma_, model.alpha_) == (gammas[g], ALPHAS[a])
    squares = (left_out_by_refits(ALPHAS[a], X, y, kernel="rbf", gamma=gammas[g]) - y) ** 2
    np.testing.assert_allclose(model.cv_results_[:, a], squares, rtol=1e-6, atol=1e-10)


def test_a_penalty_for_each_target():
    X, y, _ = data(100)
    rng = np.random.default_rng(3)
    Y = np.column_stack([y, rng.normal(size=100), np.sin(3 * X[:, 0])])
    model = KernelRidgeCV(ALPHAS, kernel="rbf", alpha_per_target=True).fit(X, Y)
    singles = [KernelRidgeCV(ALPHAS, kernel="rbf").fit(X, Y[:, k]) for k in range(3)]
    np.testing.assert_array_equal(model.alpha_, [one.alpha_ for one in singles])
    np.testing.assert_allclose(model.best_score_, [one.best_score_ for one in singles], rtol=1e-10)
    np.testing.assert_allclose(model.predict(X), np.column_stack([one.predict(X) for one in singles]), rtol=1e-9)
    assert len(set(model.alpha_)) > 1
    flat = KernelRidgeCV(ALPHAS, kernel="rbf", alpha_per_target=True).fit(X, y)
    assert isinstance(flat.alpha_, float) and isinstance(flat.best_score_, float)


@pytest.mark.parametrize("per_target", [False, True])
def test_scorers_judge_left_out_predictions(per_target):
    X, y, w = data()
    Y = np.column_stack([y, X[:, 2] ** 2])
    settings = {"scoring": "neg_mean_absolute_error", "store_cv_results": True, "alpha_per_target": per_target}
    model = KernelRidgeCV(ALPHAS, kernel="rbf", **settings).fit(X, Y, w)
    zero = int(np.flatnonzero(w == 0)[0])
    for k, alpha in enumerate(ALPHAS):
        full = sklearn.kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf").fit(X, Y, w)
        np.testing.assert_allclose(model.cv_results_[zero, :, k], full.predict(X[[zero]])[0], rtol=1e-7)
        errors = [mean_absolute_error(Y[:, j], model.cv_results_[:, j, k], sample_weight=w) for j in range(2)]
        expected = -np.array(errors) if per_target else -np.mean(errors)
        np.testing.assert_allclose(model.path_scores_[k], expected, rtol=1e-10)


def test_the_linear_kernel_is_ridge_without_an_intercept():
    X, y, w = data(200, 5)
    ours = KernelRidgeCV(ALPHAS).fit(X, y, w + 1)
    ridge = RidgeCV(ALPHAS, fit_intercept=False).fit(X, y, w + 1)
    assert ours.alpha_ == ridge.alpha_
    assert ours.best_score_ == pytest.approx(ridge.best_score_, rel=1e-9)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-9, atol=1e-10)


def test_folds_are_a_grid_search():
    X, y, w = data(90)
    cv = KFold(4)
    grid = {"alpha": ALPHAS, "gamma": [0.1, 1.0]}
    reference = GridSearchCV(sklearn.kernel_ridge.KernelRidge(kernel="rbf"), grid, cv=cv).fit(X, y)
    model = KernelRidgeCV(ALPHAS, kernel="rbf", gammas=[0.1, 1.0], cv=cv).fit(X, y)
    assert (model.alpha_, model.gamma_) == (reference.best_params_["alpha"], reference.best_params_["gamma"])
    assert model.best_score_ == pytest.approx(reference.best_score_, rel=1e-8)
    assert model.path_scores_.shape == (2, 4)
    weighted = KernelRidgeCV(ALPHAS, kernel="rbf", cv=cv).fit(X, y, w)
    np.testing.assert_allclose(
        weighted.predict(X), KernelRidge(alpha=weighted.alpha_, kernel="rbf").fit(X, y, w).predict(X), rtol=1e-9
    )


def test_precomputed_matrices():
    X, y, w = data()
    K = pairwise_kernels(X, metric="rbf", gamma=0.4)
    by_name = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.4).fit(X, y, w)
    given = KernelRidgeCV(ALPHAS, kernel="precomputed").fit(K, y, w)
    np.testing.assert_allclose(given.path_scores_, by_name.path_scores_, rtol=1e-8)
    np.testing.assert_allclose(given.predict(K), by_name.predict(X), rtol=1e-8)
    KernelRidgeCV(ALPHAS, kernel="precomputed", cv=3).fit(K, y)


def test_same_bits_on_any_number_of_threads():
    X, y, w = data(700)
    models = []
    for n_threads in (1, 2):
        with surefit.config(n_threads=n_threads):
            models.append(KernelRidgeCV(ALPHAS, kernel="rbf", store_cv_results=True).fit(X, y, w))
    assert models[0].cv_results_.tobytes() == models[1].cv_results_.tobytes()
    assert models[0].dual_coef_.tobytes() == models[1].dual_coef_.tobytes()


def test_what_is_refused():
    X, y, _ = data()
    for settings, words in [
        ({"cv": 3, "store_cv_results": True}, "incompatible"),
        ({"cv": 3, "alpha_per_target": True}, "incompatible"),
        ({"gammas": [1.0]}, "goes with kernel"),
        ({"kernel": "rbf", "gammas": [1.0], "gamma": 2.0}, "not both"),
        ({"alphas": [0.0, 1.0]}, "numbers > 0"),
        ({"alphas": []}, "numbers > 0"),
        ({"kernel": "rbf", "gammas": [-1.0]}, "numbers > 0"),
    ]:
        with pytest.raises(InvalidParameter, match=words):
            KernelRidgeCV(**settings).fit(X, y)
