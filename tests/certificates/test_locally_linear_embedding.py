"""The checker of LocallyLinearEmbedding on scikit-learn's fits, against long double, and on mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_swiss_roll
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

import surefit.manifold
from surefit.certificates import Grade
from surefit.certificates.search.graphs.local_weights import local_weights
from surefit.certificates.theorems.graphs.local_weights import Rebuilding, gram, optimality
from tests.certificates.bench import altered, certify, changed, failing

pytestmark = pytest.mark.filterwarnings("ignore")
rng = np.random.default_rng(6)
R = make_swiss_roll(150, random_state=0)[0]
B = make_blobs(90, centers=3, n_features=4, random_state=1)[0]
LLE = LocallyLinearEmbedding

GOOD: dict[str, tuple[Any, Any]] = {
    "auto": (LLE(n_neighbors=10, random_state=0), R),
    "dense": (LLE(n_neighbors=10, eigen_solver="dense"), R),
    "arpack": (LLE(n_neighbors=10, eigen_solver="arpack", random_state=0), R),
    "three": (LLE(n_neighbors=8, n_components=3, eigen_solver="dense"), R),
    "penalty": (LLE(n_neighbors=8, reg=0.1, eigen_solver="dense"), R),
    "unconnected": (LLE(n_neighbors=6, eigen_solver="dense"), B),
    "far": (LLE(n_neighbors=10, eigen_solver="dense"), R + 1e6),
    "float32": (LLE(n_neighbors=10, eigen_solver="dense"), R.astype(np.float32)),
    "scales": (LLE(n_neighbors=10, eigen_solver="dense"), R * [1e3, 1.0, 1e-3]),
    "equal rows": (LLE(n_neighbors=8, eigen_solver="dense"), np.vstack([R[:80], R[:5]])),
    "iris": (LLE(n_neighbors=8, eigen_solver="dense"), load_iris().data),
    "wine": (LLE(n_neighbors=8, eigen_solver="dense"), load_wine().data),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert set(c.not_checked) <= {"nbrs_"}


def test_other_methods_are_unproved() -> None:
    c = certify(LLE(n_neighbors=12, method="ltsa", eigen_solver="dense").fit(R), R)
    assert c.holds and c.grade is Grade.UNPROVED


MODEL = LLE(n_neighbors=10, eigen_solver="dense").fit(R)
NEXT = LLE(n_neighbors=10, n_components=3, eigen_solver="dense").fit(R)
Y = MODEL.embedding_
W = sp.csr_array(barycenter_kneighbors_graph(R, 10))
M = ((sp.eye_array(150) - W).T @ (sp.eye_array(150) - W)).toarray()
TOP = np.linalg.eigh(M)[1][:, -2:]
TURN = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
OTHER = sp.csr_array(barycenter_kneighbors_graph(R, 10, reg=1e-2))
FEWER = sp.csr_array(barycenter_kneighbors_graph(R, 9))


def with_data(matrix: Any, data: np.ndarray) -> Any:
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"embedding_": Y * 1.001}, "orthonormal"),
        ({"embedding_": Y @ TURN}, "pairs"),
        ({"embedding_": Y + 0.01}, "orthonormal"),
        ({"embedding_": Y[::-1].copy()}, "pairs"),
        ({"embedding_": changed(Y, (3, 1), 1e-5)}, "pairs"),
        ({"embedding_": changed(Y, (3, 1), np.nan)}, "attributes"),
        ({"embedding_": Y[:, :1]}, "attributes"),
        ({"embedding_": NEXT.embedding_[:, [0, 2]]}, "smallest"),
        ({"embedding_": TOP}, "smallest"),
        ({"reconstruction_error_": MODEL.reconstruction_error_ * 1.01}, "reconstruction"),
        ({"reconstruction_error_": None}, "reconstruction"),
        ({"n_neighbors": 11}, "pairs"),
        ({"n_neighbors": 9}, "pairs"),
        ({"reg": 1e-2}, "pairs"),
        ({"weights_": OTHER}, "weights"),
        ({"weights_": FEWER}, "data"),
        ({"weights_": with_data(W, W.data * 1.001)}, "weights"),
        ({"weights_": with_data(W, np.roll(W.data, 1))}, "weights"),
        ({"weights_": sp.csr_array((W.data, (W.indices + 1) % 150, W.indptr), shape=W.shape)}, "neighbors"),
        ({"eigenvalues_": np.array([1e-3, 2e-3])}, "reconstruction"),
        ({"eigenvalues_": np.array([1e-3])}, "reconstruction"),
        ({"embedding_": Y[:, ::-1].copy()}, "order"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert fails in failing(certify(altered(MODEL, **change), R))


def test_accepts_stated_weights() -> None:
    """scikit-learn's own weights and SciPy's eigenvalues as attributes of the model."""
    lam = np.linalg.eigvalsh(M)[1:3]
    c = certify(altered(MODEL, weights_=W, eigenvalues_=lam), R)
    assert c.holds and not set(c.not_checked) - {"nbrs_"}, f"\n{c}"


@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-6, 1e-3])
def test_printed_residuals_bound_the_true_ones(size: float) -> None:
    """‖Mu − λu‖/λ in long double, from weights solved in long double here (Gauss and Jordan)."""
    noisy = Y * (1 + size * rng.choice([-1.0, 1.0], Y.shape))
    near = W.indices.reshape(150, 10)
    exact = np.zeros((150, 150), np.longdouble)
    for i in range(150):
        C = R[near[i]].astype(np.longdouble) - R[i]
        G = C @ C.T
        G += np.eye(10) * (np.longdouble(1e-3) * np.trace(G))
        T = np.hstack([G, np.ones((10, 1), np.longdouble)])
        for j in range(10):
            T[j] /= T[j, j]
            for m in range(10):
                if m != j:
                    T[m] -= T[m, j] * T[j]
        exact[i, near[i]] = T[:, -1] / T[:, -1].sum()
    A = np.eye(150) - exact
    U = noisy.astype(np.longdouble)
    lam = ((A @ U) ** 2).sum(axis=0) / (U * U).sum(axis=0)
    true = np.sqrt(((A.T @ (A @ U) - lam * U) ** 2).sum(axis=0)) / lam
    c = certify(altered(MODEL, embedding_=noisy), R)
    assert (np.array(c["pairs"].detail["values"]) >= true.astype(float) * (1 - 1e-6)).all()
    assert c.holds == (size < 1e-10)


def test_local_weights_are_bounded() -> None:
    """The theorem on a problem with a known answer: two neighbors on either side of a row."""
    X = np.array([[0.0], [-1.0], [3.0]])
    G, penalty = gram(X, np.array([0]), np.array([[1, 2]]), 1e-3)
    w = local_weights(G)
    A = np.array([[1 + 0.01, -3.0], [-3.0, 9.01]])
    best = np.linalg.solve(A, np.ones(2))
    assert np.allclose(w[0].astype(float), best / best.sum(), rtol=1e-12)
    for change in (0.0, 1e-3):
        moved = w + np.array([[change, -change]])
        gap = optimality(G, penalty, moved, 1)
        f = float((moved @ G[0] @ moved.T)[0, 0])
        least = float((w @ G[0] @ w.T)[0, 0])
        assert gap[0] >= (f - least) / f


def test_products() -> None:
    near = W.indices.reshape(150, 10)
    A, U = Rebuilding(near, W.data.reshape(150, 10)), np.eye(150).astype(np.longdouble)
    assert np.abs(A.square() - M).max() < 1e-12
    assert np.abs(A.back(A.times(U)).astype(float) - M).max() < 1e-12
    assert A.size >= np.linalg.norm(np.eye(150) - W.toarray(), 2) and 0 < A.error < 1e-14


def test_null_vectors_that_are_not_known() -> None:
    """Five neighbors of the wines: two components, and four singular values of I − W below 1e-14."""
    X = load_wine().data
    c = certify(surefit.manifold.LocallyLinearEmbedding(random_state=0).fit(X), X)
    assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"


def test_more_null_vectors_than_components() -> None:
    """The graph of the digits has two components, but three sets of rows list none outside: three null vectors."""
    X = load_digits().data
    for model in (LLE(random_state=0), surefit.manifold.LocallyLinearEmbedding(random_state=0)):
        c = certify(model.fit(X), X)
        assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"
