"""The checker of QuadraticDiscriminantAnalysis: scikit-learn's solvers, regularised and shrunk, and mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(37)
N, D = 200, 4
Y = rng.integers(0, 3, N)
X = rng.normal(size=(N, D)) * (1.0 + Y[:, None]) @ rng.normal(size=(D, D)) + Y[:, None]

OPTIONS: dict[str, dict[str, Any]] = {
    "svd": {},
    "svd, covariance": {"store_covariance": True},
    "svd, regularised": {"reg_param": 0.3, "store_covariance": True},
    "svd, all identity": {"reg_param": 1.0},
    "eigen": {"solver": "eigen", "store_covariance": True},
    "eigen, shrunk": {"solver": "eigen", "shrinkage": 0.2, "store_covariance": True},
    "eigen, Ledoit and Wolf": {"solver": "eigen", "shrinkage": "auto"},
    "priors": {"priors": [0.2, 0.3, 0.5]},
    "priors of another sum": {"priors": [1.0, 1.0, 2.0]},
}


@pytest.mark.parametrize("data", ["random", "wine", "offset", "single precision"])
@pytest.mark.parametrize("name", OPTIONS)
def test_accepts(name: str, data: str) -> None:
    A, y = {"wine": load_wine(return_X_y=True), "offset": (X + 1e4, Y)}.get(data, (X, Y))
    A = A.astype(np.float32) if data == "single precision" else A
    c = certify(QuadraticDiscriminantAnalysis(**OPTIONS[name]).fit(A, y), A, y)
    # ten roundings in single precision may be more than the limit of 1e-6
    grades = {Grade.EXACT, Grade.BOUNDED} if data == "single precision" else {Grade.EXACT}
    assert c.holds and c.grade in grades and not c.not_checked, f"\n{c}"


def test_constant_columns_with_a_regularised_covariance() -> None:
    A, y = load_digits(return_X_y=True)
    for options in ({"reg_param": 0.1}, {"solver": "eigen", "shrinkage": "auto", "tol": 0.0}):
        assert certify(QuadraticDiscriminantAnalysis(**options).fit(A, y), A, y, rows=500).holds


@pytest.mark.parametrize("name", ["svd, regularised", "eigen, shrunk", "eigen, Ledoit and Wolf"])
def test_weights_are_repetitions(name: str) -> None:
    w = rng.integers(0, 4, N)
    model = QuadraticDiscriminantAnalysis(**OPTIONS[name]).fit(np.repeat(X, w, axis=0), np.repeat(Y, w))
    assert certify(model, X, Y, w.astype(float)).holds
    assert certify(model, sp.csr_array(X), Y, w.astype(float)).holds
    assert not certify(model, X, Y).holds


def test_distances_and_determinants_by_hand() -> None:
    """Corners of a box of sides 2 and 6 about two centres: variances 9 and 1, axes of the coordinates."""
    box = np.array([[1.0, 3.0], [1.0, -3.0], [-1.0, 3.0], [-1.0, -3.0]])
    A, y = np.vstack([box, box + 10.0]), np.repeat([0, 1], 4)
    model = QuadraticDiscriminantAnalysis().fit(A, y)
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    model.means_, model.priors_ = np.array([[0.0, 0.0], [10.0, 10.0]]), np.array([0.5, 0.5])
    model.rotations_, model.scalings_ = [swap, swap], [np.array([9.0, 1.0])] * 2
    assert certify(model, A, y).holds
    assert "whitened" in failing(certify(altered(model, rotations_=[np.eye(2), swap]), A, y))
    assert "whitened" in failing(certify(altered(model, scalings_=[np.array([9.0, 1.0]), np.array([9.0, 1.1])]), A, y))
    both = {"rotations_": [np.eye(2), swap], "scalings_": [np.array([1.0, 9.0]), np.array([9.0, 1.0])]}
    assert failing(certify(altered(model, **both), A, y)) == {"descending"}


def test_a_small_variance_is_checked_as_closely_as_a_large_one() -> None:
    A = X * np.array([1.0, 1e-4, 1e3, 1.0])
    model = QuadraticDiscriminantAnalysis(tol=0.0).fit(A, Y)
    assert certify(model, A, Y).holds
    lie = [s * np.array([1.0, 1.0, 1.0, 1.01]) for s in model.scalings_]
    assert "whitened" in failing(certify(altered(model, scalings_=lie), A, Y))


@pytest.mark.parametrize("name", ["svd, covariance", "eigen, shrunk", "eigen, Ledoit and Wolf"])
def test_rejects_mutations(name: str) -> None:
    model = QuadraticDiscriminantAnalysis(**OPTIONS[name]).fit(X, Y)
    assert certify(model, X, Y).holds
    tried = 0
    for attribute, value in vars(model).items():
        if not attribute.endswith("_") or attribute in ("classes_", "n_features_in_"):
            continue
        a = np.asarray(value, dtype=float)
        small = 1e-4 * float(np.abs(a).max())
        lies = [changed(a, (0,) * a.ndim, small), changed(a, (-1,) * a.ndim, -small), a * np.nan, a * 1.001, -a]
        lies += [a[..., :-1], a * 1e200, a[::-1].copy(), a[..., ::-1].copy()]
        for lie in lies:
            if attribute == "rotations_" and np.array_equal(lie, -a):  # signs are free
                continue
            assert not certify(altered(model, **{attribute: lie}), X, Y).holds, f"{attribute} = {lie}"
            tried += 1
    assert tried > 25


@pytest.mark.parametrize(
    "change",
    [{"reg_param": 0.2}, {"reg_param": -1}, {"priors": [0.2, 0.3, 0.5]}, {"shrinkage": 0.2}, {"solver": "eigen"}],
)
def test_rejects_other_parameters(change: dict[str, Any]) -> None:
    model = QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X, Y)
    assert certify(model, X, Y).holds
    assert not certify(altered(model, **change), X, Y).holds


def test_rejects_other_data() -> None:
    model = QuadraticDiscriminantAnalysis().fit(X, Y)
    assert not certify(model, X[1:], Y[1:]).holds
    assert not certify(model, X + 1e-3, Y).holds
    assert not certify(model, X, (Y + 1) % 3).holds
    assert "not in classes_" in certify(model, X, np.where(Y == 2, -1, Y)).failures[0].sentence
