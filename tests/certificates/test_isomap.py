"""The checker of Isomap on scikit-learn's fits, and on mutations; paths against SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from sklearn.datasets import load_iris, load_wine, make_blobs, make_swiss_roll
from sklearn.manifold import Isomap

from surefit.certificates import Grade
from surefit.certificates.theorems.graphs.shortest_paths import path_lengths
from tests.certificates.bench import altered, certify, changed, failing

pytestmark = pytest.mark.filterwarnings("ignore")
rng = np.random.default_rng(8)
R = make_swiss_roll(130, random_state=0)[0]
B = make_blobs(70, centers=3, n_features=4, random_state=1)[0]

GOOD: dict[str, tuple[Isomap, Any]] = {
    "nearest": (Isomap(n_neighbors=8), R),
    "three": (Isomap(n_neighbors=8, n_components=3, eigen_solver="dense"), R),
    "radius": (Isomap(n_neighbors=None, radius=9.0), R),
    "manhattan": (Isomap(n_neighbors=8, metric="manhattan"), R),
    "minkowski": (Isomap(n_neighbors=8, p=3), R),
    "Floyd and Warshall": (Isomap(n_neighbors=8, path_method="FW"), R),
    "unconnected": (Isomap(n_neighbors=5), B),
    "equal rows": (Isomap(n_neighbors=6), np.vstack([R[:80], R[:20]])),
    "far": (Isomap(n_neighbors=8), R + 1e6),
    "float32": (Isomap(n_neighbors=8), R.astype(np.float32)),
    "scales": (Isomap(n_neighbors=8), R * [1e3, 1.0, 1e-3]),
    "iris": (Isomap(), load_iris().data),
    "wine": (Isomap(), load_wine().data),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.OPTIMAL, Grade.BOUNDED), f"\n{c}"
    assert set(c.not_checked) <= {"nbrs_", "kernel_pca_"}


MODEL = Isomap(n_neighbors=8).fit(R)
NEXT = Isomap(n_neighbors=8, n_components=3).fit(R)
Y, D, LAM = MODEL.embedding_, MODEL.dist_matrix_, NEXT.kernel_pca_.eigenvalues_
TURN = np.array([[np.cos(0.3), np.sin(0.3)], [-np.sin(0.3), np.cos(0.3)]])
SHORT = D.copy()
SHORT[3, 70] = SHORT[70, 3] = D[3, 70] * 0.999
LONG = D.copy()
LONG[3, 70] = LONG[70, 3] = D[3, 70] * 1.001


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"dist_matrix_": D * 1.001}, "shortest_paths"),
        ({"dist_matrix_": SHORT}, "shortest_paths"),
        ({"dist_matrix_": LONG}, "shortest_paths"),
        ({"dist_matrix_": np.sqrt(((R[:, None] - R[None]) ** 2).sum(axis=2))}, "shortest_paths"),
        ({"dist_matrix_": D[:5]}, "attributes"),
        ({"dist_matrix_": changed(D, (0, 1), np.inf)}, "attributes"),
        ({"embedding_": Y * 1.001}, "orthonormal"),
        ({"embedding_": Y @ TURN}, "pairs"),
        ({"embedding_": Y + 1.0}, "pairs"),
        ({"embedding_": Y[:, ::-1].copy()}, "pairs"),
        ({"embedding_": changed(Y, (2, 1), 1e-3)}, "pairs"),
        ({"embedding_": Y[:, :1]}, "attributes"),
        ({"eigenvalues_": LAM[:2] * 1.001}, "pairs"),
        ({"eigenvalues_": LAM[1::-1].copy()}, "attributes"),
        ({"eigenvalues_": LAM[:2].astype(str)}, "attributes"),
        ({"embedding_": NEXT.embedding_[:, [0, 2]], "eigenvalues_": LAM[[0, 2]]}, "largest"),
        ({"n_neighbors": 9}, "shortest_paths"),
        ({"n_neighbors": 7}, "shortest_paths"),
        ({"metric": "manhattan"}, "shortest_paths"),
        ({"residual_variance_": 0.9}, "residual_variance"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert fails in failing(certify(altered(MODEL, **change), R))


@pytest.mark.parametrize("size", [1e-5, 1e-3, 1e-1])
def test_rejects_noise(size: float) -> None:
    noise = 1 + size * rng.choice([-1.0, 1.0], Y.shape)
    assert failing(certify(altered(MODEL, embedding_=Y * noise), R))
    bent = D * (1 + size * rng.random(D.shape))
    assert "shortest_paths" in failing(certify(altered(MODEL, dist_matrix_=(bent + bent.T) / 2), R))


def test_residual_variance() -> None:
    upper = np.triu_indices(len(R), 1)
    distances = np.sqrt(((Y[:, None] - Y[None]) ** 2).sum(axis=2))
    truth = 1 - np.corrcoef(D[upper], distances[upper])[0, 1] ** 2
    assert certify(altered(MODEL, residual_variance_=truth), R).holds


@pytest.mark.parametrize("seed", range(10))
def test_path_lengths(seed: int) -> None:
    """SciPy's shortest paths on random graphs with ties; and a twin of the first vertex."""
    g = np.random.default_rng(seed)
    n = 15
    W = np.where(g.random((n, n)) < 0.3, g.integers(1, 4, (n, n)), 0).astype(float)
    W = np.triu(W, 1) + np.triu(W, 1).T
    W[np.arange(n - 1), np.arange(1, n)] = W[np.arange(1, n), np.arange(n - 1)] = 1.0
    exact = shortest_path(W)
    i, j = np.nonzero(W)
    assert np.array_equal(path_lengths(np.arange(n), i, j, W[i, j]), exact)
    twin = np.vstack([np.hstack([exact, exact[:, :1]]), np.append(exact[0], 0.0)])  # row n equals row 0
    rows, cols = np.append(i, [0, n]), np.append(j, [n, 0])
    order = np.lexsort((cols, rows))
    length = np.append(W[i, j], [0.0, 0.0])[order]
    some = np.array([0, 4, n])
    assert np.array_equal(path_lengths(some, rows[order], cols[order], length), twin[some])
