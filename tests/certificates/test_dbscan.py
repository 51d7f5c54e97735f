"""The checker of DBSCAN on scikit-learn's fits, on ties, and mutations it must refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from surefit.certificates import Grade
from surefit.certificates.attributes import Attributes
from surefit.certificates.cluster import dbscan as checker
from surefit.certificates.theorems.distances.points import read_points
from tests.certificates.bench import altered, blocks, certify, failing

rng = np.random.default_rng(5)
X, _ = make_blobs(400, 3, centers=4, random_state=0)
GRID = np.stack(np.meshgrid(np.arange(20), np.arange(20)), -1).reshape(-1, 2).astype(float)
GRID = GRID[rng.random(400) < 0.7]
BALL = np.deg2rad(rng.uniform([-80, -170], [80, 170], size=(300, 2)))
BITS = rng.random((200, 12)) < 0.4
W = rng.integers(0, 4, 400).astype(float)
ONE_WAY = pairwise_distances(X[:150]) * rng.uniform(1.0, 1.6, size=(150, 150))
np.fill_diagonal(ONE_WAY, 0.0)


def taxi(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum())


GOOD: dict[str, tuple[DBSCAN, Any, Any]] = {
    "blobs": (DBSCAN(0.8), X, None),
    "everything noise": (DBSCAN(1e-3), X, None),
    "one cluster": (DBSCAN(50.0), X, None),
    "moons": (DBSCAN(0.15), make_moons(300, noise=0.05, random_state=1)[0], None),
    "grid with ties": (DBSCAN(1.0, min_samples=4), GRID, None),
    "grid with ties, tenths": (DBSCAN(0.1, min_samples=4), GRID / 10, None),
    "grid, root of two": (DBSCAN(np.sqrt(2), min_samples=7), GRID, None),
    "duplicates": (DBSCAN(0.5), np.repeat(X[:80], 4, axis=0), None),
    "weights": (DBSCAN(0.8, min_samples=9), X, W),
    "weights that inhibit": (DBSCAN(0.8, min_samples=4), X, W - 1.0),
    "manhattan": (DBSCAN(1.2, metric="manhattan"), X, None),
    "chebyshev": (DBSCAN(0.6, metric="chebyshev"), X, None),
    "minkowski": (DBSCAN(0.7, metric="minkowski", p=3), X, None),
    "cosine": (DBSCAN(0.01, metric="cosine"), X, None),
    "haversine": (DBSCAN(0.2, metric="haversine", algorithm="ball_tree"), BALL, None),
    "hamming": (DBSCAN(0.2, metric="hamming"), BITS.astype(float), None),
    "callable": (DBSCAN(1.2, metric=taxi), X[:120], None),
    "precomputed": (DBSCAN(0.8, metric="precomputed"), pairwise_distances(X), None),
    "one-way distances": (DBSCAN(1.1, min_samples=4, metric="precomputed"), ONE_WAY, None),
    "graph of nearest neighbors": (
        DBSCAN(0.8, min_samples=4, metric="precomputed"),
        kneighbors_graph(X, 6, mode="distance"),
        None,
    ),
    "sparse": (DBSCAN(1.0), sp.csr_array(np.where(np.abs(X) < 1, 0, X)), None),
    "single precision": (DBSCAN(0.8), X.astype(np.float32), None),
    "single precision, offset": (DBSCAN(0.8), (X + 1e4).astype(np.float32), None),
    "offset of a million": (DBSCAN(0.8), X + 1e6, None),
    "mixed scales": (DBSCAN(900.0), X * [1e-3, 1.0, 1e3], None),
    "one row": (DBSCAN(1.0, min_samples=1), X[:1], None),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data, w = GOOD[name]
    c = certify(model.fit(data, sample_weight=w), data, w=w)
    assert c.holds, f"\n{c}"
    assert c.grade is Grade.EXACT and c.not_checked == ()


def test_products_of_far_rows_are_named() -> None:
    """Brute force forms ‖a‖² − 2a·b + ‖b‖²: a little away its ties are its own, and the grade says so; far away they
    are no longer those of any such rows."""
    wide, grades = np.pad(GRID, ((0, 0), (0, 18))), {}
    for offset, more in ((0.0, 0.0), (1000.1, 1e-11), (1e6 + 0.1, 1e-6)):
        model = DBSCAN(1.0 + more, min_samples=4, algorithm="brute").fit(wide + offset)
        c = certify(model, wide + offset)
        grades[offset] = c.grade
        assert c.holds == (c.grade is not Grade.NOT_OPTIMAL)
        assert c.grade is not Grade.BOUNDED or "products of the rows" in c["core"].sentence
    assert grades == {0.0: Grade.EXACT, 1000.1: Grade.BOUNDED, 1e6 + 0.1: Grade.NOT_OPTIMAL}


def test_strips_find_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and pairs cut into strips along two columns: as many neighbors as all pairs have."""
    Z = np.vstack([rng.normal(size=(2500, 3)) * [5.0, 1.0, 0.1], rng.integers(0, 30, (700, 3))])
    for eps, metric in ((0.2, "euclidean"), (1.0, "manhattan"), (1.0, "chebyshev"), (1e-9, "euclidean")):
        model = DBSCAN(eps, min_samples=6, metric=metric).fit(Z)
        c = certify(model, Z)
        assert c.holds and c.grade is Grade.EXACT, f"\n{c}"
        pairs = float(c.cost.split()[0])
        assert eps > 0.5 or pairs < 0.5 * len(Z) ** 2
    assert not certify(altered(model, labels_=np.zeros(len(Z), int)), Z).holds


def test_more_pairs_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_PAIRS", 3e4)
    model = DBSCAN(0.8).fit(X)
    c = certify(model, X)
    assert c.holds and c["connected"].informs and "of 400 rows, in blocks" in c["core"].sentence
    assert not certify(altered(model, labels_=np.roll(model.labels_, 7)), X).holds


MODEL = DBSCAN(0.8).fit(X)
L, K = MODEL.labels_, MODEL.n_clusters_ if hasattr(MODEL, "n_clusters_") else MODEL.labels_.max() + 1
CORE = MODEL.core_sample_indices_
EDGE = np.flatnonzero((L >= 0) & ~np.isin(np.arange(400), CORE))[0]
NOISE = np.flatnonzero(L < 0)[0]


def put(a: np.ndarray, place: Any, value: Any) -> np.ndarray:
    out = a.copy()
    out[place] = value
    return out


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"labels_": put(L, CORE[5], (L[CORE[5]] + 1) % K)}, "labels"),
        ({"labels_": put(L, CORE[5], -1)}, "labels"),
        ({"labels_": put(L, EDGE, -1)}, "labels"),
        ({"labels_": put(L, EDGE, (L[EDGE] + 1) % K)}, "labels"),
        ({"labels_": put(L, NOISE, 0)}, "labels"),
        ({"labels_": np.where(L == 1, 0, L)}, "connected"),  # two clusters become one
        ({"labels_": np.where((L == 0) & (X[:, 0] > np.median(X[L == 0, 0])), K, L)}, "labels"),  # one is split
        ({"labels_": np.where(L >= 0, (L + 1) % K, L)}, "numbered"),
        ({"labels_": L + 1}, "labels"),
        ({"labels_": np.roll(L, 1)}, "labels"),
        ({"labels_": np.zeros(400, int)}, "connected"),
        ({"labels_": np.full(400, -1)}, "labels"),
        ({"labels_": L[:-1]}, "attributes"),
        ({"labels_": L + 0.5}, "attributes"),
        ({"labels_": None}, "attributes"),
        ({"core_sample_indices_": CORE[1:]}, "core"),
        ({"core_sample_indices_": np.sort(np.append(CORE, EDGE))}, "core"),
        ({"core_sample_indices_": np.sort(np.append(CORE, NOISE))}, "core"),
        ({"core_sample_indices_": CORE[::-1].copy()}, "attributes"),
        ({"core_sample_indices_": CORE + 400}, "attributes"),
        ({"core_sample_indices_": np.zeros(0, int)}, "core"),
        ({"components_": MODEL.components_ * (1 + 1e-9)}, "numbered"),
        ({"components_": MODEL.components_[::-1].copy()}, "numbered"),
        ({"components_": MODEL.components_[1:]}, "numbered"),
        ({"components_": None}, "numbered"),
        ({"n_clusters_": K + 1}, "numbered"),
        ({"eps": 0.7}, "core"),
        ({"eps": 0.9}, "core"),
        ({"eps": -1.0}, "attributes"),
        ({"eps": "wide"}, "attributes"),
        ({"min_samples": 6}, "core"),
        ({"metric": "chebyshev"}, "core"),
        ({"metric": "unheard of"}, "data"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    assert fails in failing(certify(altered(MODEL, **change), X))


def test_rejects_other_data() -> None:
    assert not certify(MODEL, X[::-1]).holds
    assert not certify(MODEL, X[:, ::-1] * [1, 2, 1]).holds
    assert not certify(MODEL, X[:-1]).holds
    assert not certify(MODEL, np.where(np.arange(400)[:, None] == CORE[3], X + 9.0, X)).holds
    assert not certify(MODEL, X, w=np.full(400, 0.5)).holds
    assert not certify(DBSCAN(0.8).fit(X, sample_weight=W), X).holds
    assert "data" in failing(certify(MODEL, np.where(X > 2, np.nan, X)))


def test_clusters_joined_by_a_bridge_that_is_no_core() -> None:
    """Border rows within eps of two clusters do not connect them: calling it one cluster is refused."""
    line = np.array([[-0.9]] * 5 + [[0.0], [0.95], [1.9]] + [[2.8]] * 5)
    model = DBSCAN(1.0, min_samples=4).fit(line)
    c = certify(model, line)
    assert c.holds and model.labels_.max() == 1
    merged = altered(model, labels_=np.minimum(model.labels_, 0))
    assert failing(certify(merged, line)) >= {"connected"}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 30.0, 3000.0, 1e6])
def test_random_problems(dtype: Any, offset: float) -> None:
    """Ties and duplicates on grids: scikit-learn's fit is accepted; the fit of half its eps is refused, where whole
    numbers make ties exact or there are none."""
    draw, refused = np.random.default_rng(int(offset)), 0
    for _ in range(15):
        scale, wide = draw.choice([0.1, 1.0, 3.0]), draw.choice([1.0, 1.2])
        Z = (draw.integers(0, 12, (120, 2)) * scale + offset).astype(dtype)
        model = DBSCAN(scale * wide, min_samples=int(draw.integers(3, 7))).fit(Z)
        assert certify(model, Z).holds, str(certify(model, Z))
        other = DBSCAN(model.eps * 0.5, min_samples=model.min_samples).fit(Z)
        other.eps = model.eps
        if (other.labels_ != model.labels_).any() and (scale >= 1.0 or wide > 1.0):
            refused += 1
            assert not certify(other, Z).holds
    assert refused > 5


def test_iris_prints_what_it_checked() -> None:
    data = load_iris().data
    text = str(certify(DBSCAN(0.5).fit(data), data))
    assert "EXACT" in text and "2 clusters" in text


def test_rejects_other_clusters_of_one_way_distances() -> None:
    """0 → 1 → 2 and nothing back, all core: from 0 all are reached. Each other labelling is refused."""
    D = np.full((3, 3), 9.0)
    D[0, 1] = D[1, 2] = D[0, 0] = D[1, 1] = D[2, 2] = 0.0
    model = DBSCAN(1.0, min_samples=1, metric="precomputed").fit(D)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0])
    assert certify(model, D).holds
    for labels in ([0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 0, -1]):
        assert "labels" in failing(certify(altered(model, labels_=np.array(labels)), D))
    back = DBSCAN(1.0, min_samples=1, metric="precomputed").fit(D[::-1, ::-1])
    np.testing.assert_array_equal(back.labels_, [0, 1, 2])
    assert certify(back, D[::-1, ::-1]).holds
    assert "labels" in failing(certify(altered(back, labels_=np.zeros(3, int)), D[::-1, ::-1]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_rows_far_from_themselves(seed, both_ways, container) -> None:
    """A diagonal above zero, partly above eps: the fit is accepted; not without a core row, nor with one as noise."""
    rng = np.random.default_rng(seed)
    D = rng.uniform(0.1, 9.0, (30, 30))
    D = np.minimum(D, D.T) if both_ways else D
    np.fill_diagonal(D, rng.choice([0.5, 3.0], 30))
    D = container(D)
    for least in (1, 2, 4):
        model = DBSCAN(eps=1.0, min_samples=least, metric="precomputed").fit(D)
        assert certify(model, D).holds, str(certify(model, D))
        for row in model.core_sample_indices_[:4]:
            labels = np.where(np.arange(30) == row, -1, model.labels_)
            assert not certify(altered(model, labels_=labels), D).holds
            core = np.setdiff1d(model.core_sample_indices_, row)
            assert "core" in failing(certify(altered(model, core_sample_indices_=core), D))


# --- which rows are near -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_near_rows_are_told_as_in_long_double(metric: str, offset: float) -> None:
    """Surely near is near, what is near may be, and only rounding is left open: eps is one of the distances."""
    Z = rng.normal(size=(60, 7)) * 10.0 ** np.arange(-3, 4) + offset
    L = Z.astype(np.longdouble)
    off = np.abs(L[:, None] - L[None, :])
    exact = np.sqrt((off**2).sum(-1)) if metric == "euclidean" else off.sum(-1)
    model = DBSCAN(metric=metric).fit(Z)
    points = read_points(Attributes(model, "labels_"), blocks(Z), metric)
    rows, near = np.arange(0, 60, 2), np.arange(60)
    for eps in exact[3, [1, 8, 20]].astype(np.float64):
        sure, maybe = checker._within(points, rows, near, float(eps))
        within = exact[rows] <= eps
        assert (within | ~sure).all() and (maybe | ~within).all()
        assert (np.abs(exact[rows] - eps)[maybe & ~sure] <= 1e-6 * eps).all()
        assert np.count_nonzero(maybe & ~sure) <= 4
