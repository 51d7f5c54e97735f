"""The checker of KernelPCA on scikit-learn's fits, against long double, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel

import surefit.decomposition
from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(2)
N, D = 80, 4
X = rng.normal(size=(N, D)) * [3.0, 1.0, 0.5, 0.1] + 2.0
BACK = {"fit_inverse_transform": True, "alpha": 0.1}

GOOD: dict[str, tuple[KernelPCA, Any]] = {
    "linear": (KernelPCA(3), X),
    "all of them": (KernelPCA(), X),
    "all, rbf": (KernelPCA(kernel="rbf"), X),
    "more than the rank": (KernelPCA(6), X),
    "more than the rows": (KernelPCA(100, kernel="rbf"), X[:20]),
    "zeros removed": (KernelPCA(6, remove_zero_eig=True), X),
    "rbf": (KernelPCA(4, kernel="rbf", gamma=0.2), X),
    "arpack": (KernelPCA(3, kernel="rbf", eigen_solver="arpack", random_state=0), X),
    "polynomial": (KernelPCA(3, kernel="poly", degree=2), X),
    "cosine": (KernelPCA(3, kernel="cosine"), X),
    "way back": (KernelPCA(3, kernel="rbf", gamma=0.2, **BACK), X),
    "way back, linear": (KernelPCA(2, **BACK), X),
    "sparse": (KernelPCA(3, kernel="rbf"), sp.csr_array(np.where(X > 2.0, X, 0.0))),
    "precomputed": (KernelPCA(3, kernel="precomputed"), rbf_kernel(X)),
    "function": (KernelPCA(2, kernel=lambda a, b: float(a @ b) ** 2), X[:25]),
    "equal rows": (KernelPCA(3, kernel="rbf"), np.vstack([X[:30], X[:30]])),
    "scales": (KernelPCA(3, kernel="rbf", gamma=1e-7), X * [1e3, 1.0, 1.0, 1e-3]),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert set(c.not_checked) <= {"inverse_transform"}


def test_grades() -> None:
    assert certify(KernelPCA(3, kernel="rbf").fit(X), X).grade is Grade.OPTIMAL
    single = X.astype(np.float32)
    assert certify(KernelPCA(3, kernel="rbf").fit(single), single).grade in (Grade.OPTIMAL, Grade.BOUNDED)
    rough = KernelPCA(3, kernel="rbf", gamma=5.0, eigen_solver="randomized", iterated_power=0, random_state=0).fit(X)
    c = certify(rough, X)
    assert c.grade is not Grade.OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3])
def test_printed_residuals_bound_the_true_ones(dtype: Any, size: float) -> None:
    """‖Mu − λu‖/λ in long double, by the definition of the centered Gram matrix."""
    A = X.astype(dtype)
    model = KernelPCA(4, kernel="rbf", gamma=0.2).fit(A)
    vectors = (model.eigenvectors_ * (1 + size * rng.choice([-1.0, 1.0], model.eigenvectors_.shape))).astype(dtype)
    Z = A.astype(np.longdouble)
    K = np.exp(-np.longdouble(0.2) * ((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    M = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    lam, U = model.eigenvalues_.astype(np.longdouble), vectors.astype(np.longdouble)
    true = np.sqrt((((M @ U) / lam - U) ** 2).sum(axis=0)).astype(float)
    claim = certify(altered(model, eigenvectors_=vectors), A)["pairs"]
    assert (np.array(claim.detail["values"]) >= true * (1 - 1e-9)).all()
    assert not (claim.holds and (true > 1e-6 + np.array(claim.detail["excuses"])).any())


MODEL = KernelPCA(3, kernel="rbf", gamma=0.2, **BACK).fit(X)
NEXT = KernelPCA(4, kernel="rbf", gamma=0.2, **BACK).fit(X)
LATER = {
    "eigenvalues_": NEXT.eigenvalues_[[0, 1, 3]],
    "eigenvectors_": NEXT.eigenvectors_[:, [0, 1, 3]],
}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"eigenvalues_": MODEL.eigenvalues_ * 1.001}, "pairs"),
        ({"eigenvalues_": MODEL.eigenvalues_[::-1].copy()}, "attributes"),
        ({"eigenvalues_": MODEL.eigenvalues_[:2]}, "attributes"),
        ({"eigenvalues_": -MODEL.eigenvalues_}, "attributes"),
        ({"eigenvalues_": changed(MODEL.eigenvalues_, 0, np.nan)}, "attributes"),
        ({"eigenvectors_": MODEL.eigenvectors_[::-1].copy()}, "pairs"),
        ({"eigenvectors_": MODEL.eigenvectors_[:, ::-1].copy()}, "pairs"),
        ({"eigenvectors_": MODEL.eigenvectors_ * 1.001}, "orthonormal"),
        ({"eigenvectors_": changed(MODEL.eigenvectors_, (0, 2), 1e-3)}, "pairs"),
        ({"eigenvectors_": np.zeros((N, 3))}, "orthonormal"),
        (LATER, "largest"),
        ({"X_fit_": X[::-1].copy()}, "attributes"),
        ({"X_fit_": X + 1e-9}, "attributes"),
        ({"gamma_": 0.21}, "attributes"),
        ({"gamma": 0.21, "gamma_": 0.21}, "pairs"),
        ({"kernel": "linear"}, "pairs"),
        ({"kernel": "no such kernel"}, "attributes"),
        ({"n_components": 4}, "n_components"),
        ({"n_components": None}, "largest"),
        ({"dual_coef_": MODEL.dual_coef_ * 1.01}, "pre_images"),
        ({"dual_coef_": MODEL.dual_coef_[::-1].copy()}, "pre_images"),
        ({"dual_coef_": MODEL.dual_coef_[:, :2]}, "attributes"),
        ({"X_transformed_fit_": MODEL.X_transformed_fit_ * 1.001}, "projections"),
        ({"alpha": 0.2}, "pre_images"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    assert fails in failing(certify(altered(MODEL, **change), X))


def test_what_is_left_out_is_proved_to_be_larger() -> None:
    claim = certify(altered(MODEL, **LATER), X)["largest"]
    exact = (NEXT.eigenvalues_[2] - NEXT.eigenvalues_[3]) / NEXT.eigenvalues_[3]
    assert claim.grade is Grade.NOT_OPTIMAL and f"{exact:.2g}" in claim.sentence


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[3:]).holds
    assert not certify(MODEL, X + 0.1).holds
    assert not certify(MODEL, X[:, ::-1].copy()).holds
    assert not certify(MODEL, X, None, np.arange(N) + 1.0).holds


def test_rejects_other_answers() -> None:
    class Rounded(KernelPCA):
        def transform(self, X: Any) -> Any:
            return np.round(super().transform(X), 6)

        def inverse_transform(self, X: Any) -> Any:
            return np.round(super().inverse_transform(X), 6)

    c = certify(Rounded(2, kernel="rbf", fit_inverse_transform=True).fit(X), X)
    assert failing(c) == {"transform", "inverse_transform"}


def test_what_is_too_large_is_said() -> None:
    c = certify(MODEL, np.zeros((7000, D)))
    assert not c.holds and "too large" in c[0].sentence


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_float32_far_from_zero_excuses_no_lie(offset: float) -> None:
    """There roundings of the Gram matrix are larger than its eigenvalues about the mean: those are no zeros."""
    A = (X + offset).astype(np.float32)
    model = surefit.decomposition.KernelPCA(3).fit(A)
    assert np.allclose(model.eigenvalues_, np.linalg.svd(A.astype(float) - A.astype(float).mean(axis=0))[1][:3] ** 2)
    assert certify(model, A).holds
    for lie in (
        altered(model, eigenvectors_=model.eigenvectors_[::-1].copy()),
        altered(model, eigenvalues_=np.zeros_like(model.eigenvalues_)),
        altered(model, eigenvalues_=model.eigenvalues_ * np.float32(1.2)),
    ):
        assert not certify(lie, A).holds


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("scales", [1.0, [1e-3, 1.0, 30.0, 1e3]])
@pytest.mark.parametrize("seed", range(3))
def test_fits_of_all_components_hold(kernel: str, scales: Any, seed: int) -> None:
    """Σb of the smallest is not quite zero, and rows of large columns have no like: K is the identity."""
    A = np.random.default_rng(seed).normal(size=(50, 4)) * scales
    c = certify(surefit.decomposition.KernelPCA(kernel=kernel).fit(A), A)
    assert c.holds, f"\n{c}"
