"""SVR against closed forms, libsvm at a tight tolerance, and its own primal problem."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_diabetes, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from surefit.kernels import Gaussian
from surefit.svm import SVR


def noisy(n=120, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X @ rng.normal(size=d) + 0.3 * rng.standard_t(3, size=n)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_libsvm_at_a_tight_tolerance_agrees(kernel, epsilon):
    X, y = noisy()
    ours = SVR(kernel=kernel, epsilon=epsilon, C=2.0, tol=1e-8).fit(X, y)
    theirs = sklearn.svm.SVR(kernel=kernel, epsilon=epsilon, C=2.0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    if epsilon > 0:  # with ε = 0 a row on the curve may have any coefficient
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)  # libsvm keeps K in single precision
    assert ours.rel_gap_ <= 1e-6 and ours.n_support_ == [len(ours.support_)]


def test_two_points_have_the_flattest_line_through_their_tubes():
    """y from 0 to 3 over x from 0 to 1, ε = ½: the flattest function within the tubes has slope 2 and starts at ½."""
    model = SVR(kernel="linear", C=np.inf, epsilon=0.5).fit([[0.0], [1.0]], [0.0, 3.0])
    np.testing.assert_allclose(model.coef_, [[2.0]], rtol=1e-12)
    np.testing.assert_allclose(model.predict([[0.0], [1.0]]), [0.5, 2.5], rtol=1e-12)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_gap_is_what_primal_and_dual_say(C):
    X, y = noisy()
    model = SVR(C=C, gamma=0.3, epsilon=0.2).fit(X, y)
    K = pairwise_kernels(X, metric="rbf", gamma=0.3)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    errors = np.abs(y - K @ beta - model.intercept_[0])
    primal = 0.5 * beta @ K @ beta + C * np.maximum(0, errors - 0.2).sum()
    dual = y @ beta - 0.2 * np.abs(beta).sum() - 0.5 * beta @ K @ beta
    assert np.abs(beta).max() <= C and abs(beta.sum()) <= 1e-12 * np.abs(beta).sum()
    assert primal - dual <= 1e-6 * primal


def test_weights_are_repetitions():
    X, y = noisy()
    w = np.random.default_rng(0).integers(0, 4, len(y))
    weighted, repeated = SVR().fit(X, y, sample_weight=w), SVR().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-12, atol=1e-12)
    assert len(repeated.support_) == w[weighted.support_].sum()


def test_kernels_of_every_kind_give_one_answer():
    X, y = noisy()
    K = pairwise_kernels(X, metric="rbf", gamma=0.3)
    wanted = SVR(gamma=0.3).fit(X, y).predict(X)
    np.testing.assert_allclose(SVR(kernel=Gaussian(0.3)).fit(X, y).predict(X), wanted, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(SVR(kernel="precomputed").fit(K, y).predict(K), wanted, rtol=1e-7, atol=1e-8)
    sparse = SVR(gamma=0.3).fit(sp.csr_array(X), y)
    assert sp.issparse(sparse.dual_coef_)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), wanted, rtol=1e-6, atol=1e-7)


def test_constant_target_needs_no_support_vector():
    X, _ = load_diabetes(return_X_y=True)
    model = SVR().fit(X, np.full(len(X), 7.0))
    assert model.support_vectors_.shape == (0, X.shape[1]) and model.n_support_ == [0]
    np.testing.assert_allclose(model.predict(X), 7.0, atol=0.1)


def test_without_slack_every_row_is_in_the_tube():
    X, y = noisy(n=60)
    inside = SVR(C=np.inf, epsilon=0.1, gamma=2.0).fit(X, y)
    assert inside.farkas_ is None and np.abs(inside.predict(X) - y).max() <= 0.1 * (1 + 1e-3)


def test_where_no_line_stays_in_the_tube_it_is_disproved():
    X, y = noisy(n=60)
    with pytest.warns(ConvergenceWarning, match="C=inf has no answer"):
        model = SVR(kernel="linear", C=np.inf).fit(X, y)
    phi = model.farkas_
    assert abs(phi.sum()) < 1e-12 and np.abs(X.T @ phi).max() < 1e-12
    assert phi @ y > 0.1 * np.abs(phi).sum()
    with pytest.warns(ConvergenceWarning, match="C=inf has no answer"):
        equal = SVR(C=np.inf).fit(np.vstack([X, X[:1]]), np.append(y, y[0] + 1.0))
    assert set(np.flatnonzero(equal.farkas_)) == {0, 60} and equal.farkas_.sum() == 0


def test_limits_name_the_gap():
    X, y = make_regression(200, 5, noise=20.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3.*after 3 iterations at a relative gap of"):
        model = SVR(kernel="linear", C=1e4, max_iter=3).fit(X, y)
    assert model.fit_status_ == 1 and type(model.n_iter_) is int and model.n_iter_ == 3
