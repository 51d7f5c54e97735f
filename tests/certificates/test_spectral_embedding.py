"""The checker of SpectralEmbedding on scikit-learn's fits, against long double, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris, load_wine, make_blobs, make_moons, make_swiss_roll
from sklearn.manifold import SpectralEmbedding
from sklearn.metrics.pairwise import rbf_kernel

from surefit.certificates import Grade
from tests.certificates.bench import altered, certify, changed, failing

pytestmark = pytest.mark.filterwarnings("ignore")
rng = np.random.default_rng(4)
R = make_swiss_roll(200, random_state=0)[0]
B = make_blobs(90, centers=3, random_state=1)[0]
M = make_moons(100, noise=0.05, random_state=0)[0]
SEED = {"random_state": 0}

GOOD: dict[str, tuple[SpectralEmbedding, Any]] = {
    "nearest": (SpectralEmbedding(2, n_neighbors=12, **SEED), R),
    "default": (SpectralEmbedding(3, **SEED), R),
    "rbf": (SpectralEmbedding(2, affinity="rbf", **SEED), M),
    "unconnected": (SpectralEmbedding(3, n_neighbors=5, **SEED), B),
    "nearly unconnected": (SpectralEmbedding(2, affinity="rbf", gamma=0.3, **SEED), B),
    "lobpcg": (SpectralEmbedding(2, n_neighbors=12, eigen_solver="lobpcg", **SEED), R),
    "given": (SpectralEmbedding(2, affinity="precomputed", **SEED), rbf_kernel(M, gamma=15.0)),
    "equal rows": (SpectralEmbedding(2, n_neighbors=12, **SEED), np.vstack([R[:80], R[:80]])),
    "float32": (SpectralEmbedding(2, n_neighbors=12, **SEED), R.astype(np.float32)),
    "far": (SpectralEmbedding(2, n_neighbors=12, **SEED), R + 1e6),
    "iris": (SpectralEmbedding(2, **SEED), load_iris().data),
    "wine": (SpectralEmbedding(2, **SEED), load_wine().data),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert not c.not_checked


MODEL = SpectralEmbedding(2, n_neighbors=12, **SEED).fit(R)
NEXT = SpectralEmbedding(3, n_neighbors=12, **SEED).fit(R)
Y, W = MODEL.embedding_, MODEL.affinity_matrix_.toarray()
DEGREE = (W - np.diag(np.diag(W))).sum(axis=1)
TOP = np.linalg.eigh((W - np.diag(np.diag(W))) / np.sqrt(np.outer(DEGREE, DEGREE)))[1][:, :2] / np.sqrt(DEGREE)[:, None]
TURN = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"embedding_": Y * 1.001}, "orthonormal"),
        ({"embedding_": Y @ TURN}, "pairs"),
        ({"embedding_": Y + 1.0}, "orthonormal"),
        ({"embedding_": Y[::-1].copy()}, "pairs"),
        ({"embedding_": changed(Y, (3, 1), 1e-3)}, "pairs"),
        ({"embedding_": changed(Y, (3, 1), np.inf)}, "attributes"),
        ({"embedding_": Y[:, :1]}, "attributes"),
        ({"embedding_": NEXT.embedding_[:, [0, 2]]}, "smallest"),
        ({"embedding_": TOP}, "smallest"),
        ({"embedding_": Y * np.sqrt(DEGREE)[:, None]}, "orthonormal"),
        ({"n_neighbors": 11, "n_neighbors_": 11}, "affinity"),
        ({"n_neighbors": 13, "n_neighbors_": 13}, "affinity"),
        ({"n_neighbors_": 13}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(W * 2)}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(np.where(W > 0.5, W, 0.0))}, "affinity"),
        ({"eigenvalues_": np.array([0.5, 0.6])}, "eigenvalues"),
        ({"n_components": 3}, "attributes"),
        ({"embedding_": Y[:, ::-1].copy()}, "order"),
        ({"embedding_": np.linalg.qr(Y**2)[0] / np.sqrt(DEGREE)[:, None], "eigen_tol": 0.2}, "pairs"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert fails in failing(certify(altered(MODEL, **change), R))


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 1e-1])
def test_printed_residuals_bound_the_true_ones(size: float) -> None:
    """‖L_sym u − λu‖ in long double, λ the Rayleigh quotient, relative to λ or to 10⁻³."""
    noisy = Y * (1 + size * rng.choice([-1.0, 1.0], Y.shape))
    A = (W - np.diag(np.diag(W))).astype(np.longdouble)
    root = np.sqrt(A.sum(axis=1))
    U = noisy.astype(np.longdouble) * root[:, None]
    image = U - (A @ (U / root[:, None])) / root[:, None]
    lam = (U * image).sum(axis=0) / (U * U).sum(axis=0)
    true = np.sqrt(((image - lam * U) ** 2).sum(axis=0)) / np.maximum(lam, 1e-3)
    c = certify(altered(MODEL, embedding_=noisy), R)
    assert (np.array(c["pairs"].detail["values"]) >= true.astype(float) * (1 - 1e-9)).all()
    assert c.holds == (size < 1e-8)


def test_eigenvalues_where_stated() -> None:
    A = W - np.diag(np.diag(W))
    lam = 1 - np.linalg.eigvalsh(A / np.sqrt(np.outer(DEGREE, DEGREE)))[::-1]
    for stated in (lam[1:3], lam[:3]):
        assert certify(altered(MODEL, eigenvalues_=stated), R).holds
        assert "eigenvalues" in failing(certify(altered(MODEL, eigenvalues_=stated * 1.001), R))


def test_a_function_as_affinity_is_unproved() -> None:
    c = certify(SpectralEmbedding(2, affinity=lambda X: rbf_kernel(X, gamma=5.0), **SEED).fit(M), M)
    assert c.holds and c["affinity"].grade is Grade.UNPROVED


def test_null_vectors_are_counted() -> None:
    """Of three components two columns tell which row is in which: not three, and not fewer."""
    data = np.vstack([np.random.default_rng(i).normal(size=(30, 3)) + 50 * i for i in range(3)])
    model = SpectralEmbedding(3, n_neighbors=12, **SEED).fit(data)
    later = SpectralEmbedding(5, n_neighbors=12, **SEED).fit(data).embedding_
    count, part = connected_components(model.affinity_matrix_)
    assert count == 3 and certify(model, data).holds
    volume = np.asarray(model.affinity_matrix_.sum(axis=1)).ravel() - model.affinity_matrix_.diagonal()
    each = (part[:, None] == np.arange(3)) / np.sqrt(np.bincount(part, volume))
    for lie in (each, later[:, 2:]):
        assert "components" in failing(certify(altered(model, embedding_=lie), data))
