"""The checker of KernelRidgeCV: leave-one-out against refits of scikit-learn's KernelRidge, and mutations."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import scale

from surefit.certificates import Grade
from surefit.certificates.theorems.kernel_machine.left_out import left_out
from surefit.kernel_ridge import KernelRidgeCV
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(8)
N = 40
X = rng.normal(size=(N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=N)
Y2 = np.column_stack([Y, rng.normal(size=N)])
W = rng.integers(0, 4, N).astype(float)
GRID = np.logspace(-3, 2, 6)


def refits(X: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: float, gamma: float) -> np.ndarray:
    """ω·error² of every row by fits without it."""
    found = []
    for i in range(len(X)):
        keep = (np.arange(len(X)) != i) & (w > 0)
        other = KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma).fit(X[keep], y[keep], w[keep])
        found.append(w[i] * (y[i] - other.predict(X[i : i + 1])[0]) ** 2)
    return np.array(found)


def stand_in(alphas: Any, gammas: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
    """What KernelRidgeCV would learn, from refits of scikit-learn alone."""
    scores = np.array([[-refits(X, y, w, a, g).mean() for a in alphas] for g in gammas])
    g, a = np.unravel_index(scores.argmax(), scores.shape)
    fit = KernelRidge(alpha=alphas[a], kernel="rbf", gamma=gammas[g]).fit(X, y, w)
    return SimpleNamespace(
        **vars(fit) | {"alphas": alphas, "gammas": gammas, "gamma": None, "alpha_": alphas[a], "gamma_": gammas[g]},
        best_score_=scores.max(), path_scores_=scores, cv=None, scoring=None, alpha_per_target=False,
        predict=fit.predict,
    )  # fmt: skip


def test_accepts_what_refits_give() -> None:
    from surefit.certificates.kernel_ridge.kernel_ridge_cv import check_kernel_ridge_cv
    from tests.certificates.bench import blocks

    model = stand_in([0.01, 0.1, 1.0], [0.1, 0.5], X, Y, W)
    claims, _ = check_kernel_ridge_cv(model, blocks(X, Y, W), 1e-6)
    assert all(claim.holds for claim in claims), claims
    assert {"optimal", "scores", "best"} <= {claim.name for claim in claims}
    model.path_scores_ = model.path_scores_ * 1.001
    claims, _ = check_kernel_ridge_cv(model, blocks(X, Y, W), 1e-6)
    assert {claim.name for claim in claims if not claim.holds} == {"scores"}


@pytest.mark.parametrize("alpha", [1e-6, 1e-2, 10.0])
def test_left_out_errors_are_those_of_refits_within_their_bounds(alpha: float) -> None:
    S = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    value, off = left_out(S, 1e-15 * N, Y[:, None], alpha, np.linalg.inv(S + alpha * np.eye(N)))
    true = np.sqrt(refits(X, Y, np.ones(N), alpha, 0.3))
    own = 1e-14 * N * (1 + 1 / alpha) * (true + 1e-3)  # what a refit in double is off by
    assert (np.abs(np.abs(value[:, 0]) - true) <= off[:, 0] + own).all()
    worse, wide = left_out(S, 0.0, Y[:, None], alpha, np.linalg.inv(S + alpha * np.eye(N)) * 1.001)
    assert (np.abs(worse - value) <= wide + off).all(), "a bad proposal loosens the bound, it does not break it"


GOOD: dict[str, tuple[KernelRidgeCV, tuple[Any, ...]]] = {
    "rbf": (KernelRidgeCV(GRID, kernel="rbf", gamma=0.3, store_cv_results=True), (X, Y)),
    "weights": (KernelRidgeCV(GRID, kernel="rbf", gamma=0.3, store_cv_results=True), (X, Y, W)),
    "widths": (KernelRidgeCV(GRID, kernel="rbf", gammas=[0.01, 0.1, 1.0]), (X, Y, W)),
    "linear": (KernelRidgeCV(GRID), (X, Y)),
    "two targets": (KernelRidgeCV(GRID, kernel="rbf"), (X, Y2, W)),
    "penalty per target": (KernelRidgeCV(GRID, kernel="rbf", alpha_per_target=True, gammas=[0.1, 1.0]), (X, Y2)),
    "equal rows": (
        KernelRidgeCV(GRID, kernel="rbf", store_cv_results=True),
        (np.vstack([X, X[:5]]), np.append(Y, Y[:5])),
    ),
    "single precision": (KernelRidgeCV(GRID, kernel="rbf"), (X.astype(np.float32), Y.astype(np.float32))),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(*data), *data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert {"scores", "best"} <= {claim.name for claim in c} and set(c.not_checked) <= {"kernel_"}


def test_what_is_not_derived_again_is_said() -> None:
    for options in ({"cv": 3}, {"scoring": "r2"}, {"kernel": "sigmoid"}):
        c = certify(KernelRidgeCV([1.0, 10.0], **options).fit(X, Y), X, Y)
        assert "not checked" in c["selection"].sentence, f"\n{c}"


MODEL = KernelRidgeCV(GRID, kernel="rbf", gammas=[0.1, 0.5], store_cv_results=True).fit(X, Y)
OTHER = KernelRidgeCV(GRID[-1:], kernel="rbf", gammas=[0.1]).fit(X, Y)
WORSE = {name: getattr(OTHER, name) for name in ("alpha_", "gamma_", "dual_coef_", "best_score_", "kernel_")}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"best_score_": MODEL.best_score_ * 1.001}, "scores"),
        ({"best_score_": np.nan}, "scores"),
        ({"best_score_": "good"}, "scores"),
        ({"path_scores_": MODEL.path_scores_[::-1].copy()}, "scores"),
        ({"path_scores_": MODEL.path_scores_[:1]}, "scores"),
        ({"cv_results_": MODEL.cv_results_ * 1.001}, "stored_errors"),
        ({"cv_results_": MODEL.cv_results_[:-1]}, "stored_errors"),
        ({"cv_results_": changed(MODEL.cv_results_, (3, 0), 0.1)}, "stored_errors"),
        ({"alphas": GRID * 1.1}, "on_grid"),
        ({"alphas": -GRID}, "on_grid"),
        ({"gammas": [0.2, 0.7]}, "on_grid"),
        ({"alpha_": MODEL.alpha_ * 1.3}, "optimal"),
        ({"gamma_": 0.3}, "optimal"),
        ({"dual_coef_": MODEL.dual_coef_ * 1.01}, "optimal"),
        ({"dual_coef_": MODEL.dual_coef_[::-1].copy()}, "optimal"),
        ({"X_fit_": X[::-1].copy()}, "rows"),
        ({"alpha_": np.nan}, "attributes"),
        (WORSE, "best"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X, Y).holds
    assert fails in failing(certify(altered(MODEL, **change), X, Y))


@pytest.mark.parametrize("offset, scales", [(30.0, 1.0), (1e3, 1.0), (0.0, np.logspace(-3, 3, 10))])
def test_linear_kernels_of_raw_columns_are_decided(offset: float, scales: Any) -> None:
    """The Gram matrix has condition numbers up to 1e10, which float64 alone does not invert well enough."""
    A, y = load_diabetes(return_X_y=True)
    A = (scale(A)[:150] + offset) * scales
    c = certify(KernelRidgeCV().fit(A, y[:150]), A, y[:150])
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
