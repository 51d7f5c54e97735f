"""The checker of LinearDiscriminantAnalysis: every solver of scikit-learn, singular data, Fisher's ratio, mutations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from sklearn.covariance import OAS
from sklearn.covariance import ledoit_wolf as reference_ledoit_wolf
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler

from surefit.certificates import Grade
from surefit.certificates.theorems.class_statistics.covariances import class_moments, estimate
from surefit.discriminant_analysis import LinearDiscriminantAnalysis as SurefitLDA
from tests.certificates.bench import altered, blocks, certify, changed, failing

rng = np.random.default_rng(31)
N, D = 200, 5
Y2, Y3, Y7 = (rng.integers(0, k, N) for k in (2, 3, 7))
BASE = rng.normal(size=(N, D)) @ rng.normal(size=(D, D))
X2, X3, X7 = (BASE + y[:, None] * np.array([1.0, 0.0, -0.5, 0.2, 0.0]) + (y == 1)[:, None] for y in (Y2, Y3, Y7))
SETS = {"two": (X2, Y2), "three": (X3, Y3), "seven": (X7, Y7), "wine": load_wine(return_X_y=True)}
PRIORS = {2: [0.25, 0.75], 3: [0.2, 0.3, 0.5], 7: np.arange(1.0, 8.0) / 28}

OPTIONS: dict[str, dict[str, Any]] = {
    "svd": {},
    "svd, covariance": {"store_covariance": True},
    "svd, one direction": {"n_components": 1},
    "lsqr": {"solver": "lsqr"},
    "eigen": {"solver": "eigen"},
    "lsqr, shrunk": {"solver": "lsqr", "shrinkage": 0.2},
    "eigen, shrunk": {"solver": "eigen", "shrinkage": 0.2},
    "eigen, shrunk to a sphere": {"solver": "eigen", "shrinkage": 1.0},
    "lsqr, Ledoit and Wolf": {"solver": "lsqr", "shrinkage": "auto"},
    "eigen, Ledoit and Wolf": {"solver": "eigen", "shrinkage": "auto"},
}


def test_the_users_own_estimator_is_not_recomputed() -> None:
    model = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit(X3, Y3)
    c = certify(model, X3, Y3)
    assert c.grade is Grade.UNPROVED and "not recomputed" in c.failures[0].sentence


@pytest.mark.parametrize("priors", [False, True], ids=["shares", "priors"])
@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", OPTIONS)
def test_accepts(name: str, data: str, priors: bool) -> None:
    A, y = SETS[data]
    model = LinearDiscriminantAnalysis(**OPTIONS[name], priors=PRIORS[y.max() + 1] if priors else None).fit(A, y)
    c = certify(model, A, y)
    assert c.holds, f"\n{c}"
    assert c.grade is (Grade.EXACT if name.startswith("lsqr") else Grade.OPTIMAL)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("kind", ["offset", "single", "scaled", "priors not of sum one"])
def test_accepts_other_data(solver: str, kind: str) -> None:
    A = {"offset": X3 + 1e5, "single": X3.astype(np.float32), "scaled": X3 * np.array([1e-3, 1.0, 1e3, 1.0, 10.0])}
    given = A.get(kind, X3)
    model = LinearDiscriminantAnalysis(solver=solver, priors=[1.0, 2.0, 2.0] if "priors" in kind else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(given, Y3)
    assert certify(model, given, Y3).holds, f"\n{certify(model, given, Y3)}"


SINGULAR = {
    "a column twice": np.hstack([X3, X3[:, :1]]),
    "a constant column": np.hstack([X3, np.full((N, 1), 7.0)]),
    "a sum of columns": np.hstack([X3, X3 @ np.ones((D, 1))]),
    "more columns than rows": rng.normal(size=(N, 300)) + Y3[:, None],
}


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
@pytest.mark.parametrize("kind", SINGULAR)
def test_singular_covariances(kind: str, solver: str) -> None:
    """scikit-learn's svd drops what the scaled columns do not span, its lsqr takes the shortest solution."""
    A = SINGULAR[kind]
    model = LinearDiscriminantAnalysis(solver=solver).fit(A, Y3)
    c = certify(model, A, Y3)
    if solver == "lsqr" and kind.startswith("more"):
        # it divides by singular values that are rounding errors, and its coefficients are nonsense
        assert np.abs(model.coef_).max() > 1e10 and "scores" in failing(c)
        return
    assert c.holds, f"\n{c}"
    lie = changed(model.coef_, (0, 0), 0.05 * float(np.abs(model.coef_).max()))
    assert not certify(altered(model, coef_=lie), A, Y3).holds


def test_digits_have_constant_columns_in_single_classes() -> None:
    A, y = load_digits(return_X_y=True)
    for options in ({}, {"solver": "lsqr"}, {"solver": "eigen", "shrinkage": "auto"}):
        assert certify(LinearDiscriminantAnalysis(**options).fit(A, y), A, y, rows=500).holds


def test_a_direction_below_tol_is_dropped_by_svd() -> None:
    """Three means almost on a line: the second direction counts 10⁻⁶ of the first, and scikit-learn leaves it out."""
    A = BASE + Y3[:, None] * np.array([9.0, 0.0, 0.0, 0.0, 0.0])
    for k in range(3):
        A[Y3 == k] -= A[Y3 == k].mean(axis=0) - np.array([9.0 * k, 1e-5 * (k == 1), 0.0, 0.0, 0.0])
    model = LinearDiscriminantAnalysis().fit(A, Y3)
    assert model.scalings_.shape[1] == 1
    assert certify(model, A, Y3).holds
    assert certify(LinearDiscriminantAnalysis(tol=1e-9).fit(A, Y3), A, Y3).holds
    assert not certify(altered(model, tol=1e-9), A, Y3).holds


def test_a_prior_of_zero() -> None:
    model = LinearDiscriminantAnalysis(priors=[0.0, 0.5, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X3, Y3)
    assert certify(model, X3, Y3).holds
    assert not certify(altered(model, intercept_=np.array([-50.0, *model.intercept_[1:]])), X3, Y3).holds


# --- against other sources ----------------------------------------------------------------------------------------


def test_the_ratio_of_the_textbook_example() -> None:
    """Ten points, S_W = S₁ + S₂ and S_B = (μ₁ − μ₂)(μ₁ − μ₂)ᵀ: λ = 15.65 and v = (0.91, 0.39).

    With S_W divided by 2 and S_B by 4, for shares of one half, the ratio is half of that.
    """
    A = np.array([[4, 1], [2, 4], [2, 3], [3, 6], [4, 4], [9, 10], [6, 8], [9, 5], [8, 7], [10, 8]], dtype=float)
    y = np.repeat([0, 1], 5)
    model = LinearDiscriminantAnalysis().fit(A, y)
    c = certify(model, A, y)
    assert c.holds and 2 * c["largest"].detail["ratios"][0] == pytest.approx(15.65, abs=0.01)
    v = np.abs(model.scalings_[:, 0]) / np.linalg.norm(model.scalings_[:, 0])
    np.testing.assert_allclose(v, [0.91, 0.39], atol=0.01)


def test_ratios_are_those_of_the_pencil() -> None:
    """SciPy's generalised eigenvalues of the scatter matrices of Fisher's irises."""
    A, y = load_iris(return_X_y=True)
    within = sum(np.cov(A[y == k].T, bias=True) for k in range(3)) / 3
    between = np.cov(A.T, bias=True) - within
    values = scipy.linalg.eigh(between, within, eigvals_only=True)[::-1]
    model = LinearDiscriminantAnalysis(solver="eigen").fit(A, y)
    model.fisher_eigenvalues_ = values[:2]
    c = certify(model, A, y)
    assert c.holds, f"\n{c}"
    np.testing.assert_allclose(c["largest"].detail["ratios"][:2], values[:2], rtol=1e-10)
    assert not certify(altered(model, fisher_eigenvalues_=values[:2] * 1.001), A, y).holds


def test_ledoit_and_wolf() -> None:
    """Against scikit-learn's estimate of every class, and weights as repetitions."""
    A, y = load_breast_cancer(return_X_y=True)
    w = rng.integers(0, 3, len(y))
    many, labels = np.repeat(A, w, axis=0), np.repeat(y, w)
    given = blocks(A, y, w.astype(float))
    moments = class_moments(given, 2)
    for k, own in enumerate(moments.covariances):
        C, _ = estimate(given, "auto", own, moments.g, moments.base[k] + moments.shift[k], moments.classes, k)
        scaler = StandardScaler()
        truth = reference_ledoit_wolf(scaler.fit_transform(many[labels == k]))[0]
        truth = truth * np.outer(scaler.scale_, scaler.scale_)
        np.testing.assert_allclose(
            C / np.outer(scaler.scale_, scaler.scale_), truth / np.outer(scaler.scale_, scaler.scale_), atol=1e-12
        )


@pytest.mark.parametrize("name", ["svd", "lsqr", "eigen, shrunk", "eigen, Ledoit and Wolf"])
def test_weights_are_repetitions(name: str) -> None:
    w = rng.integers(0, 4, N)
    model = LinearDiscriminantAnalysis(**OPTIONS[name]).fit(np.repeat(X3, w, axis=0), np.repeat(Y3, w))
    assert certify(model, X3, Y3, w.astype(float)).holds
    assert certify(model, sp.csr_array(X3), Y3, w.astype(float)).holds
    assert not certify(model, X3, Y3).holds


def test_another_basis_is_not_fishers() -> None:
    """Directions that whiten the classes but do not diagonalise the means: found out by the residual."""
    model = LinearDiscriminantAnalysis().fit(X3, Y3)
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    c = certify(altered(model, scalings_=model.scalings_ @ turn), X3, Y3)
    assert "largest" in failing(c) and "orthonormal" not in failing(c)


def test_the_second_best_direction_is_not_the_best() -> None:
    model = LinearDiscriminantAnalysis().fit(X7, Y7)
    c = certify(altered(model, scalings_=model.scalings_[:, ::-1].copy()), X7, Y7)
    assert "largest" in failing(c) and "orthonormal" not in failing(c)


# --- mutations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["two", "three", "seven"])
@pytest.mark.parametrize("name", ["svd, covariance", "lsqr", "eigen", "eigen, Ledoit and Wolf"])
def test_rejects_mutations(name: str, data: str) -> None:
    A, y = SETS[data]
    model = LinearDiscriminantAnalysis(**OPTIONS[name]).fit(A, y)
    assert certify(model, A, y).holds
    tried = 0
    for attribute, value in vars(model).items():
        if not attribute.endswith("_") or attribute in ("classes_", "n_features_in_"):
            continue
        a = np.asarray(value, dtype=float)
        small = 1e-4 * float(np.abs(a).max())
        lies = [changed(a, (0,) * a.ndim, small), changed(a, (-1,) * a.ndim, -small), a * np.nan, a * 1.001, -a]
        lies += [a[..., :-1], a * 1e200, a[::-1].copy() if a.shape[0] > 1 else a[:0]]
        for lie in lies:
            if attribute == "scalings_" and np.array_equal(lie, -a):  # signs are free
                continue
            if np.array_equal(lie, a) or (lie.shape == a.shape and np.allclose(lie, a, rtol=1e-6, atol=0)):
                continue
            assert not certify(altered(model, **{attribute: lie}), A, y).holds, f"{attribute} = {lie}"
            tried += 1
    assert tried > 25


@pytest.mark.parametrize(
    "change",
    [
        {"shrinkage": 0.3},
        {"shrinkage": None},
        {"shrinkage": "auto"},
        {"priors": [0.2, 0.3, 0.5]},
        {"covariance_estimator": OAS()},
        {"covariance_estimator": object()},
        {"solver": "svd"},
        {"n_components": 1},
    ],
)
def test_rejects_other_parameters(change: dict[str, Any]) -> None:
    model = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.2).fit(X3, Y3)
    assert certify(model, X3, Y3).holds
    assert not certify(altered(model, **change), X3, Y3).holds


def test_rejects_other_data() -> None:
    model = LinearDiscriminantAnalysis().fit(X3, Y3)
    assert not certify(model, X3[1:], Y3[1:]).holds
    assert not certify(model, X3 + 1e-3, Y3).holds
    assert not certify(model, X3, (Y3 + 1) % 3).holds
    assert "not in classes_" in certify(model, X3, np.where(Y3 == 2, -1, Y3)).failures[0].sentence
    assert "no rows" in certify(model, X3[Y3 < 2], Y3[Y3 < 2]).failures[0].sentence


@pytest.mark.parametrize("seed", range(40))
def test_random_problems(seed: int) -> None:
    """Any scales, correlations, repeated columns and offsets: good fits are accepted, a change of 2 % is not."""
    r = np.random.default_rng(seed)
    k, d = int(r.integers(2, 7)), int(r.integers(1, 20))
    y = np.concatenate([np.repeat(np.arange(k), 2), r.integers(0, k, 10 * d + 30)])
    A = r.normal(size=(len(y), d))
    A = [A, A @ r.normal(size=(d, d)), A @ (np.eye(d) + 3.0), A[:, r.integers(0, d, d)], np.round(A)][seed % 5]
    A = (A + y[:, None] * r.normal(size=d)) * 10.0 ** r.uniform(-3, 3, size=d) + 10.0 ** r.uniform(-2, 3)
    model = LinearDiscriminantAnalysis().fit(A, y)
    c = certify(model, A, y)
    assert c.holds, f"\n{c}"
    lie = model.coef_ * (1.0 + 0.02 * r.choice([-1.0, 1.0], size=model.coef_.shape))
    assert not certify(altered(model, coef_=lie), A, y).holds


@pytest.mark.parametrize("solver", ["svd", "lsqr"])
def test_a_column_constant_in_a_class_with_any_weights(solver: str) -> None:
    """Its variance there is E(x − b)² − (E(x − b))², which rounding may bring below zero."""
    r = np.random.default_rng(0)
    for _ in range(5):
        A = np.hstack([X3, np.where(Y3 == 1, 3.7, r.normal(size=N))[:, None]])
        w = r.exponential(size=N)
        model = SurefitLDA(solver=solver).fit(A, Y3, sample_weight=w)
        c = certify(model, A, Y3, w)
        assert c.holds, f"\n{c}"


def test_many_more_columns_than_rows_are_decided() -> None:
    r = np.random.default_rng(0)
    y = np.arange(300) % 3
    A = 3 * r.normal(size=(3, 600))[y] + r.normal(size=(300, 600))
    c = certify(SurefitLDA().fit(A, y), A, y)
    assert c.holds, f"\n{c}"
