"""Checkers of naive Bayes and discriminant analysis measure each class in its own units, however many rows there are.

Means are held against the deviation of their class, counts to less than a row, and predictions against the attributes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import discriminant_analysis as reference_da
from sklearn import naive_bayes as reference_nb
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import surefit
from surefit import discriminant_analysis, naive_bayes
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, failing

rng = np.random.default_rng(43)
N = 20_000
Y = (rng.random(N) < 0.4).astype(int)
X = rng.normal(size=(N, 3)) + 0.5 * Y[:, None]
COUNTS = rng.poisson(1.0 + Y[:, None] * np.arange(3)).astype(np.float32)

GAUSSIAN = [naive_bayes.GaussianNB, discriminant_analysis.LinearDiscriminantAnalysis]
GAUSSIAN += [discriminant_analysis.QuadraticDiscriminantAnalysis]
ALL: list[tuple[Any, np.ndarray]] = [(make, X.astype(np.float32)) for make in GAUSSIAN]
ALL += [
    (getattr(naive_bayes, f"{name}NB"), COUNTS) for name in ("Multinomial", "Bernoulli", "Complement", "Categorical")
]


@pytest.mark.parametrize("offset", [0.0, 100.0, 3000.0])
@pytest.mark.parametrize("make", GAUSSIAN)
def test_a_mean_that_is_off_in_single_precision(make: Any, offset: float) -> None:
    """Limits do not grow with the rows: ten roundings of a mean, in deviations, and not more."""
    A = (X + offset).astype(np.float32)
    model = make().fit(A, Y)
    assert certify(model, A, Y, rows=4096).holds
    name = "theta_" if hasattr(model, "theta_") else "means_"
    for by in (0.4, 0.01 if offset < 1000 else 0.1):
        means = getattr(model, name).copy()
        means[0, 0] += by
        c = certify(altered(model, **{name: means}), A, Y, rows=4096)
        assert name in failing(c) and c[name].grade is Grade.NOT_OPTIMAL
        assert c[name].value == pytest.approx(by, rel=0.1)


@pytest.mark.parametrize(("make", "A"), ALL)
@pytest.mark.parametrize("dropped", [1, 30])
def test_fits_without_some_rows(make: Any, A: np.ndarray, dropped: int) -> None:
    assert certify(make().fit(A, Y), A, Y, rows=4096).holds
    assert not certify(make().fit(A[dropped:], Y[dropped:]), A, Y, rows=4096).holds


def test_scikit_learns_single_precision_sums_are_named() -> None:
    """Its mean of 20,000 rows about 100 adds up in single precision; the error shown is that against double."""
    A = (X + 100.0).astype(np.float32)
    model = reference_nb.GaussianNB().fit(A, Y)
    truth = np.stack([A[Y == k].astype(np.float64).mean(axis=0) for k in range(2)])
    true = (np.abs(model.theta_ - truth) / A.astype(np.float64).std(axis=0)).max()
    c = certify(model, A, Y, rows=4096)
    assert true > 1e-4 and "theta_" in failing(c) and c["theta_"].value >= 0.5 * true


# --- predictions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "A"), ALL)
def test_a_method_that_says_something_else(make: Any, A: np.ndarray) -> None:
    A, y = A[:500].astype(np.float64), Y[:500]
    model = make().fit(A, y)
    assert certify(model, A, y).holds
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform"):
        if not hasattr(make, name):
            continue

        def other(self: Any, rows: Any, name: str = name, base: Any = make) -> Any:
            answer = getattr(base, name)(self, rows)
            return answer[::-1] if name == "predict" else answer * 1.001

        model.__class__ = type(make.__name__, (make,), {name: other})
        assert failing(certify(model, A, y)) == {name}
        model.__class__ = make


@pytest.mark.parametrize(("make", "A"), ALL)
def test_labels_of_another_type(make: Any, A: np.ndarray) -> None:
    A, y = A[:500].astype(np.float64), Y[:500]
    model = make().fit(A, y)
    assert not certify(model, A, y.astype(str)).holds
    assert not certify(altered(model, classes_=np.array(["0", "1"])), A, y).holds


# --- partial_fit --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [naive_bayes, reference_nb])
@pytest.mark.parametrize("name", ["Gaussian", "Multinomial", "Bernoulli", "Complement", "Categorical"])
def test_a_fit_in_parts(library: Any, name: str) -> None:
    A, y = (X[:900] if name == "Gaussian" else np.minimum(COUNTS[:900], 3).astype(np.float64)), Y[:900]
    model = getattr(library, f"{name}NB")()
    for rows in (slice(0, 300), slice(300, 600), slice(600, 900)):
        model.partial_fit(A[rows], y[rows], classes=[0, 1])
    assert certify(model, A, y).holds, f"\n{certify(model, A, y)}"
    assert not certify(model, A[:-1], y[:-1]).holds


# --- covariances without some directions ----------------------------------------------------------------------------


def columns(A: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "constant within classes": np.column_stack([A, y]),
        "constant": np.column_stack([A, np.full(len(y), 3.7)]),
        "repeated": np.column_stack([A, A[:, 0]]),
        "sum": np.column_stack([A, A[:, 0] + A[:, 1]]),
    }


@pytest.mark.parametrize("kind", columns(X, Y))
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_columns_that_add_no_direction(load: Any, kind: str) -> None:
    A, y = load(return_X_y=True)
    A = columns(A, y)[kind]
    for solver in ("svd", "lsqr", "eigen"):
        model = discriminant_analysis.LinearDiscriminantAnalysis(solver=solver).fit(A, y)
        assert surefit.certify(model, A, y).holds, f"{solver}\n{surefit.certify(model, A, y)}"
        assert not surefit.certify(altered(model, coef_=model.coef_ * 1.0001), A, y).holds
    model = reference_da.LinearDiscriminantAnalysis(solver="lsqr").fit(A, y)
    assert surefit.certify(model, A, y).holds, f"\n{surefit.certify(model, A, y)}"


def test_scikit_learn_divides_by_the_rounding_of_a_constant() -> None:
    """3.7 has no exact mean: svd keeps what is left of the column, and gives it a coefficient beyond all others."""
    A, y = load_wine(return_X_y=True)
    A = columns(A, y)["constant"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = reference_da.LinearDiscriminantAnalysis().fit(A, y)
    assert np.abs(model.coef_[:, -1]).max() > 1e6
    assert "span" in failing(surefit.certify(model, A, y))


def test_classes_that_are_near_each_other_are_held_to_their_distance() -> None:
    """A hundredth of a deviation between the means: coefficients are still wrong when they are off by a thousandth."""
    A = rng.normal(size=(4000, 3))
    y = np.arange(4000) % 3
    for k in range(3):
        A[y == k] += 0.01 * k - A[y == k].mean(axis=0)
    model = discriminant_analysis.LinearDiscriminantAnalysis().fit(A, y)
    assert certify(model, A, y, rows=4096).holds
    assert "scores" in failing(certify(altered(model, coef_=model.coef_ * 1.00001), A, y, rows=4096))
