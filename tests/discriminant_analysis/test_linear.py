"""Linear discriminant analysis against the lecture's example, closed forms, scikit-learn, and itself."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import sklearn.discriminant_analysis
from sklearn.covariance import OAS, ShrunkCovariance
from sklearn.datasets import load_iris, load_wine

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.discriminant_analysis import LinearDiscriminantAnalysis

SOLVERS = ("svd", "lsqr", "eigen")
Theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis


def groups(n=600, d=5, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 + 2 * rng.normal(size=(n_classes, d))[y], y


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_two_class_example_by_hand(solver):
    """S_B = (μ₁−μ₂)(μ₁−μ₂)ᵀ and S_W = S₁ + S₂ there; here both are weighted by the priors ½, so λ is half as large."""
    X = np.array([(4, 1), (2, 4), (2, 3), (3, 6), (4, 4), (9, 10), (6, 8), (9, 5), (8, 7), (10, 8)])
    model = LinearDiscriminantAnalysis(solver=solver, store_covariance=True).fit(X, [1] * 5 + [2] * 5)
    direction = model.scalings_[:, 0] / np.linalg.norm(model.scalings_[:, 0])
    np.testing.assert_allclose(direction, [0.91, 0.39], atol=0.01)
    assert 2 * model.fisher_eigenvalues_[0] == pytest.approx(15.65, abs=0.01)
    np.testing.assert_allclose(model.means_, [[3.0, 3.6], [8.4, 7.6]])
    np.testing.assert_allclose(2 * model.covariance_, [[2.64, -0.44], [-0.44, 5.28]], atol=1e-14)
    by_hand = np.linalg.solve([[2.64, -0.44], [-0.44, 5.28]], [5.4, 4.0])
    np.testing.assert_allclose(direction, by_hand / np.linalg.norm(by_hand), rtol=1e-13)
    np.testing.assert_allclose(2 * model.fisher_eigenvalues_, [by_hand @ [5.4, 4.0]], rtol=1e-13)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize(
    ("solver", "shrinkage"),
    [
        ("svd", None),
        ("lsqr", None),
        ("eigen", None),
        ("lsqr", 0.3),
        ("eigen", 0.3),
        ("lsqr", "auto"),
        ("eigen", "auto"),
    ],
)
def test_everything_scikit_learn_learns(n_classes, given, solver, shrinkage):
    X, y = groups(n_classes=n_classes)
    priors = np.random.default_rng(1).dirichlet(np.ones(n_classes)) if given else None
    settings = {"solver": solver, "shrinkage": shrinkage, "priors": priors, "store_covariance": True}
    ours, theirs = LinearDiscriminantAnalysis(**settings).fit(X, y), Theirs(**settings).fit(X, y)
    for name, value in vars(theirs).items():
        if name.endswith("_") and name != "scalings_":
            np.testing.assert_allclose(getattr(ours, name), value, rtol=1e-7, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if solver != "lsqr":
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-6, atol=1e-9)


def test_every_solver_gives_the_same_answer():
    X, y = load_wine(return_X_y=True)
    models = [LinearDiscriminantAnalysis(solver=solver).fit(X, y) for solver in SOLVERS]
    first = models[0]
    for model in models[1:]:
        np.testing.assert_allclose(model.predict_proba(X), first.predict_proba(X), rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(model.fisher_eigenvalues_, first.fisher_eigenvalues_, rtol=1e-10)
        np.testing.assert_allclose(model.scalings_[:, :2], first.scalings_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(model.coef_[0] - model.coef_[1], first.coef_[0] - first.coef_[1], rtol=1e-8)


def test_fisher_directions_solve_the_generalised_problem():
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X, y)
    W = sum(np.cov(X[y == k].T, bias=True) for k in range(3)) / 3
    B = np.cov(X.T, bias=True) - W
    V, ratios = model.scalings_, model.fisher_eigenvalues_
    np.testing.assert_allclose(B @ V, W @ V * ratios, atol=1e-12)
    np.testing.assert_allclose(V.T @ W @ V, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(ratios, scipy.linalg.eigh(B, W, eigvals_only=True)[::-1][:2], rtol=1e-12)
    np.testing.assert_allclose(model.explained_variance_ratio_, ratios / ratios.sum(), rtol=1e-12)
    assert model.transform(X).shape == (150, 2)
    assert LinearDiscriminantAnalysis(n_components=1).fit_transform(X, y).shape == (150, 1)
    np.testing.assert_array_equal(
        model.get_feature_names_out(), ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_large_offset_costs_few_digits(solver):
    X, y = groups(n_classes=2)
    X = np.round(X * 2**20) / 2**20
    plain = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    moved = LinearDiscriminantAnalysis(solver=solver).fit(X + 2.0**20, y)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-8)
    np.testing.assert_allclose(moved.predict_proba(X + 2.0**20), plain.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["constant", "rounding", "duplicate", "sum", "flat within classes"])
def test_degenerate_columns(solver, kind):
    """They add nothing, and no coefficient explodes."""
    X, y = groups(d=4)
    noise = np.random.default_rng(2).integers(-1, 2, len(X))
    column = {
        "constant": np.full(len(X), 5.1),
        "rounding": 0.1 + noise * 2.0**-56,
        "duplicate": X[:, 0],
        "sum": X[:, 0] + 2 * X[:, 1],
        "flat within classes": np.array([0.1, 0.3, 0.7])[y],
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearDiscriminantAnalysis(solver=solver).fit(np.column_stack([X, column]), y)
    plain = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    rows = np.column_stack([X, column])
    np.testing.assert_allclose(model.predict_proba(rows), plain.predict_proba(X), atol=1e-6)
    assert np.abs(model.coef_).max() < 10 * np.abs(plain.coef_).max()


@pytest.mark.parametrize("solver", SOLVERS)
def test_nothing_varies_within_classes(solver):
    model = LinearDiscriminantAnalysis(solver=solver).fit([[0.0], [0], [1], [1], [1]], [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(model.coef_, [[0]])
    np.testing.assert_allclose(model.predict_proba([[5.0]]), [[0.4, 0.6]])
    assert model.transform([[5.0]]).shape == (1, 0)


def test_wide_data():
    """More columns than rows: the singular values of the rows, with the answer of the products."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 60)
    X = rng.normal(size=(60, 1500)) + 0.3 * rng.normal(size=(4, 1500))[y]
    w = rng.integers(0, 3, 60).astype(float)
    wide = LinearDiscriminantAnalysis().fit(X, y, w)
    products = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y, w)
    repeated = LinearDiscriminantAnalysis().fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    for other in (products, repeated, LinearDiscriminantAnalysis().fit(sp.csr_array(X), y, w)):
        np.testing.assert_allclose(wide.coef_, other.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(wide.fisher_eigenvalues_, other.fisher_eigenvalues_, rtol=1e-8)
    theirs = Theirs().fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(wide.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)


def test_covariance_estimators_learn_from_each_class():
    X, y = groups()
    ours = LinearDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS()).fit(X, y)
    theirs = Theirs(solver="eigen", covariance_estimator=OAS()).fit(X, y)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-12)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    with pytest.raises(InvalidParameter, match="ShrunkCovariance does not take weights"):
        LinearDiscriminantAnalysis(solver="eigen", covariance_estimator=ShrunkCovariance()).fit(X, y, np.arange(600.0))


@pytest.mark.parametrize("settings", [{}, {"solver": "eigen", "shrinkage": "auto"}, {"priors": [0.2, 0.3, 0.5]}])
def test_a_class_of_weight_zero_is_not_there(settings):
    X, y = groups(n_classes=3)
    w = np.where(y == 1, 0.0, 1.0)
    if "priors" in settings:
        with pytest.warns(UserWarning, match="Renormalizing"):
            model = LinearDiscriminantAnalysis(**settings).fit(X, y, w)
        np.testing.assert_allclose(model.priors_, [0.2 / 0.7, 0.5 / 0.7])
    else:
        model = LinearDiscriminantAnalysis(**settings).fit(X, y, w)
        without = LinearDiscriminantAnalysis(**settings).fit(X[y != 1], y[y != 1])
        np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-9)
    np.testing.assert_array_equal(model.classes_, [0, 2])


def test_refusals():
    X, y = groups()
    with pytest.raises(InvalidParameter, match=r"n_components cannot be larger than min.*Here that is 2; got 3"):
        LinearDiscriminantAnalysis(n_components=3).fit(X, y)
    with pytest.raises(InvalidParameter, match="priors has 2 entries, y has 3 classes"):
        LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(NotImplementedError, match="shrinkage not supported"):
        LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, y)
    with pytest.raises(InvalidData, match="beyond floating point"):
        LinearDiscriminantAnalysis().fit(X * 1e160, y)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_single_precision_far_from_zero(solver, n_classes):
    """Rows 1e4 standard deviations from zero, against scikit-learn on the same rows, centered in double precision."""
    X, y = groups(n_classes=n_classes)
    X = (X + 1e4 * np.random.default_rng(1).normal(size=X.shape[1])).astype(np.float32)
    centered = X.astype(np.float64) - X.astype(np.float64).mean(axis=0)
    theirs = Theirs().fit(centered, y)
    model = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    sure = np.sort(theirs.predict_proba(centered), axis=1)[:, -2] < 0.45
    np.testing.assert_array_equal(model.predict(X)[sure], theirs.predict(centered)[sure])
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(centered), atol=0.02)
    assert model.coef_.dtype == Theirs(solver=solver).fit(X, y).coef_.dtype
    c = model.certify(X, y)
    assert c.holds, f"\n{c}"
