"""The checker of PCA on scikit-learn's fits, against NumPy's decompositions, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from surefit.certificates import CertificateError, Grade
from surefit.certificates.theorems import pca_largest
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(13)
N, D = 350, 9
X = rng.normal(size=(N, D)) @ np.diag(np.linspace(4, 0.5, D)) @ np.linalg.qr(rng.normal(size=(D, D)))[0] + 3.0


@pytest.mark.parametrize("solver", ["auto", "full", "covariance_eigh", "arpack"])
@pytest.mark.parametrize("whiten", [False, True])
def test_accepts_every_exact_solver(solver: str, whiten: bool) -> None:
    c = certify(PCA(4, svd_solver=solver, whiten=whiten, random_state=0).fit(X), X)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


GOOD: dict[str, tuple[PCA, Any]] = {
    "all": (PCA(), X),
    "by share": (PCA(0.9), X),
    "mle": (PCA("mle"), X),
    "wide": (PCA(5), X[:8].T.copy()),
    "wide, all": (PCA(), X.T.copy()[:, :40]),
    "wide by covariance": (PCA(4, svd_solver="covariance_eigh"), X.T.copy()[:, :40]),
    "single precision": (PCA(4), X.astype(np.float32)),
    "offset of a million": (PCA(4, svd_solver="full"), X + 1e6),
    "duplicated columns": (PCA(12), np.hstack([X, X])),
    "constant column": (PCA(), np.hstack([X, np.full((N, 1), 0.1)])),
    "constant data": (PCA(2, svd_solver="full"), np.ones((9, 3))),
    "equal eigenvalues": (PCA(1), np.vstack([np.eye(3), -np.eye(3)])),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


@pytest.mark.parametrize("solver", ["arpack", "covariance_eigh"])
def test_accepts_sparse(solver: str) -> None:
    S = sp.random(200, 30, 0.2, format="csr", random_state=4)
    c = certify(PCA(5, svd_solver=solver).fit(S), S)
    assert c.holds and c.grade is Grade.OPTIMAL, f"\n{c}"


def test_randomised_is_bounded_and_the_bound_is_true() -> None:
    flat = rng.normal(size=(300, 250))
    model = PCA(8, svd_solver="randomized", iterated_power=2, random_state=0).fit(flat)
    c = certify(model, flat)
    assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"
    truth = np.linalg.eigvalsh(np.cov(flat.T))
    bound = c["eigen_residual"].detail["absolute"]
    for value in model.explained_variance_:
        assert np.abs(truth - value).min() <= bound
    missed = 1 - np.var(flat @ model.components_.T, axis=0, ddof=1).sum() / truth[-8:].sum()
    assert c["largest"].detail["missed_share"] == pytest.approx(missed, rel=1e-8)
    assert not certify(altered(model, components_=np.roll(model.components_, 1, axis=0)), flat).holds
    assert not certify(altered(model, explained_variance_=model.explained_variance_ * 1.5), flat).holds


def test_weights_are_repetitions() -> None:
    w = rng.integers(1, 4, size=N)
    again = np.repeat(X, w, axis=0)
    assert certify(PCA(4, svd_solver="full").fit(again), X, w=w.astype(float)).holds
    assert not certify(PCA(4, svd_solver="full").fit(X), X, w=w.astype(float)).holds


def test_covariance_route_loses_an_offset() -> None:
    """XᵀX − n m mᵀ cancels: at an offset of a million its eigenvalues are wrong in the fifth digit."""
    model = PCA(4, svd_solver="covariance_eigh").fit(X + 1e6)
    truth = np.linalg.eigvalsh(np.cov((X + 1e6).T))[::-1][:4]
    assert np.abs(model.explained_variance_ - truth).max() / truth[0] > 1e-8
    assert "eigen_residual" in failing(certify(model, X + 1e6))


MODEL = PCA(4, svd_solver="full").fit(X)
ALL = PCA(svd_solver="full").fit(X)
ROTATION = np.array([[np.cos(0.01), -np.sin(0.01)], [np.sin(0.01), np.cos(0.01)]])
TURNED = np.vstack([ROTATION @ MODEL.components_[:2], MODEL.components_[2:]])


def but(model: PCA, order: list[int]) -> dict[str, Any]:
    names = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")
    return {name: getattr(model, name)[order] for name in names}


LESSER = {
    **but(ALL, [0, 1, 2, 4]),
    "noise_variance_": (ALL.explained_variance_.sum() - ALL.explained_variance_[[0, 1, 2, 4]].sum()) / 5,
}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"components_": changed(MODEL.components_, (0, 0), 1e-4)}, "orthonormal"),
        ({"components_": MODEL.components_ * 2}, "orthonormal"),
        ({"components_": MODEL.components_[[1, 0, 2, 3]]}, "eigen_residual"),
        ({"components_": TURNED}, "eigen_residual"),
        ({"components_": np.zeros((4, D))}, "orthonormal"),
        ({"components_": np.eye(4, D)}, "eigen_residual"),
        ({"components_": changed(MODEL.components_, (0, 0), np.nan)}, "attributes"),
        ({"components_": MODEL.components_[:, :-1]}, "attributes"),
        ({"components_": MODEL.components_[:3]}, "attributes"),
        ({"explained_variance_": MODEL.explained_variance_ * (1 + 1e-6)}, "eigen_residual"),
        ({"explained_variance_": -MODEL.explained_variance_}, "eigen_residual"),
        ({"explained_variance_ratio_": MODEL.explained_variance_ratio_ * 1.001}, "derived"),
        ({"explained_variance_ratio_": MODEL.explained_variance_ratio_ * np.nan}, "derived"),
        ({"singular_values_": MODEL.singular_values_ * 1.001}, "derived"),
        ({"singular_values_": -MODEL.singular_values_}, "derived"),
        ({"noise_variance_": MODEL.noise_variance_ * 1.01}, "derived"),
        ({"n_samples_": N + 1}, "derived"),
        ({"n_components_": 5}, "derived"),
        ({"mean_": MODEL.mean_ * (1 + 1e-9)}, "mean"),
        ({"mean_": np.zeros(D)}, "mean"),
        ({"mean_": MODEL.mean_[::-1].copy()}, "mean"),
        (but(ALL, [1, 0, 2, 3]), "largest"),
        (LESSER, "largest"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    assert fails in failing(certify(altered(MODEL, **change), X))


def test_eigenpairs_that_are_not_the_largest_fail_by_that_alone() -> None:
    assert failing(certify(altered(MODEL, **LESSER), X)) == {"largest"}


def test_signs_are_free() -> None:
    flipped = MODEL.components_ * np.array([[-1.0], [1.0], [-1.0], [1.0]])
    assert certify(altered(MODEL, components_=flipped), X).holds


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[2:]).holds
    assert not certify(MODEL, X * 1.001).holds
    assert not certify(MODEL, X[:, ::-1]).holds
    assert certify(MODEL, X[::-1]).holds


def test_reconstruction_error_is_measured() -> None:
    Xc = X - X.mean(axis=0)
    error = ((Xc - Xc @ MODEL.components_.T @ MODEL.components_) ** 2).sum() / (N - 1)
    assert certify(MODEL, X)["reconstruction"].detail["error"] == pytest.approx(error, rel=1e-10)


@pytest.mark.parametrize("k", [2, 8])
def test_too_large_for_a_spectrum(monkeypatch: pytest.MonkeyPatch, k: int) -> None:
    """Beyond the order of full spectra: the trace proves it for eight of nine, a search supports it for two."""
    monkeypatch.setattr(pca_largest, "MAX_ORDER", 5)
    names = {"components_", "explained_variance_", "explained_variance_ratio_", "singular_values_"}
    model = PCA(k, svd_solver="full").fit(X)
    c = certify(model, X)
    assert c.holds and c.grade is (Grade.OPTIMAL if k == 8 else Grade.STATISTICAL), f"\n{c}"
    order = [*range(k - 1), k] if k < 8 else [*range(1, 9)]
    lesser = {name: getattr(ALL, name)[order] for name in names}
    assert "largest" in failing(certify(altered(model, **lesser), X))


def test_not_fitted() -> None:
    with pytest.raises(CertificateError, match="not fitted"):
        certify(PCA(), X)
