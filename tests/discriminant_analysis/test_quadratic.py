"""Quadratic discriminant analysis against Gaussian densities, scikit-learn, and itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import sklearn.discriminant_analysis
from sklearn.covariance import OAS

from surefit.discriminant_analysis import QuadraticDiscriminantAnalysis
from tests.discriminant_analysis.test_linear import groups

Theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis


@pytest.mark.parametrize("n_classes", [2, 3, 20])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"reg_param": 0.2},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": 0.2},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
    ],
    ids=str,
)
def test_everything_scikit_learn_learns(n_classes, settings):
    X, y = groups(n=1000, n_classes=n_classes)
    ours = QuadraticDiscriminantAnalysis(store_covariance=True, **settings).fit(X, y)
    theirs = Theirs(store_covariance=True, **settings).fit(X, y)
    for name in ("means_", "priors_", "scalings_", "covariance_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(np.abs(ours.rotations_), np.abs(theirs.rotations_), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_bayes_rule_with_gaussian_densities():
    X, y = groups(n=300, d=3)
    priors = np.array([0.2, 0.3, 0.5])
    model = QuadraticDiscriminantAnalysis(priors=priors).fit(X, y)
    density = [scipy.stats.multivariate_normal(X[y == k].mean(0), np.cov(X[y == k].T, bias=True)) for k in range(3)]
    joint = np.stack([prior * one.pdf(X) for prior, one in zip(priors, density, strict=True)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-14)


def test_columns_in_different_units_keep_their_digits():
    """Variances of 1e16 beside 1e-2: eigenvalues of the bare covariance would have no digit of the small one."""
    X, y = groups(d=3, n_classes=2)
    units = np.array([1.0, 1e8, 0.1])
    plain, scaled = (
        QuadraticDiscriminantAnalysis(tol=0).fit(X, y),
        QuadraticDiscriminantAnalysis(tol=0).fit(X * units, y),
    )
    np.testing.assert_allclose(scaled.predict_proba(X * units), plain.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_too_few_rows():
    X, _ = groups(n=12, d=5, n_classes=2)
    with pytest.raises(np.linalg.LinAlgError, match=r"not full rank.*solver='eigen'"):
        QuadraticDiscriminantAnalysis().fit(X[:6], [0, 0, 0, 1, 1, 1])
    with pytest.raises(np.linalg.LinAlgError, match="Increase the value of `shrinkage`"):
        QuadraticDiscriminantAnalysis(solver="eigen").fit(X[:6], [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="y has only 1 sample in class 1"):
        QuadraticDiscriminantAnalysis().fit(X, [0] * 11 + [1])
    with pytest.raises(ValueError, match=r"greater than one. Got 1 class"):
        QuadraticDiscriminantAnalysis().fit(X, [0] * 12)
    model = QuadraticDiscriminantAnalysis(reg_param=0.5, store_covariance=True).fit(X[:6], [0, 0, 0, 1, 1, 1])
    expected = 0.5 * np.cov(X[:3].T, bias=True) + 0.5 * np.eye(5)
    np.testing.assert_allclose(model.covariance_[0], expected, atol=1e-13)
