"""The checker of KMeans on scikit-learn's fits, its lower bound against all partitions, and mutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from surefit.certificates import CertificateError, Grade
from surefit.certificates.search.spectral import line_values
from surefit.certificates.search.spectral.principal_axes import principal_axes
from surefit.certificates.theorems.spectral import kmeans_bound
from surefit.certificates.theorems.spectral.centered import first_pass
from surefit.certificates.theorems.spectral.kmeans_bound import Bound, knapsack
from tests.certificates.bench import altered, blocks, certify, changed, failing

rng = np.random.default_rng(17)
X, _ = make_blobs(500, 4, centers=5, cluster_std=1.5, random_state=3)
U = rng.random((600, 3))
W = rng.random(600) * 2


def fitted(k: int, data: Any, w: Any = None, **parameters: Any) -> KMeans:
    return KMeans(k, n_init=3, random_state=0, **parameters).fit(data, sample_weight=w)


GOOD: dict[str, tuple[KMeans, tuple[Any, ...]]] = {
    "blobs": (fitted(5, X), (X,)),
    "uniform": (fitted(9, U), (U,)),
    "weights": (fitted(6, U, W), (U, None, W)),
    "zero weights": (fitted(4, U, W * (W > 0.5)), (U, None, W * (W > 0.5))),
    "elkan": (fitted(5, U, algorithm="elkan"), (U,)),
    "single precision": (fitted(5, X.astype(np.float32)), (X.astype(np.float32),)),
    "offset of a million": (fitted(5, X + 1e6), (X + 1e6,)),
    "single precision, offset": (fitted(5, X.astype(np.float32) + 500), (X.astype(np.float32) + 500,)),
    "one cluster": (fitted(1, U), (U,)),
    "a cluster per row": (fitted(8, U[:8]), (U[:8],)),
    "wide": (fitted(3, U.reshape(20, 90)), (U.reshape(20, 90),)),
    "constant column": (fitted(4, np.hstack([U, np.full((600, 1), 0.1)])), (np.hstack([U, np.full((600, 1), 0.1)]),)),
    "strict": (fitted(9, U, tol=1e-14, max_iter=2000), (U,)),
}


@pytest.mark.parametrize("name", GOOD)
def test_accepts(name: str) -> None:
    model, data = GOOD[name]
    c = certify(model, *data)
    assert c.holds, f"\n{c}"
    assert c.grade is (Grade.OPTIMAL if name == "a cluster per row" else Grade.FIXED_POINT)
    assert c.not_checked == ("n_iter_",)
    assert 0 <= c["interval"].detail["lower"] <= c["interval"].detail["upper"] * (1 + 1e-9)


def test_accepts_sparse() -> None:
    S = sp.random(300, 25, 0.2, format="csr", random_state=5)
    model = fitted(4, S)
    assert certify(model, S).grade is Grade.FIXED_POINT
    assert not certify(altered(model, inertia_=model.inertia_ * 1.01), S).holds


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_fewer_distinct_rows_than_centres() -> None:
    rows = np.repeat(U[:3], 5, axis=0)
    c = certify(fitted(5, rows), rows)
    assert c.holds, f"\n{c}"
    assert c["centers_used"].detail["idle"] >= 2


def test_labels_may_be_absent() -> None:
    model = fitted(5, X)
    del model.labels_
    c = certify(model, X)
    assert c.holds and "nearest" not in c and "no labels_" in c.cost


MODEL = fitted(5, X)
K = MODEL.cluster_centers_
OTHER = np.where(np.arange(500) == 7, (MODEL.labels_ + 1) % 5, MODEL.labels_)


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({"inertia_": MODEL.inertia_ * (1 + 2e-6)}, "inertia"),
        ({"inertia_": 0.0}, "inertia"),
        ({"inertia_": -MODEL.inertia_}, "inertia"),
        ({"inertia_": np.nan}, "attributes"),
        ({"inertia_": None}, "attributes"),
        ({"labels_": OTHER}, "nearest"),
        ({"labels_": np.roll(MODEL.labels_, 1)}, "nearest"),
        ({"labels_": (MODEL.labels_ + 1) % 5}, "nearest"),
        ({"labels_": np.zeros(500, dtype=int)}, "nearest"),
        ({"labels_": MODEL.labels_ - 1}, "nearest"),
        ({"labels_": np.where(OTHER == 0, 99, OTHER)}, "nearest"),
        ({"labels_": MODEL.labels_[:-1]}, "attributes"),
        ({"labels_": MODEL.labels_ + 0.5}, "attributes"),
        ({"labels_": "abc"}, "attributes"),
        ({"cluster_centers_": changed(K, (0, 0), 0.3)}, "fixed_point"),
        ({"cluster_centers_": changed(K, (0, 0), 3e-2)}, "inertia"),
        ({"cluster_centers_": changed(K, (0, 0), 0.3)}, "centers"),
        ({"cluster_centers_": K[:, ::-1].copy()}, "nearest"),
        ({"n_clusters": 6}, "attributes"),
        ({"n_clusters": "five"}, "attributes"),
        ({"cluster_centers_": K[::-1].copy()}, "nearest"),
        ({"cluster_centers_": np.zeros_like(K)}, "centers_used"),
        ({"cluster_centers_": -K}, "inertia"),
        ({"cluster_centers_": np.vstack([K[:4], K[:1]])}, "centers_used"),
        ({"cluster_centers_": np.vstack([K[:4], [[1e6] * 4]])}, "nearest"),
        ({"cluster_centers_": changed(K, (2, 1), np.nan)}, "attributes"),
        ({"cluster_centers_": changed(K, (2, 1), 1e200)}, "finite"),
        ({"cluster_centers_": K[:4]}, "attributes"),
        ({"cluster_centers_": K[:, :3]}, "attributes"),
        ({"cluster_centers_": K[0]}, "attributes"),
    ],
)
def test_rejects_mutations(change: dict[str, Any], fails: str) -> None:
    assert certify(MODEL, X).holds
    assert fails in failing(certify(altered(MODEL, **change), X))


def test_rejects_other_data() -> None:
    drop = np.arange(500) != 3
    assert not certify(altered(MODEL, labels_=MODEL.labels_[drop]), X[drop]).holds
    assert not certify(MODEL, X[::-1]).holds
    assert not certify(MODEL, X, w=np.full(500, 2.0)).holds


def test_rejects_a_fit_that_stopped_early() -> None:
    model = KMeans(9, init=U[:9], n_init=1, max_iter=1).fit(U)
    assert model.n_iter_ == model.max_iter
    assert failing(certify(model, U)) == {"centers", "fixed_point"}


def test_a_large_tol_is_not_an_excuse() -> None:
    model = KMeans(9, init=U[:9], n_init=1, tol=1e6).fit(U)
    assert "fixed_point" in failing(certify(model, U))


# --- the lower bound ---------------------------------------------------------------------------------------------


def least_inertia(x: np.ndarray, w: np.ndarray, k: int) -> float:
    """By enumeration of all assignments of the rows to at most k clusters (restricted growth strings)."""
    best = np.inf

    def grow(labels: list[int], used: int) -> None:
        nonlocal best
        if len(labels) == len(x):
            cost = 0.0
            a = np.array(labels)
            for j in range(used):
                rows, v = x[a == j], w[a == j]
                cost += float(v @ ((rows - v @ rows / v.sum()) ** 2).sum(axis=1))
            best = min(best, cost)
            return
        for j in range(min(used + 1, k)):
            grow([*labels, j], max(used, j + 1))

    grow([], 0)
    return best


def proposed(data: Any, center: Any, axes: np.ndarray, k: int) -> Bound:
    many = line_values.axes_needed(data.n_rows, k)
    return kmeans_bound.lower_bound(data, center, axes, k, many, line_values.line_values)


def bound_of(x: np.ndarray, k: int, w: np.ndarray | None = None, rows: int = 3) -> Bound:
    data = blocks(x, w=w, rows=rows)
    center = first_pass(data)
    axes = principal_axes(data, center.long_mean)
    assert axes is not None
    return proposed(data, center, axes, k)


@pytest.mark.parametrize("seed", range(12))
def test_lower_bound_is_below_the_enumerated_optimum(seed: int) -> None:
    r = np.random.default_rng(seed)
    n, d, k = int(r.integers(4, 9)), int(r.integers(1, 5)), int(r.integers(1, 4))
    x, w = r.normal(size=(n, d)) * r.exponential(size=d), r.random(n) + 0.1
    truth = least_inertia(x, w, k)
    bound = bound_of(x, k, w)
    assert bound.lower <= truth * (1 + 1e-15)
    if d == 1 or k == 1:
        assert bound.lower == pytest.approx(truth, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_lower_bound_of_wide_data(seed: int) -> None:
    r = np.random.default_rng(seed)
    x, w = r.normal(size=(7, 12)), r.random(7) + 0.1
    assert 0 < bound_of(x, 3, w).lower <= least_inertia(x, w, 3)


def test_any_axes_give_a_true_bound() -> None:
    """The search is not trusted: random, short, repeated or no axes lower the bound, and never lift it."""
    r = np.random.default_rng(1)
    x = r.normal(size=(8, 3)) * [3.0, 1.0, 0.1]
    data, truth = blocks(x, rows=3), least_inertia(x, np.ones(8), 3)
    center = first_pass(data)
    Q = np.linalg.qr(r.normal(size=(3, 3)))[0]
    for W in (Q, Q[:1], Q * 0.5, Q * 2, Q[[0, 0, 1]], np.zeros((0, 3)), r.normal(size=(3, 3)), np.eye(3)):
        assert 0 <= proposed(data, center, W, 3).lower <= truth


def test_lower_bound_by_few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = make_blobs(1000, 5, centers=4, random_state=1)
    exact = bound_of(data, 4, rows=500)
    monkeypatch.setattr(line_values, "MAX_POINTS", 600)
    few = bound_of(data, 4, rows=500)
    assert exact.exact and not few.exact
    assert 0.95 * exact.lower <= few.lower <= exact.lower


def test_knapsack_by_hand() -> None:
    """λ = 8, 4, 2 and k = 2: one unit to give, 3/4 of it fits on the first axis, 1/4 goes to the second."""
    assert knapsack(np.array([8.0, 4.0, 2.0]), np.array([2.0, 0.0]), 1) == pytest.approx(14 - 6 - 1, rel=1e-8)
    assert knapsack(np.array([8.0, 4.0]), np.array([2.0, 1.0]), 4) == pytest.approx(3.0, rel=1e-8)


@pytest.mark.parametrize(
    ("data", "k", "ratio"),
    [
        (load_iris().data, 3, 0.73),
        (StandardScaler().fit_transform(load_wine().data), 3, 0.87),
        (load_digits().data, 10, 0.56),
    ],
    ids=["iris", "wine", "digits"],
)
def test_ratios_of_known_data(data: np.ndarray, k: int, ratio: float) -> None:
    claim = certify(KMeans(k, n_init=10, random_state=0).fit(data), data, rows=4096)["interval"]
    assert claim.value == pytest.approx(ratio, abs=0.01) and claim.informs
    assert f"{claim.detail['lower']:.6g}" in claim.sentence


def test_separated_blobs_are_nearly_proved() -> None:
    data, _ = make_blobs(1000, 50, centers=3, random_state=0)
    claim = certify(fitted(3, data), data, rows=4096)["interval"]
    assert claim.value > 0.97


def test_not_fitted() -> None:
    with pytest.raises(CertificateError, match="not fitted"):
        certify(KMeans(), X)


# --- each center against its own cluster ---------------------------------------------------------------------------


def consistent(model: KMeans, centers: np.ndarray, data: np.ndarray, w: np.ndarray) -> KMeans:
    """The model with other centers, and the labels and the inertia that belong to them."""
    sq_dist = ((data[:, None, :].astype(np.longdouble) - centers) ** 2).sum(axis=2)
    inertia = float(w @ sq_dist.min(axis=1))
    return altered(model, cluster_centers_=centers, labels_=sq_dist.argmin(axis=1), inertia_=inertia)


def one_step(data: np.ndarray, w: np.ndarray, model: KMeans) -> float:
    """The share of the inertia that one step saves, in long double."""
    x, v = data.astype(np.longdouble), w.astype(np.longdouble)
    means = np.array([v[model.labels_ == j] @ x[model.labels_ == j] / v[model.labels_ == j].sum() for j in range(3)])
    now = v @ ((x - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    return float(1 - v @ ((x[:, None, :] - means) ** 2).sum(axis=2).min(axis=1) / now)


@pytest.mark.parametrize("offset", [0.0, 3e3, 1e6])
@pytest.mark.parametrize("outlier", [False, True])
def test_tight_clusters_are_not_judged_by_the_spread_of_all_rows(offset: float, outlier: bool) -> None:
    """Deviations of 0.001, distances of ten, a rare cluster of five rows, and a far row of weight zero."""
    r = np.random.default_rng(4)
    data = np.vstack([r.normal(size=(m, 2)) * 1e-3 + 10 * j for j, m in enumerate((100, 80, 5))]) + offset
    w = np.ones(len(data))
    if outlier:
        data, w = np.vstack([data, [[1e5, 1e5]]]), np.append(w, 0.0)
    model = KMeans(3, n_init=3, random_state=0).fit(data, sample_weight=w)
    assert certify(model, data, w=w).grade is Grade.FIXED_POINT
    for j in range(3):
        for size in (1e-6, 1e-4, 1e-3, 0.3, 45.0):
            moved = consistent(model, changed(model.cluster_centers_, (j, 0), 1e-3 * size), data, w)
            c = certify(moved, data, w=w)
            assert c["fixed_point"].value >= one_step(data, w, moved)
            assert c.holds == (size < 0.1), f"\n{c}"


def test_a_fit_that_stopped_by_its_tol_says_so() -> None:
    data = np.random.default_rng(0).random((3000, 2))
    model = KMeans(20, random_state=0, n_init=1).fit(data)
    c = certify(model, data)
    assert c.holds and c["fixed_point"].grade is Grade.BOUNDED and "stopped by its tol" in c["fixed_point"].sentence
    strict = certify(altered(model, tol=0.0), data)
    assert strict["fixed_point"].grade is Grade.NOT_OPTIMAL and "lower tol" in strict["fixed_point"].sentence
    assert certify(KMeans(20, random_state=0, n_init=1, tol=0.0).fit(data), data).grade is Grade.FIXED_POINT


def test_answers_are_looked_at() -> None:
    class Other(KMeans):
        def predict(self, X: Any) -> Any:
            return (super().predict(X) + 1) % 5

    class Far(KMeans):
        def transform(self, X: Any) -> Any:
            return 1.001 * super().transform(X)

    assert failing(certify(Other(5, n_init=1, random_state=0).fit(X), X)) == {"predict"}
    assert failing(certify(Far(5, n_init=1, random_state=0).fit(X), X)) == {"transform"}


def test_labels_of_another_type_are_refused() -> None:
    model = fitted(5, X)
    assert failing(certify(altered(model, labels_=model.labels_.astype(float)), X)) == {"attributes"}
