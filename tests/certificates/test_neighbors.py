"""The checkers of nearest neighbors, their votes and means, on scikit-learn's fits; mutations they must refuse."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

import surefit.neighbors
from surefit.certificates import Grade
from surefit.certificates.attributes import Attributes
from surefit.certificates.theorems.distances.points import read_points
from tests.certificates.bench import altered, blocks, certify, failing

rng = np.random.default_rng(3)
X = rng.normal(size=(300, 4))
C = np.where(X[:, 0] + rng.normal(size=300) > 0, "yes", np.where(X[:, 1] > 0.5, "perhaps", "no"))
Y = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=300)
GRID = rng.integers(0, 8, (400, 2)).astype(float)
BITS = (rng.random((200, 12)) < 0.4).astype(float)
BALL = np.deg2rad(rng.uniform([-80, -170], [80, 170], size=(300, 2)))


def taxi(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum())


GOOD: dict[str, tuple[dict[str, Any], Any]] = {
    "tree": ({}, X),
    "brute force": ({"algorithm": "brute"}, X),
    "one neighbor": ({"n_neighbors": 1}, X),
    "all rows": ({"n_neighbors": 60, "algorithm": "kd_tree"}, X[:60]),
    "ties on a grid": ({}, GRID),
    "ties on tenths": ({}, GRID / 10),
    "duplicates": ({}, np.repeat(X[:60], 5, axis=0)),
    "manhattan": ({"metric": "manhattan"}, X),
    "chebyshev": ({"metric": "chebyshev"}, X),
    "minkowski": ({"p": 3}, X),
    "minkowski with a broken power": ({"p": 1.5}, X),
    "cosine": ({"metric": "cosine"}, X),
    "canberra": ({"metric": "canberra"}, X),
    "hamming": ({"metric": "hamming"}, BITS),
    "haversine": ({"metric": "haversine"}, BALL),
    "callable": ({"metric": taxi}, X[:100]),
    "precomputed": ({"metric": "precomputed"}, pairwise_distances(X)),
    "sparse": ({}, sp.csr_array(np.where(np.abs(X) < 0.5, 0, X))),
    "single precision": ({}, X.astype(np.float32)),
    "single precision, offset": ({}, (X + 1e4).astype(np.float32)),
    "offset of a million": ({}, X + 1e6),
    "mixed scales": ({}, X * [1e-3, 1.0, 1e3, 1e-6]),
    "more rows than are all asked": ({}, rng.normal(size=(2000, 3))),
    "one row": ({"n_neighbors": 1}, X[:1]),
}


@pytest.mark.parametrize("name", GOOD)
def test_nearest_neighbors_accepts(name: str) -> None:
    settings, data = copy.deepcopy(GOOD[name])
    c = certify(NearestNeighbors(**settings).fit(data), data)
    assert c.holds, f"\n{c}"
    assert c.grade is (Grade.BOUNDED if name in ("brute force", "sparse") else Grade.EXACT)
    assert c.not_checked == ()


@pytest.mark.parametrize("name", sorted(GOOD.keys() - {"one row"}))
def test_votes_and_means_are_accepted(name: str) -> None:
    settings, data = copy.deepcopy(GOOD[name])
    n, weights = data.shape[0], ("uniform", "distance", np.exp)[len(name) % 3]
    labels, target = np.resize(C, n), np.resize(Y, n)
    a = certify(KNeighborsClassifier(weights=weights, **settings).fit(data, labels), data, labels)
    b = certify(KNeighborsRegressor(weights=weights, **settings).fit(data, target), data, target)
    assert a.holds and b.holds, f"\n{a}\n{b}"
    assert a.not_checked == b.not_checked == ()


def test_weights_of_columns_are_not_checked() -> None:
    model = NearestNeighbors(p=1.5, metric_params={"w": np.array([1.0, 2.0, 0.5, 3.0])}).fit(X)
    assert failing(certify(model, X)) == {"data"}


def test_several_targets() -> None:
    two = np.stack([Y, -Y], axis=1)
    assert certify(KNeighborsRegressor().fit(X, two), X, two).holds
    assert not certify(KNeighborsRegressor().fit(X, two), X, two[:, ::-1]).holds


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
def test_bundled_data(load: Any) -> None:
    data, y = load(return_X_y=True)
    for rows in (data, ((data - data.mean(axis=0)) / (data.std(axis=0) + 1e-9)).astype(np.float32)):
        for model in (NearestNeighbors(), KNeighborsClassifier(metric="manhattan")):
            c = certify(model.fit(rows, y), rows, y)
            assert c.holds, f"\n{c}"


def test_brute_force_far_away_is_refused() -> None:
    """Products of rows a million away have three digits left; the tree has them all."""
    wide = np.hstack([X, X[:, ::-1]]) + 1e6
    assert certify(NearestNeighbors(algorithm="kd_tree").fit(wide), wide).holds
    assert "kneighbors" in failing(certify(NearestNeighbors(algorithm="brute").fit(wide), wide))


# --- what distances are ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine", "canberra", "sqeuclidean"])
def test_distances_are_within_their_slack_of_long_double(metric: str) -> None:
    """|D − exact| ≤ slack / 2 in double, for rows of mixed scales far from zero."""
    Z = (rng.normal(size=(40, 7)) * 10.0 ** np.arange(-3, 4) + 1e3 * (metric != "cosine")).astype(np.float64)
    model = NearestNeighbors(metric=metric, algorithm="brute").fit(Z)
    points = read_points(Attributes(model, "n_samples_fit_"), blocks(Z), metric)
    D = points.block(Z)
    slack = points.slack(D)
    L = Z.astype(np.longdouble)
    a, b = L[:, None], L[None, :]
    exact = {
        "euclidean": lambda: np.sqrt(((a - b) ** 2).sum(-1)),
        "sqeuclidean": lambda: ((a - b) ** 2).sum(-1),
        "manhattan": lambda: np.abs(a - b).sum(-1),
        "chebyshev": lambda: np.abs(a - b).max(-1),
        "cosine": lambda: 1 - (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1)),
        "canberra": lambda: np.where(a == b, 0, np.abs(a - b) / (np.abs(a) + np.abs(b))).sum(-1),
    }[metric]()
    assert (np.abs(D - exact) <= slack / 2).all()


# --- mutations ---------------------------------------------------------------------------------------------------

MODEL = NearestNeighbors().fit(X)


def lying(model: Any, change: Any, method: str = "kneighbors") -> Any:
    """The model with another answer of one method."""

    class Liar(type(model)):  # type: ignore[misc]
        pass

    def answer(self: Any, *args: Any, **settings: Any) -> Any:
        return change(getattr(type(model), method)(self, *args, **settings))

    setattr(Liar, method, answer)
    liar = altered(model)
    liar.__class__ = Liar
    return liar


def swapped(pair: Any) -> Any:
    dist, ind = (a.copy() for a in pair)
    ind[7, -1] = (ind[7].max() + 1) % 300
    dist[7, -1] = np.nan if ind[7, -1] >= 300 else np.linalg.norm(X[7] - X[ind[7, -1]])
    return dist, ind


LIES: dict[str, Any] = {
    "distances scaled": lambda p: (p[0] * (1 + 1e-6), p[1]),
    "distances scaled by little": lambda p: (p[0] * (1 + 1e-12), p[1]),
    "distances squared": lambda p: (p[0] ** 2, p[1]),
    "another row": swapped,
    "reversed": lambda p: (p[0][:, ::-1], p[1][:, ::-1]),
    "indices rolled": lambda p: (p[0], np.roll(p[1], 1, axis=1)),
    "queries rolled": lambda p: (np.roll(p[0], 1, axis=0), np.roll(p[1], 1, axis=0)),
    "one less": lambda p: (p[0][:, :-1], p[1][:, :-1]),
    "the same row twice": lambda p: (p[0][:, [0, 1, 2, 3, 3]], p[1][:, [0, 1, 2, 3, 3]]),
    "beyond the rows": lambda p: (p[0], p[1] + 300),
    "negative": lambda p: (p[0], -p[1] - 1),
    "NaN": lambda p: (p[0] * np.nan, p[1]),
    "text": lambda p: "text",
    "none": lambda p: None,
}


@pytest.mark.parametrize("name", LIES)
def test_rejects_other_answers(name: str) -> None:
    assert "kneighbors" in failing(certify(lying(MODEL, LIES[name]), X))
    model = KNeighborsRegressor().fit(X, Y)
    assert failing(certify(lying(model, LIES[name]), X, Y)) & {"kneighbors", "predict"}


def test_the_query_itself_may_not_be_found() -> None:
    found = NearestNeighbors().fit(X)
    liar = lying(found, lambda p: p)
    type(liar).kneighbors = lambda self, Q=None, *a, **s: NearestNeighbors.kneighbors(self, X if Q is None else Q)
    assert failing(certify(liar, X)) == {"other_rows"}


@pytest.mark.parametrize(
    "change",
    [
        lambda p: (np.array([a[:-1] for a in p[0]], dtype=object), np.array([a[:-1] for a in p[1]], dtype=object)),
        lambda p: (p[0], np.roll(p[1], 1)),
        lambda p: (np.array([a * (1 + 1e-6) for a in p[0]], dtype=object), p[1]),
        lambda p: (p[1], p[0]),
        lambda p: None,
    ],
)
def test_rejects_other_rows_within_the_radius(change: Any) -> None:
    assert failing(certify(lying(MODEL, change, "radius_neighbors"), X)) == {"radius_neighbors"}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"n_neighbors": 0}, "attributes"),
        ({"n_neighbors": 2.5}, "attributes"),
        ({"n_neighbors": "five"}, "attributes"),
        ({"n_samples_fit_": 299}, "attributes"),
        ({"effective_metric_": "manhattan"}, "attributes"),
        ({"effective_metric_params_": {"p": 7}}, "attributes"),
        ({"metric": "manhattan"}, "attributes"),
        ({"p": 1}, "attributes"),
        ({"metric": "unheard of"}, "data"),
        ({"X_fit_": X[::-1]}, "attributes"),
        ({"X_fit_": X + 1e-9}, "attributes"),
        ({"X_fit_": X[:-1]}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds and certify(altered(MODEL, X_fit_=X), X).holds
    liar = altered(MODEL, **change)
    if "effective_metric_params_" in change:
        liar.effective_metric_ = "minkowski"
    assert fails in failing(certify(liar, X))


def test_rejects_other_data() -> None:
    for other in (X[:-1], X[::-1], X + 1e-3, X[:, ::-1], X * 2, np.where(np.arange(300)[:, None] == 9, X + 1, X)):
        assert not certify(MODEL, other).holds
    assert not certify(NearestNeighbors(n_neighbors=5).fit(X[:200]), X).holds
    assert "data" in failing(certify(MODEL, np.where(X > 2, np.nan, X)))


def test_rejects_other_votes() -> None:
    model = KNeighborsClassifier().fit(X, C)
    assert certify(model, X, C).holds
    flipped = np.where(np.arange(300) == 4, "perhaps", C)
    assert not certify(model, X, np.where(C == "no", "yes", np.where(C == "yes", "no", C))).holds
    assert not certify(model, X, flipped).holds or (flipped == C).all()
    for change in (
        {"classes_": model.classes_[::-1].copy()},
        {"classes_": model.classes_[:-1]},
        {"classes_": np.array(["a", "b", "c"])},
    ):
        assert not certify(altered(model, **change), X, C).holds, change
    for method, change in (
        ("predict_proba", lambda p: p * (1 + 1e-6)),
        ("predict_proba", lambda p: p[:, ::-1]),
        ("predict_proba", lambda p: np.full_like(p, 1 / 3)),
        ("predict", lambda y: np.roll(y, 1)),
        ("predict", lambda y: np.where(y == "no", "yes", y)),
        ("predict", lambda y: np.full_like(y, "unknown")),
    ):
        assert method in failing(certify(lying(model, change, method), X, C))


def test_a_choice_among_ties_is_free_but_nothing_more() -> None:
    """Four rows at distance one, two places for them: any share that two of them give is right, no other."""
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [9.0, 9.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = KNeighborsClassifier(3, algorithm="brute").fit(rows, y)
    for share, holds in (([1.0, 0.0], True), ([2 / 3, 1 / 3], True), ([1 / 3, 2 / 3], True), ([0.0, 1.0], False)):

        def shares(p: np.ndarray, share: list[float] = share) -> np.ndarray:
            p = p.copy()
            p[: min(1, len(p))] = share
            return p

        liar = lying(model, shares, "predict_proba")
        assert ("predict_proba" not in failing(certify(liar, rows, y))) == holds


def test_rejects_other_means() -> None:
    model = KNeighborsRegressor().fit(X, Y)
    assert not certify(model, X, Y[::-1]).holds
    assert not certify(model, X, Y * (1 + 1e-6)).holds
    assert not certify(lying(model, lambda y: y * (1 + 1e-9), "predict"), X, Y).holds


def test_more_neighbors_than_rows() -> None:
    """The fit is right, though kneighbors needs a number to answer; the radius is checked all the same."""
    rows = X[:3]
    model = NearestNeighbors(n_neighbors=5, radius=2.0).fit(rows)
    c = certify(model, rows)
    assert c.holds and c["kneighbors"].value is None, f"\n{c}"
    liar = lying(model, lambda p: (p[0][::-1], p[1][::-1]), "radius_neighbors")
    assert "radius_neighbors" in failing(certify(liar, rows))


@pytest.mark.parametrize("scaled", [False, True])
def test_one_neighbor_by_products(scaled: bool) -> None:
    """A row's nearest is itself: distances from products are not nothing, but little beside that of the next row."""
    data, labels = load_breast_cancer(return_X_y=True)
    data = (data - data.mean(axis=0)) / data.std(axis=0) if scaled else data
    c = certify(KNeighborsClassifier(1, algorithm="brute").fit(data, labels), data, labels)
    assert c.holds and c.grade is Grade.BOUNDED, f"\n{c}"


def test_angles_that_are_rounding() -> None:
    """Far from zero all directions are one: 1 − cos is below 1e-6, a float32 keeps six digits of the cosine."""
    data = (X + 3000).astype(np.float32)
    for library in (sklearn.neighbors, surefit.neighbors):
        c = certify(library.NearestNeighbors(metric="cosine").fit(data), data)
        assert not c.holds and c.grade is Grade.UNPROVED and "center X" in c["data"].sentence
    model = surefit.neighbors.GammaIndex(metric="cosine").fit(data)
    assert not certify(model, data).holds
    assert certify(surefit.neighbors.NearestNeighbors(metric="cosine").fit(X), X).holds


def test_the_direction_of_no_direction() -> None:
    """scikit-learn says that rows of zeros are at distance 1 of each other, surefit 0: neither follows from x·y."""
    data = np.vstack([X[:50], np.zeros((2, 4))])
    for library in (sklearn.neighbors, surefit.neighbors):
        c = certify(library.NearestNeighbors(metric="cosine").fit(data), data)
        assert not c.holds and c.grade is Grade.UNPROVED and "zeros" in c["data"].sentence
