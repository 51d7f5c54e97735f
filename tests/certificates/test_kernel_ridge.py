"""The checker of KernelRidge on scikit-learn's fits, against long double, and on mutations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing
from tests.reference.ridge import long_inverse

LONG = np.longdouble
rng = np.random.default_rng(5)
N, D = 60, 4
X = rng.normal(size=(N, D)) + 0.5
Y = np.sin(X @ [1.0, 2.0, 0.0, -1.0]) + 0.1 * rng.normal(size=N)
Y2 = np.column_stack([Y, rng.normal(size=N)])
W = rng.integers(0, 4, N).astype(float)
TWICE = np.vstack([X, X[:9]])


def least_and_value(K: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: float, a: np.ndarray) -> tuple[Any, Any]:
    """min J and J(a) in long double, by the definition: J = Σω(y − Ka)² + α aᵀKa."""
    kept, K, y, a = w > 0, K.astype(LONG), y.astype(LONG), a.astype(LONG)
    k = K[np.ix_(kept, kept)]
    best = long_inverse(k + np.diag(alpha / w[kept].astype(LONG))) @ y[kept]

    def value(f: Any, norm: Any) -> Any:
        return (w * (y - f) ** 2).sum() + alpha * norm

    return value(K[:, kept] @ best, best @ k @ best), value(K @ a, a @ K @ a)


def gaussian(X: np.ndarray, gamma: float) -> np.ndarray:
    X = X.astype(LONG)
    return np.exp(-LONG(gamma) * ((X[:, None] - X[None]) ** 2).sum(axis=2))


GOOD: dict[str, tuple[KernelRidge, tuple[Any, ...]]] = {
    "rbf": (KernelRidge(kernel="rbf"), (X, Y)),
    "weights": (KernelRidge(kernel="rbf", alpha=0.1), (X, Y, W)),
    "small penalty": (KernelRidge(kernel="rbf", alpha=1e-9), (X, Y)),
    "huge penalty": (KernelRidge(kernel="rbf", alpha=1e9), (X, Y)),
    "linear": (KernelRidge(), (X, Y, W)),
    "linear, small penalty": (KernelRidge(alpha=1e-6), (X * [30.0, 1.0, 1.0, 1e-3], Y)),
    "polynomial": (KernelRidge(kernel="poly", degree=2, coef0=0.5, gamma=0.3), (X, Y)),
    "laplacian": (KernelRidge(kernel="laplacian", gamma=0.7), (X, Y2)),
    "cosine": (KernelRidge(kernel="cosine"), (X, Y)),
    "chi2": (KernelRidge(kernel="chi2", gamma=0.5), (np.abs(X), Y)),
    "penalty per target": (KernelRidge(alpha=[0.1, 10.0], kernel="rbf"), (X, Y2, W + 1.0)),
    "equal rows": (KernelRidge(kernel="rbf", alpha=0.3), (TWICE, np.append(Y, -Y[:9]))),
    "single precision": (KernelRidge(kernel="rbf"), (X.astype(np.float32), Y.astype(np.float32))),
    "sparse": (KernelRidge(kernel="rbf"), (sp.csr_array(np.where(X > 0.5, X, 0.0)), Y)),
    "one row": (KernelRidge(kernel="rbf"), (X[:1], Y[:1])),
    "offset": (KernelRidge(kernel="rbf"), (X + 1000.0, Y)),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(*data), *data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"
    assert not c.not_checked


def test_a_kernel_that_is_none_is_checked_as_a_linear_system() -> None:
    model = KernelRidge(kernel="sigmoid", alpha=3.0).fit(X, Y)
    c = certify(model, X, Y)
    assert c.holds and c.grade is Grade.BOUNDED and "system" in c
    assert failing(certify(altered(model, dual_coef_=model.dual_coef_ * 1.001), X, Y)) == {"system"}


def test_precomputed_and_callable_kernels() -> None:
    K = pairwise_kernels(X, metric="rbf", gamma=0.2)
    model = KernelRidge(kernel="precomputed").fit(K, Y)
    c = certify(model, K, Y)
    assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"
    assert not certify(altered(model, dual_coef_=model.dual_coef_[::-1].copy()), K, Y).holds
    own = KernelRidge(kernel=lambda a, b, c: (a @ b + c) ** 2, kernel_params={"c": 0.5}).fit(X, Y)
    c = certify(own, X, Y)
    assert c.holds, f"\n{c}"


@pytest.mark.parametrize("alpha", [1e-6, 1e-2, 10.0])
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 1e-1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_printed_gap_bounds_the_true_one(alpha: float, size: float, dtype: Any) -> None:
    """Against long double by the definition; what is worse than the limit and its excuse is refused."""
    A, y = X.astype(dtype), Y.astype(dtype)
    model = KernelRidge(kernel="rbf", gamma=0.3, alpha=alpha).fit(A, y, W)
    noise = rng.choice([-1.0, 1.0], N)
    liar = altered(model, dual_coef_=(model.dual_coef_ * (1 + size * noise)).astype(dtype))
    least, value = least_and_value(gaussian(A, 0.3), y, W, alpha, liar.dual_coef_)
    claim = certify(liar, A, y, W)["optimal"]
    true = float((value - least) / least)
    assert claim.value is not None and claim.value >= true * (1 - 1e-9)
    assert claim.holds == (claim.value <= 1e-6 + claim.excuse)
    assert not (claim.holds and true > 1e-6 + claim.excuse)
    assert claim.value <= max(2 * true, 1e-6 + claim.excuse)


@pytest.mark.parametrize("offset", [0.0, 30.0, 1e3, 1e5])
def test_a_linear_fit_far_from_the_origin_is_decided(offset: float) -> None:
    """Against rational arithmetic: f(x) = b·x of two columns, the best b by Cramer's rule."""
    A = X[:, :2] + offset
    model = KernelRidge().fit(A, Y)
    rational = np.vectorize(Fraction, otypes=[object])
    rows, y, a = rational(A), rational(Y), rational(model.dual_coef_)
    (p, q), (_, r) = rows.T @ rows + rational(np.eye(2))
    u, v = rows.T @ y
    best = np.array([r * u - q * v, p * v - q * u]) / (p * r - q * q)

    def value(b: np.ndarray) -> Any:
        return ((y - rows @ b) ** 2).sum() + b @ b

    claim = certify(model, A, Y)["optimal"]
    assert claim.holds and claim.grade is Grade.OPTIMAL, f"\n{claim}"
    assert claim.value is not None and claim.value >= value(rows.T @ a) / value(best) - 1 >= 0


MODEL = KernelRidge(kernel="rbf", gamma=0.3, alpha=0.5).fit(X, Y)


@pytest.mark.parametrize(
    "change",
    [
        {"dual_coef_": changed(MODEL.dual_coef_, 1, 1e-2)},
        {"dual_coef_": MODEL.dual_coef_[::-1].copy()},
        {"dual_coef_": -MODEL.dual_coef_},
        {"dual_coef_": np.zeros(N)},
        {"dual_coef_": changed(MODEL.dual_coef_, 0, np.nan)},
        {"dual_coef_": MODEL.dual_coef_[:3]},
        {"dual_coef_": "none"},
        {"X_fit_": X[::-1].copy()},
        {"X_fit_": X + 1e-9},
        {"X_fit_": X[:-1]},
        {"X_fit_": X[:, :-1]},
        {"X_fit_": np.zeros_like(X)},
        {"X_fit_": None},
        {"alpha": 0.6},
        {"alpha": 0.0},
        {"alpha": -1.0},
        {"alpha": np.nan},
        {"alpha": [1.0, 2.0]},
        {"alpha": None},
        {"gamma": 0.31},
        {"gamma": None},
        {"gamma": "wide"},
        {"gamma_": 0.4},
        {"kernel": "laplacian"},
        {"kernel": "linear"},
        {"kernel": "unknown"},
        {"kernel": 3},
    ],
)
def test_rejects_mutations(change: dict[str, Any]) -> None:
    assert certify(MODEL, X, Y).holds
    assert not certify(altered(MODEL, **change), X, Y).holds


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[3:], Y[3:]).holds
    assert not certify(MODEL, np.vstack([X, X[:1] + 1]), np.append(Y, 1.0)).holds
    assert not certify(MODEL, X, Y, W).holds
    assert not certify(MODEL, X, Y + 1).holds
    assert not certify(MODEL, X[:, ::-1].copy(), Y).holds


def test_rejects_coefficients_on_rows_without_weight() -> None:
    model = KernelRidge(kernel="rbf", alpha=0.5).fit(X, Y, W)
    idle = int(np.flatnonzero(W == 0)[0])
    assert failing(certify(altered(model, dual_coef_=changed(model.dual_coef_, idle, 0.1)), X, Y, W)) == {"rows"}


def test_rejects_other_predictions() -> None:
    class Rounded(KernelRidge):
        def predict(self, X: Any) -> Any:
            return np.round(super().predict(X), 6)

    assert failing(certify(Rounded(kernel="rbf").fit(X, Y), X, Y)) == {"predict"}


def test_digits_lost_by_the_solver_are_seen() -> None:
    """scikit-learn's distances far from the origin: the fit is proved to be worse than another."""
    A = X + 1e7
    c = certify(KernelRidge(kernel="rbf", alpha=1e-3).fit(A, Y), A, Y)
    assert not c.holds and c["optimal"].grade is Grade.NOT_OPTIMAL, f"\n{c}"


class Indefinite:
    """k(a, b) = −a·b, which says of itself that it is positive definite."""

    positive_definite = True

    def __call__(self, A: Any, B: Any) -> Any:
        return -A @ B.T


def test_a_kernels_own_word_is_no_proof_that_it_is_positive() -> None:
    """α‖f‖² = α a'Ka falls without end where K is negative: the linear system has a solution, J no least value."""
    c = certify(KernelRidge(kernel=Indefinite(), alpha=1e4).fit(X, Y), X, Y)
    assert "optimal" not in c and c["system"].grade is Grade.BOUNDED and c.holds, f"\n{c}"
