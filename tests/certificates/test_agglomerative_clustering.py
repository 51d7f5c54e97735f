"""The checker of AgglomerativeClustering on scikit-learn's trees, on ties, and mutations it must refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
import scipy.sparse as sp
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from surefit.certificates import Grade
from surefit.certificates.cluster import agglomerative_clustering as checker
from surefit.certificates.theorems.distances import many_merges
from surefit.cluster import StepwiseAgglomeration
from surefit.cluster.agglomerative_clustering import AgglomerativeClustering as Ours
from tests.certificates.bench import altered, certify, changed, failing

rng = np.random.default_rng(8)
X = rng.normal(size=(90, 3)) + 5 * rng.integers(0, 3, (90, 1))
GRID = rng.integers(0, 7, (120, 2)).astype(float)
LINKAGES = ("ward", "single", "complete", "average")


def fitted(data: Any, **settings: Any) -> AgglomerativeClustering:
    return AgglomerativeClustering(**{"compute_distances": True, **settings}).fit(data)


GOOD: dict[str, tuple[dict[str, Any], Any]] = {
    **{linkage: ({"linkage": linkage}, X) for linkage in LINKAGES},
    **{f"{linkage}, ties": ({"linkage": linkage}, GRID) for linkage in LINKAGES},
    **{f"{linkage}, duplicates": ({"linkage": linkage}, np.repeat(X[:30], 3, axis=0)) for linkage in LINKAGES},
    **{f"{linkage}, offset": ({"linkage": linkage}, X + 1e6) for linkage in LINKAGES},
    **{f"{linkage}, single precision": ({"linkage": linkage}, (X + 300).astype(np.float32)) for linkage in LINKAGES},
    "mixed scales": ({}, X * [1e-3, 1.0, 1e3]),
    "manhattan": ({"linkage": "complete", "metric": "manhattan"}, X),
    "cosine": ({"linkage": "average", "metric": "cosine"}, X),
    "precomputed": ({"linkage": "average", "metric": "precomputed"}, pairwise_distances(X)),
    "five clusters": ({"n_clusters": 5}, X),
    "a cluster per row": ({"n_clusters": 90}, X),
    "one cluster": ({"n_clusters": 1, "linkage": "single"}, X),
    "threshold": ({"n_clusters": None, "distance_threshold": 3.0}, X),
    "threshold, nothing merges": ({"n_clusters": None, "distance_threshold": 0.0}, X),
    "without distances": ({"compute_distances": False}, X),
    "two rows": ({"n_clusters": 1}, X[:2]),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    settings, data = GOOD[name]
    c = certify(fitted(data, **settings), data)
    assert c.holds and c.not_checked == (), f"\n{c}"
    assert c.grade is Grade.EXACT


@pytest.mark.parametrize("linkage", LINKAGES)
def test_more_rows_than_are_replayed(linkage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = certify(fitted(X, linkage=linkage), X)
    monkeypatch.setattr(checker, "MOST_ROWS", 80)
    monkeypatch.setattr(many_merges, "WORK", 30 * X.size)
    monkeypatch.setattr(many_merges, "COMPARED", 40)
    c = certify(fitted(X, linkage=linkage), X)
    assert c.holds and whole.holds and c["closest"].sentence.startswith("40 of "), f"\n{c}"
    assert not certify(fitted(X[::-1], linkage=linkage), X).holds
    along = fitted(X, linkage=linkage, connectivity=np.ones((len(X), len(X))))
    assert failing(certify(along, X)) == {"closest"}
    for other in set(LINKAGES) - {linkage}:
        wrong = altered(fitted(X, linkage=other), linkage=linkage)
        del wrong.distances_
        assert "closest" in failing(certify(wrong, X)), other


@pytest.mark.parametrize("linkage", LINKAGES)
def test_scipys_linkage_matrix(linkage: str) -> None:
    model = fitted(X, linkage=linkage)
    Z = hierarchy.linkage(X, linkage)
    good = altered(model, linkage_matrix_=Z, children_=Z[:, :2].astype(int), distances_=Z[:, 2])
    good.labels_ = hierarchy.cut_tree(Z, 2)[:, 0]
    assert certify(good, X).holds, str(certify(good, X))
    for change in ((3, 2, 1e-3), (3, 3, 1.0), (3, 0, 1.0)):
        assert not certify(altered(good, linkage_matrix_=changed(Z, change[:2], change[2])), X).holds


@pytest.mark.parametrize("asked", LINKAGES)
@pytest.mark.parametrize("given", LINKAGES)
def test_other_linkages_are_refused(asked: str, given: str) -> None:
    model = altered(fitted(X, linkage=given), linkage=asked)
    assert certify(model, X).holds == (asked == given)


MODEL = fitted(X, n_clusters=3)
T, H, L = MODEL.children_, MODEL.distances_, MODEL.labels_


def put(a: np.ndarray, place: Any, value: Any) -> np.ndarray:
    out = a.copy()
    out[place] = value
    return out


def exchanged(t: int) -> dict[str, Any]:
    """Merges t and t + 1 in the other order, where neither needs the other: heights fall."""
    children = T.copy()
    children[[t, t + 1]] = children[[t + 1, t]]
    swap = np.arange(2 * 90 - 1)
    swap[[90 + t, 90 + t + 1]] = swap[[90 + t + 1, 90 + t]]
    later = np.arange(89) > t + 1
    children[later] = swap[children[later]]
    return {"children_": children, "distances_": put(H, [t, t + 1], H[[t + 1, t]])}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"children_": put(T, [(40, 0), (41, 0)], T[[41, 40], [0, 0]])}, "closest"),
        ({"children_": T[::-1].copy()}, "attributes"),
        ({"children_": T[:-1]}, "attributes"),
        ({"children_": np.zeros_like(T)}, "attributes"),
        ({"children_": T + 1}, "attributes"),
        ({"children_": T + 0.5}, "attributes"),
        ({"children_": None}, "attributes"),
        (exchanged(20), "closest"),
        ({"distances_": H * (1 + 2e-6)}, "distances_"),
        ({"distances_": H * (1 + 1e-3)}, "distances_"),
        ({"distances_": H**2}, "distances_"),
        ({"distances_": H[::-1].copy()}, "distances_"),
        ({"distances_": H[:-1]}, "distances_"),
        ({"distances_": changed(H, 5, np.nan)}, "distances_"),
        ({"labels_": put(L, 7, (L[7] + 1) % 3)}, "labels"),
        ({"labels_": np.where(L == 2, 1, L)}, "labels"),  # two clusters become one
        ({"labels_": np.where((L == 0) & (np.arange(90) % 2 == 0), 3, L)}, "labels"),  # one is split
        ({"labels_": L + 1}, "labels"),
        ({"labels_": np.roll(L, 1)}, "labels"),
        ({"labels_": np.zeros(90, int)}, "labels"),
        ({"labels_": L[:-1]}, "attributes"),
        ({"n_clusters_": 4}, "n_clusters"),
        ({"n_clusters": 4}, "n_clusters"),
        ({"n_clusters": None, "distance_threshold": 1.0}, "n_clusters"),
        ({"n_leaves_": 89}, "attributes"),
        ({"n_connected_components_": 2}, "attributes"),
        ({"linkage": "median"}, "attributes"),
        ({"metric": "manhattan"}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds and certify(altered(MODEL, labels_=(L + 1) % 3), X).holds
    c = certify(altered(MODEL, **change), X)
    assert fails in failing(c) or "attributes" in failing(c), f"\n{c}"


def test_rejects_other_data() -> None:
    for other in (X[:-1], X[::-1], X * 1.001, X * [1, 2, 1], np.where(np.arange(90)[:, None] == 9, X + 5, X)):
        assert not certify(MODEL, other).holds
    assert certify(MODEL, X[:, ::-1]).holds  # distances do not know the order of columns


@pytest.mark.parametrize("linkage", LINKAGES)
def test_trees_of_noisy_rows_are_refused(linkage: str) -> None:
    """A tree of rows moved by a little: refused where the truth, all pairs compared, is farther than the value says."""
    for size in (1e-8, 1e-5, 1e-2):
        Z = hierarchy.linkage(X + size * rng.normal(size=X.shape), linkage)
        model = altered(MODEL, linkage=linkage, children_=Z[:, :2].astype(int), distances_=Z[:, 2])
        c, worst = certify(model, X), brute_force_excess(Z[:, :2].astype(int), linkage)
        assert c["closest"].value >= worst - 1e-15
        assert not c["closest"].holds or worst <= 1e-6


def brute_force_excess(children: np.ndarray, linkage: str) -> float:
    """max over merges of (height − smallest distance of any two clusters) / height, from the definition."""
    D = pairwise_distances(X)
    far = {
        "single": lambda a, b: D[np.ix_(a, b)].min(),
        "complete": lambda a, b: D[np.ix_(a, b)].max(),
        "average": lambda a, b: D[np.ix_(a, b)].mean(),
        "ward": lambda a, b: (
            np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * np.linalg.norm(X[a].mean(0) - X[b].mean(0))
        ),
    }[linkage]
    clusters, worst = {i: [i] for i in range(len(X))}, 0.0
    M = {(a, b): far([a], [b]) for a in range(len(X)) for b in range(a)}
    for t, (a, b) in enumerate(children.tolist()):
        height = M[max(a, b), min(a, b)]
        worst = max(worst, (height - min(M.values())) / height)
        merged = clusters.pop(a) + clusters.pop(b)
        M = {pair: value for pair, value in M.items() if not {a, b} & set(pair)}
        M.update({(len(X) + t, c): far(merged, rows) for c, rows in clusters.items()})
        clusters[len(X) + t] = merged
    return worst


GRAPH = sp.csr_array(np.eye(90, k=1) + np.eye(90, k=3))  # row i with rows i + 1 and i + 3, near or not


def chain(rows: np.ndarray) -> np.ndarray:
    return np.eye(len(rows), k=1)


ALONG: dict[str, dict[str, Any]] = {
    "full tree": {"connectivity": GRAPH, "compute_full_tree": True},
    "stopped early": {"connectivity": GRAPH, "compute_full_tree": False, "n_clusters": 20},
    "function": {
        "connectivity": chain,
        "distance_threshold": 1.0,
        "n_clusters": None,
    },
    "dense": {"connectivity": (GRAPH + GRAPH.T).toarray()},
}


@pytest.mark.filterwarnings("ignore:the number of connected components")
@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("name", ALONG)
def test_merges_along_a_graph(name: str, linkage: str) -> None:
    settings = {"linkage": linkage, **ALONG[name]}
    for cls in (AgglomerativeClustering, Ours):
        model = cls(**settings).fit(X)
        c = certify(model, X)
        assert c.holds and c.grade is Grade.EXACT, f"\n{c}"
        free = cls(linkage=linkage, n_clusters=model.n_clusters_).fit(X)
        assert not certify(altered(model, children_=free.children_[: len(model.children_)]), X).holds
        assert not certify(altered(model, connectivity=kneighbors_graph(X, 2)), X).holds
        assert not certify(altered(model, n_connected_components_=7), X).holds
        assert "data" in failing(certify(altered(model, connectivity=np.ones((3, 3))), X))


@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_fraction_of_the_largest_height(linkage: str) -> None:
    model = Ours(n_clusters=None, distance_fraction=0.3, linkage=linkage).fit(X)
    c = certify(model, X)
    assert c.holds and c.not_checked == (), f"\n{c}"
    assert "n_clusters" in failing(certify(altered(model, distance_fraction=0.05), X))


def test_sparse_rows() -> None:
    S = sp.csr_array(np.where(np.abs(X) < 1, 0.0, X))
    model = fitted(S.toarray())
    assert certify(model, S).holds


@pytest.mark.parametrize("kind", [float, bool])
@pytest.mark.parametrize("model", [Ours(2), DBSCAN(50.0), StepwiseAgglomeration(n_clusters=2)])
def test_labels_are_whole_numbers_by_their_type(model: Any, kind: type) -> None:
    two = np.vstack([X[:20] - 100, X[:20] + 100])
    model.fit(two)
    assert model.labels_.max() == 1 and certify(model, two).holds
    assert "attributes" in failing(certify(altered(model, labels_=model.labels_.astype(kind)), two))


def test_heights_that_are_rounding() -> None:
    """Angles of rows far from zero, in float32: another linkage is not taken for this one."""
    data = (X + 3000).astype(np.float32)
    model = Ours(3, linkage="average", metric="cosine").fit(data)
    assert not certify(altered(model, linkage="single"), data).holds
