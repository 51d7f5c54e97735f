"""The checkers of ClassicalMDS and MDS on scikit-learn's fits, against long double, and on mutations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.manifold import MDS, ClassicalMDS
from sklearn.metrics import pairwise_distances

from surefit.certificates import Grade
from surefit.certificates.search.graphs.isotonic import nearest_monotone
from surefit.certificates.search.spectral.eigen_basis import eigen_basis
from surefit.certificates.theorems.graphs.stress import disparities
from surefit.certificates.theorems.spectral.all_eigenvalues import all_eigenvalues
from tests.certificates.bench import altered, certify, changed, failing

pytestmark = pytest.mark.filterwarnings("ignore")
rng = np.random.default_rng(5)
N, D = 70, 5
X = rng.normal(size=(N, D)) * [3.0, 2.0, 1.0, 0.5, 0.1] + 2.0
STARTS = {"init": "classical_mds", "random_state": 0}

GOOD_CLASSICAL: dict[str, tuple[ClassicalMDS, Any]] = {
    "euclidean": (ClassicalMDS(3), X),
    "manhattan": (ClassicalMDS(2, metric="manhattan"), X),
    "cosine": (ClassicalMDS(2, metric="cosine"), X),
    "minkowski": (ClassicalMDS(2, metric="minkowski", metric_params={"p": 3}), X),
    "function": (ClassicalMDS(2, metric=lambda a, b: float(np.abs(a - b).max())), X[:25]),
    "precomputed": (ClassicalMDS(3, metric="precomputed"), pairwise_distances(X, metric="chebyshev")),
    "equal rows": (ClassicalMDS(2), np.vstack([X[:30], X[:30]])),
    "far": (ClassicalMDS(2), X + 3000.0),
    "scales": (ClassicalMDS(2), X * [1e3, 1e3, 1.0, 1.0, 1e-3]),
    "float32": (ClassicalMDS(2), X.astype(np.float32)),
    "iris": (ClassicalMDS(2), load_iris().data),
    "wine": (ClassicalMDS(2), load_wine().data),
    "diabetes": (ClassicalMDS(2), load_diabetes().data[:200]),
}


@pytest.mark.parametrize("name", GOOD_CLASSICAL)
def test_accepts_classical(name: str) -> None:
    model, data = GOOD_CLASSICAL[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert not c.not_checked


CLASSICAL = ClassicalMDS(3).fit(X)
NEXT = ClassicalMDS(4).fit(X)
TURN = np.array([[np.cos(0.1), np.sin(0.1), 0.0], [-np.sin(0.1), np.cos(0.1), 0.0], [0.0, 0.0, 1.0]])
D_X = CLASSICAL.dissimilarity_matrix_
Y = CLASSICAL.embedding_


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"eigenvalues_": CLASSICAL.eigenvalues_ * 1.001}, "pairs"),
        ({"eigenvalues_": CLASSICAL.eigenvalues_[::-1].copy()}, "attributes"),
        ({"eigenvalues_": -CLASSICAL.eigenvalues_}, "attributes"),
        ({"eigenvalues_": CLASSICAL.eigenvalues_[:2]}, "attributes"),
        ({"embedding_": Y * 1.001}, "orthonormal"),
        ({"embedding_": Y @ TURN}, "pairs"),
        ({"embedding_": Y[:, ::-1].copy()}, "pairs"),
        ({"embedding_": Y[::-1].copy()}, "pairs"),
        ({"embedding_": Y + 1.0}, "pairs"),
        ({"embedding_": changed(Y, (3, 2), 1e-3)}, "pairs"),
        ({"embedding_": changed(Y, (3, 2), np.nan)}, "attributes"),
        ({"embedding_": Y[:, :2], "eigenvalues_": CLASSICAL.eigenvalues_[:2]}, "n_components"),
        ({"embedding_": NEXT.embedding_[:, [0, 1, 3]], "eigenvalues_": NEXT.eigenvalues_[[0, 1, 3]]}, "largest"),
        ({"dissimilarity_matrix_": D_X * 1.001}, "dissimilarities"),
        ({"dissimilarity_matrix_": D_X[::-1].copy()}, "dissimilarities"),
        ({"dissimilarity_matrix_": changed(D_X, (1, 4), 1e-3)}, "dissimilarities"),
        ({"dissimilarity_matrix_": D_X[:5]}, "dissimilarities"),
        ({"metric": "manhattan"}, "dissimilarities"),
        ({"n_components": 2}, "n_components"),
        ({"negative_share_": 0.01}, "negative_share"),
    ],
)
def test_rejects_mutations_of_classical(change: dict[str, Any], fails: str) -> None:
    assert certify(CLASSICAL, X).holds
    assert fails in failing(certify(altered(CLASSICAL, **change), X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 30.0, 3000.0])
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 1e-1])
def test_printed_residuals_bound_the_true_ones(dtype: Any, offset: float, size: float) -> None:
    """‖Bu − λu‖/λ in long double, by the definition of B."""
    A = (X + offset).astype(dtype)
    model = ClassicalMDS(3).fit(A)
    noisy = model.embedding_ * (1 + size * rng.choice([-1.0, 1.0], model.embedding_.shape))
    Z = A.astype(np.longdouble)
    D2 = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    B = -(D2 - D2.mean(axis=0) - D2.mean(axis=1)[:, None] + D2.mean()) / 2
    lam = model.eigenvalues_.astype(np.longdouble)
    U = noisy.astype(np.longdouble) / np.sqrt(lam)
    true = np.sqrt((((B @ U) / lam - U) ** 2).sum(axis=0)).astype(float)
    c = certify(altered(model, embedding_=noisy), A)
    claim = c["pairs"]
    assert (np.array(claim.detail["values"]) >= true * (1 - 1e-9)).all()
    assert not (claim.holds and (true > 1e-6 + np.array(claim.detail["excuses"])).any())
    assert c.holds or size > 1e-8
    assert not c.holds or size < 1e-3


def test_negative_share_against_all_eigenvalues() -> None:
    D = pairwise_distances(X, metric="manhattan") ** 1.5
    lam = np.linalg.eigvalsh(-0.5 * (np.eye(N) - 1 / N) @ D**2 @ (np.eye(N) - 1 / N))
    share = float(-lam[lam < 0].sum() / np.abs(lam).sum())
    model = ClassicalMDS(2, metric="precomputed").fit(D)
    assert share > 0.01
    assert certify(altered(model, negative_share_=share), D).holds
    assert failing(certify(altered(model, negative_share_=share + 1e-4), D)) == {"negative_share"}


def test_all_eigenvalues_contain_known_ones() -> None:
    """The path graph's Laplacian has 2 − 2cos(πj/n)."""
    n = 40
    A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    A[0, 0] = A[-1, -1] = 1
    lam, error = all_eigenvalues(A, 0.0, *eigen_basis(A))
    assert np.abs(lam - (2 - 2 * np.cos(np.pi * np.arange(n) / n))).max() <= error < 1e-10


GOOD: dict[str, tuple[MDS, Any, set[Grade]]] = {
    "metric": (MDS(2, eps=1e-12, max_iter=3000, **STARTS), X, {Grade.FIXED_POINT}),
    "stopped by eps": (MDS(2, **STARTS), X, {Grade.BOUNDED, Grade.FIXED_POINT}),
    "random start": (MDS(2, init="random", random_state=1, max_iter=2000), X, {Grade.BOUNDED, Grade.FIXED_POINT}),
    "normalized": (MDS(2, normalized_stress=True, **STARTS), X, {Grade.BOUNDED}),
    "non-metric": (MDS(2, metric_mds=False, **STARTS), X, {Grade.BOUNDED}),
    "non-metric, raw": (MDS(2, metric_mds=False, normalized_stress=False, **STARTS), X, {Grade.BOUNDED}),
    "non-metric with ties": (MDS(2, metric_mds=False, **STARTS), np.round(X), {Grade.BOUNDED}),
    "nothing left": (MDS(2, **STARTS), X[:, :2], {Grade.OPTIMAL}),
    "manhattan": (MDS(2, metric="manhattan", **STARTS), X, {Grade.BOUNDED}),
    "precomputed": (MDS(3, metric="precomputed", **STARTS), pairwise_distances(X), {Grade.BOUNDED}),
    "old name": (MDS(2, dissimilarity="precomputed", **STARTS), pairwise_distances(X), {Grade.BOUNDED}),
    "equal rows": (MDS(2, **STARTS), np.vstack([X[:30], X[:30]]), {Grade.BOUNDED}),
    "float32": (MDS(2, **STARTS), X.astype(np.float32), {Grade.BOUNDED}),
    "far": (MDS(2, **STARTS), X + 3000.0, {Grade.BOUNDED}),
    "iris": (MDS(2, **STARTS), load_iris().data, {Grade.BOUNDED}),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data, grades = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in grades, f"\n{c}"
    assert set(c.not_checked) <= {"n_iter_"}


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    FITTED = MDS(2, eps=1e-12, max_iter=3000, **STARTS).fit(X)
    RANKED = MDS(2, metric_mds=False, eps=1e-9, max_iter=3000, **STARTS).fit(X)
E2 = FITTED.embedding_


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"stress_": FITTED.stress_ * 1.001}, "stress"),
        ({"stress_": -FITTED.stress_}, "stress"),
        ({"stress_": np.nan}, "attributes"),
        ({"embedding_": E2 * 1.01}, "stress"),
        ({"embedding_": E2 + 1.0}, "centered"),
        ({"embedding_": E2[::-1].copy()}, "stress"),
        ({"embedding_": changed(E2, (0, 0), 0.1)}, "fixed_point"),
        ({"embedding_": E2[:, :1]}, "attributes"),
        ({"embedding_": np.zeros((N, 2))}, "stress"),
        ({"dissimilarity_matrix_": FITTED.dissimilarity_matrix_ * 1.001}, "dissimilarities"),
        ({"metric_mds": False}, "stress"),
        ({"normalized_stress": True}, "stress"),
        ({"metric": "manhattan"}, "dissimilarities"),
        ({"n_components": 3}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(FITTED, X).holds
    assert fails in failing(certify(altered(FITTED, **change), X))


@pytest.mark.parametrize("size", [1e-4, 1e-2, 1e-1])
def test_noise_is_refused_even_with_its_own_stress(size: float) -> None:
    """A worse embedding that states its true stress is no fixed point; what one step saves is proved."""
    noisy = E2 * (1 + size * rng.choice([-1.0, 1.0], E2.shape))
    noisy = noisy - noisy.mean(axis=0)
    Z = noisy.astype(np.longdouble)
    d = np.sqrt(((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    delta = pairwise_distances(X).astype(np.longdouble)
    true = float(((delta - d) ** 2).sum() / 2)
    c = certify(altered(FITTED, embedding_=noisy, stress_=true), X)
    assert c["stress"].holds and c["stress"].detail["recomputed"] == pytest.approx(true, rel=1e-12)
    excess = (true - FITTED.stress_) / true
    assert c["fixed_point"].holds == (c["fixed_point"].value <= 1e-6)
    assert not c["fixed_point"].holds or excess < 1e-5
    assert c["fixed_point"].value <= excess + 1e-6


def test_rejects_mutations_of_ranks() -> None:
    assert certify(RANKED, X).holds
    assert "stress" in failing(certify(altered(RANKED, stress_=RANKED.stress_ * 1.01), X))
    assert "fixed_point" in failing(certify(altered(RANKED, embedding_=changed(RANKED.embedding_, (0, 0), 0.3)), X))
    assert failing(certify(altered(RANKED, embedding_=RANKED.embedding_[::-1].copy()), X))


def test_few_steps_are_refused() -> None:
    model = MDS(2, max_iter=5, init="random", random_state=0).fit(X)
    claim = certify(model, X)["fixed_point"]
    assert claim.grade is Grade.NOT_OPTIMAL and "raise max_iter" in claim.sentence


def test_disparities_are_the_isotonic_regression() -> None:
    """scikit-learn's IsotonicRegression on the pairs, and the share that is proved."""
    from sklearn.isotonic import IsotonicRegression

    d, delta = pairwise_distances(X[:, :2]), np.round(pairwise_distances(X), 1)
    found, share = disparities(delta, d, None, nearest_monotone)
    upper = np.triu_indices(N, 1)
    some = delta[upper] != 0
    other = IsotonicRegression().fit_transform(delta[upper][some], d[upper][some])
    other *= np.sqrt(N * (N - 1) / 2 / (other**2).sum())
    assert np.allclose(found[upper][some], other, rtol=1e-10) and share < 1e-12


def test_weights() -> None:
    """Guttman's transform with weights, iterated here with a pseudo-inverse, is a fixed point."""
    W = rng.uniform(0.2, 1.0, size=(20, 20))
    W = (W + W.T) / 2 * (1 - np.eye(20))
    delta, Z = pairwise_distances(X[:20]), X[:20, :2] - X[:20, :2].mean(axis=0)
    inverse = np.linalg.pinv(np.diag(W.sum(axis=1)) - W)
    for _ in range(3000):
        d = pairwise_distances(Z) + np.eye(20)
        ratio = W * delta / d
        Z = inverse @ (np.diag(ratio.sum(axis=1)) - ratio) @ Z
    stress = float((W * (delta - pairwise_distances(Z)) ** 2).sum() / 2)
    model = MDS(2)
    vars(model).update(embedding_=Z, stress_=stress, dissimilarity_matrix_=delta, weights=W)
    c = certify(model, X[:20])
    assert c.holds and c.grade is Grade.FIXED_POINT, f"\n{c}"
    assert {"stress", "fixed_point"} <= failing(certify(altered(model, weights=None), X[:20]))
