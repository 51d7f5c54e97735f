"""The checker of SpectralClustering on scikit-learn's fits, on stated spectra and on mutations; cuts by enumeration."""

from __future__ import annotations

import itertools
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph

from surefit.certificates import Grade
from surefit.certificates.attributes import Attributes
from surefit.certificates.search.spectral.eigen_basis import eigen_basis
from surefit.certificates.theorems.graphs.graph import Graph, cuts, laplacian_of, read_graph
from surefit.certificates.theorems.spectral.all_eigenvalues import all_eigenvalues
from tests.certificates.bench import altered, certify, changed, failing

pytestmark = pytest.mark.filterwarnings("ignore")
rng = np.random.default_rng(3)
B = make_blobs(120, centers=3, random_state=1)[0]
M = make_moons(150, noise=0.05, random_state=0)[0]
SEED = {"random_state": 0}

K8 = kneighbors_graph(B, 8).toarray()

GOOD: dict[str, tuple[SpectralClustering, Any]] = {
    "rbf": (SpectralClustering(3, gamma=0.3, **SEED), B),
    "nearest": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), B),
    "moons": (SpectralClustering(2, gamma=20, **SEED), M),
    "unconnected": (SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=5, **SEED), B),
    "laplacian kernel": (SpectralClustering(2, affinity="laplacian", **SEED), M),
    "given": (SpectralClustering(2, affinity="precomputed", **SEED), rbf_kernel(M, gamma=15.0)),
    "given, sparse": (
        SpectralClustering(3, affinity="precomputed", **SEED),
        sp.csr_array(np.maximum(K8, K8.T)),
    ),
    "more components": (SpectralClustering(2, gamma=20, n_components=4, **SEED), M),
    "equal rows": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), np.vstack([B[:60], B[:60]])),
    "float32": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), B.astype(np.float32)),
    "far": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), B + 1e6),
    "iris": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), load_iris().data),
    "wine": (SpectralClustering(3, affinity="nearest_neighbors", **SEED), load_wine().data),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model.fit(data), data)
    assert c.holds and c.grade in (Grade.FIXED_POINT, Grade.BOUNDED), f"\n{c}"
    assert not c.not_checked


@pytest.mark.parametrize("method", ["discretize", "cluster_qr"])
def test_other_ways_to_label_are_unproved_but_bounded(method: str) -> None:
    c = certify(SpectralClustering(2, gamma=20, assign_labels=method, **SEED).fit(M), M)
    assert c.holds and c.grade is Grade.UNPROVED and c["interval"].detail["lower"] > 0


@pytest.mark.parametrize("affinity", ["cosine", "poly", lambda a, b: float(np.exp(-abs(a - b).sum()))])
def test_other_kernels_are_unproved(affinity: Any) -> None:
    c = certify(SpectralClustering(2, affinity=affinity, **SEED).fit(M[:60] + 3), M[:60] + 3)
    assert c.holds and c["affinity"].grade is Grade.UNPROVED


MODEL = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=20, **SEED)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    MODEL.fit(B)
W = MODEL.affinity_matrix_.toarray()
WIDE = SpectralClustering(2, gamma=20, **SEED).fit(M)
FLIPPED = np.where(np.arange(len(B)) == 7, (MODEL.labels_ + 1) % 3, MODEL.labels_)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"labels_": FLIPPED}, "fixed_point"),
        ({"labels_": np.roll(MODEL.labels_, 1)}, "fixed_point"),
        ({"labels_": rng.integers(0, 3, len(B))}, "fixed_point"),
        ({"labels_": MODEL.labels_ + 1}, "clusters"),
        ({"labels_": np.minimum(MODEL.labels_, 1)}, "clusters"),
        ({"labels_": MODEL.labels_[:-1]}, "attributes"),
        ({"labels_": MODEL.labels_ + 0.5}, "attributes"),
        ({"n_clusters": 4}, "clusters"),
        ({"n_neighbors": 9}, "affinity"),
        ({"n_neighbors": 11}, "affinity"),
        ({"affinity": "rbf"}, "affinity"),
        ({"affinity": "precomputed"}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(np.where(W > 0, 1.0, 0.0))}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(np.roll(W, 1, axis=(0, 1)))}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(W * (np.arange(len(B)) != 5))}, "affinity"),
        ({"affinity_matrix_": sp.csr_array(-W)}, "data"),
        ({"affinity_matrix_": W[:5]}, "attributes"),
        ({"affinity_matrix_": changed(W, (0, 1), np.nan)}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    other = altered(MODEL, **change)
    data = B if other.affinity != "precomputed" else W * 1.01
    assert fails in failing(certify(other, data))


@pytest.mark.parametrize("size", [1e-6 * 3, 1e-4, 1e-1])
def test_rejects_other_kernels(size: float) -> None:
    assert certify(WIDE, M).holds
    assert "affinity" in failing(certify(altered(WIDE, affinity_matrix_=WIDE.affinity_matrix_ * (1 + size)), M))
    assert "affinity" in failing(certify(altered(WIDE, gamma=20 * (1 + size)), M))


def stated(kind: str) -> Any:
    """A model that states its spectrum, by SciPy's dense eigenvalues, with labels of scikit-learn's k-means."""
    from sklearn.cluster import KMeans

    A = W - np.diag(np.diag(W))
    d = A.sum(axis=1)
    L = np.diag(d) - A
    if kind != "unnormalized":
        L = L / np.sqrt(np.outer(d, d))
    lam, U = scipy.linalg.eigh(L)
    E = {"unnormalized": U[:, :3], "random_walk": U[:, :3] / np.sqrt(d)[:, None]}.get(
        kind, U[:, :3] / np.linalg.norm(U[:, :3], axis=1)[:, None]
    )
    labels = KMeans(3, n_init=3, random_state=0, tol=0.0).fit(E).labels_
    graph = read_graph(Attributes(MODEL, "labels_"), len(B))
    assert graph is not None
    values = {f"{name}_": value for name, value in cuts(graph, labels, 3).items()}
    count = connected_components(sp.csr_array(A))[0]
    return altered(
        MODEL, laplacian=kind, eigenvalues_=lam[:5], embedding_=E, labels_=labels, n_clusters_=3,
        n_components_graph_=count, **values,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["unnormalized", "random_walk", "symmetric"])
def test_stated_spectra(kind: str) -> None:
    model = stated(kind)
    c = certify(model, B)
    assert c.holds and c.grade is Grade.FIXED_POINT and not c.not_checked, f"\n{c}"
    E, lam = model.embedding_, model.eigenvalues_
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert certify(altered(model, embedding_=E @ turn), B).holds  # another basis of the same rows
    for change, fails in [
        ({"embedding_": E * 1.001}, "embedding"),
        ({"embedding_": E[:, :2]}, "embedding"),
        ({"embedding_": E[::-1].copy()}, "embedding"),
        ({"embedding_": E + 1e-5 * rng.normal(size=E.shape)}, "embedding"),
        ({"eigenvalues_": lam[1:]}, "eigenvalues"),
        ({"eigenvalues_": lam * 1.001}, "eigenvalues"),
        ({"eigenvalues_": lam[:2]}, "eigenvalues"),
        ({"eigenvalues_": 2.0 - lam}, "eigenvalues"),
        ({"n_components_graph_": 7}, "components"),
        ({"n_clusters_": 4}, "clusters"),
        ({"cut_": model.cut_ * 1.001}, "cut"),
        ({"ratio_cut_": model.ratio_cut_ + 1e-3}, "ratio_cut"),
        ({"normalized_cut_": model.normalized_cut_ * 0.999}, "normalized_cut"),
        ({"laplacian": "unnormalized" if kind != "unnormalized" else "symmetric"}, "embedding"),
    ]:
        assert fails in failing(certify(altered(model, **change), B)), (change, fails)


def small_graph(n: int, seed: int) -> tuple[np.ndarray, Graph]:
    weights = np.random.default_rng(seed).integers(0, 5, size=(n, n))
    A = np.triu(weights, 1) + np.triu(weights, 1).T
    model = type("Model", (), {"labels_": 0, "affinity_matrix_": A.astype(float)})()
    graph = read_graph(Attributes(model, "labels_"), n)
    assert graph is not None
    return A, graph


@pytest.mark.parametrize("seed", range(6))
def test_lower_bounds_hold_for_every_partition(seed: int) -> None:
    """All partitions of 7 vertices into 3 groups, in fractions."""
    A, graph = small_graph(7, seed)
    d = A.sum(axis=1)
    least = {"ratio_cut": np.inf, "normalized_cut": np.inf}
    for labels in itertools.product(range(3), repeat=7):
        given = np.array(labels)
        if np.unique(given).size < 3:
            continue
        leaves = [Fraction(int(A[given == c][:, given != c].sum())) for c in range(3)]
        exact = {
            "cut": sum(leaves) / 2,
            "ratio_cut": sum(x / int((given == c).sum()) for c, x in enumerate(leaves)),
            "normalized_cut": sum(x / int(d[given == c].sum()) for c, x in enumerate(leaves) if x),
        }
        found = cuts(graph, given, 3)
        assert all(found[name] == pytest.approx(float(value), rel=1e-14) for name, value in exact.items())
        least = {name: min(value, float(exact[name])) for name, value in least.items()}
    for name, normalized in (("ratio_cut", False), ("normalized_cut", True)):
        diagonal, part, error = laplacian_of(graph, normalized)
        L = np.diag(diagonal) - part.by_rows(lambda B, _: B)
        lam, off = all_eigenvalues(L, error, *eigen_basis(L))
        assert lam[:3].sum() - 3 * off <= least[name]


@pytest.mark.parametrize("seed", range(5))
def test_components_and_products(seed: int) -> None:
    """SciPy's components; the zero eigenvalues are as many; products are those of the matrix."""
    g = sp.random_array((40, 40), density=0.02, rng=np.random.default_rng(seed))
    A = (g + g.T).toarray()
    np.fill_diagonal(A, 3.0)
    model = type("Model", (), {"labels_": 0, "affinity_matrix_": sp.csr_array(A)})()
    graph = read_graph(Attributes(model, "labels_"), 40)
    assert graph is not None
    count, labels = connected_components(sp.csr_array(A), directed=False)
    mine, W = graph.components(), graph.block(np.arange(40))
    assert np.unique(mine).size == count == np.unique(np.stack([mine, labels]), axis=1).shape[1]
    for normalized in (False, True):
        diagonal, part, error = laplacian_of(graph, normalized)
        L = np.diag(diagonal) - part.by_rows(lambda B, _: B)
        lam, off = all_eigenvalues(L, error, *eigen_basis(L))
        assert (np.abs(lam) <= off).sum() == count
        d = W.sum(axis=1)
        exact = np.diag(d) - W
        if normalized:
            root = np.sqrt(np.where(d > 0, d, 1.0))
            exact = exact / root / root[:, None]
        assert np.linalg.norm(L - exact, 2) <= error + 1e-13


def test_as_many_rows_as_the_digits_are_decided() -> None:
    X = load_digits().data
    c = certify(SpectralClustering(3, affinity="nearest_neighbors", **SEED).fit(X), X)
    assert c.holds and c.grade in (Grade.FIXED_POINT, Grade.BOUNDED), f"\n{c}"
