"""AgglomerativeClustering against SciPy and scikit-learn, its stopping rules, and what it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.cluster
from scipy.cluster import hierarchy
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from surefit import config
from surefit.cluster.agglomerative_clustering import AgglomerativeClustering

LINKAGES = ("ward", "complete", "average", "single")


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_tree_is_scipys(linkage):
    X = np.random.default_rng(0).normal(size=(120, 4))
    model = AgglomerativeClustering(5, linkage=linkage).fit(X)
    theirs = hierarchy.linkage(X, method=linkage)
    np.testing.assert_allclose(model.linkage_matrix_[:, 2], theirs[:, 2], rtol=1e-12)
    np.testing.assert_array_equal(model.linkage_matrix_[:, [0, 1, 3]], theirs[:, [0, 1, 3]])
    assert same_partition(model.labels_, hierarchy.fcluster(theirs, 5, criterion="maxclust"))


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("n_clusters", [4, 110])
def test_restricted_merges_are_scikit_learns(linkage, n_clusters):
    X = np.random.default_rng(1).normal(size=(150, 3))
    graph = kneighbors_graph(X, 4, include_self=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the graph may be in pieces
        ours = AgglomerativeClustering(n_clusters, linkage=linkage, connectivity=graph).fit(X)
        theirs = sklearn.cluster.AgglomerativeClustering(
            n_clusters, linkage=linkage, connectivity=graph, compute_distances=True
        ).fit(X)
    assert same_partition(ours.labels_, theirs.labels_)
    heights = ours.linkage_matrix_[:, 2]
    np.testing.assert_allclose(heights, theirs.distances_[: len(heights)], rtol=1e-12)
    assert ours.n_connected_components_ == theirs.n_connected_components_


def test_three_stopping_rules():
    X = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])  # single linkage merges at 1, 2, 4, 8
    at = {"n_clusters": None, "linkage": "single"}
    np.testing.assert_array_equal(
        AgglomerativeClustering(1, linkage="single").fit(X).linkage_matrix_[:, 2], [1, 2, 4, 8]
    )
    assert AgglomerativeClustering(**at, distance_threshold=4.0).fit(X).n_clusters_ == 3  # 4 itself does not merge
    assert AgglomerativeClustering(**at, distance_threshold=4.1).fit(X).n_clusters_ == 2
    assert AgglomerativeClustering(**at, distance_fraction=0.5).fit(X).n_clusters_ == 3
    assert AgglomerativeClustering(**at, distance_fraction=0.51).fit(X).n_clusters_ == 2
    assert AgglomerativeClustering(**at, distance_fraction=1.0).fit(X).n_clusters_ == 2


def test_precomputed_memory_mapped_and_functions(tmp_path):
    X = np.random.default_rng(2).normal(size=(60, 3))
    D = pairwise_distances(X, metric="manhattan")
    np.save(tmp_path / "D.npy", D)
    mapped = np.load(tmp_path / "D.npy", mmap_mode="r")
    for linkage in ("single", "complete", "average"):
        want = hierarchy.linkage(X, method=linkage, metric="cityblock")
        settings = {"n_clusters": 3, "linkage": linkage}
        for metric, rows in (
            ("precomputed", mapped),
            ("manhattan", X),
            (lambda A: pairwise_distances(A, metric="manhattan"), X),
            (lambda u, v: np.abs(u - v).sum(), X),
        ):
            got = AgglomerativeClustering(metric=metric, **settings).fit(rows).linkage_matrix_
            np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_does_not_fit_is_refused_with_its_bytes():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    with config(memory_limit=2**24), pytest.raises(MemoryError, match=r"34\.3 MiB.*linkage='single' or 'ward'"):
        AgglomerativeClustering(linkage="average").fit(X)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_clusters": None}, "Exactly one of"),
        ({"n_clusters": 2, "distance_fraction": 0.5}, "Exactly one of"),
        ({"n_clusters": None, "distance_fraction": 0.5, "compute_full_tree": False}, "compute_full_tree must be True"),
        ({"metric": "cosine"}, "Ward can only"),
        ({"n_clusters": 9}, "more clusters than samples"),
        ({"metric": "precomputed", "linkage": "average"}, "should be square"),
    ],
)
def test_refusals_say_what_to_do(settings, words):
    with pytest.raises(ValueError, match=words):
        AgglomerativeClustering(**settings).fit(np.arange(12.0).reshape(4, 3))


def test_zero_rows_have_no_angle():
    with pytest.raises(ValueError, match="row 1"):
        AgglomerativeClustering(metric="cosine", linkage="single").fit([[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]])
