"""Mini-batch k-means: running means of all rows a center was given, samples without an order, groups found."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans as ScikitLearnsKMeans

from surefit.cluster.mini_batch_kmeans import MiniBatchKMeans
from surefit.solvers.clustering.lloyd import Frame
from surefit.solvers.clustering.mini_batch import Convergence, Running, Samples


def blobs(n=600, k=5, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return 10 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_center_is_the_mean_of_all_rows_it_was_given(container):
    """By the definition, in exact order: c = Σ ω x / Σ ω over the steps, started at weight zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    frame = Frame(None if container is sp.csr_array else np.zeros(2), 1.0)
    start = X[:3].copy()
    state, given = Running(start, np.zeros(3), frame), [[], [], []]
    for step in range(4):
        rows, w = X[step * 10 : step * 10 + 10], rng.integers(1, 4, 10).astype(float)
        nearest = ((rows[:, None] - state.centers) ** 2).sum(axis=2)
        inertia = state.step(container(rows), w, rng, 0.0)
        assert inertia == pytest.approx((w * nearest.min(axis=1)).sum())
        for row, weight, label in zip(rows, w, nearest.argmin(axis=1), strict=True):
            given[label].append((row, weight))
    for center, rows in zip(state.centers, given, strict=True):
        expected = np.average([row for row, _ in rows], axis=0, weights=[weight for _, weight in rows])
        np.testing.assert_allclose(center, expected, rtol=1e-12)


def test_samples_have_the_weights_as_chances():
    X = np.arange(4.0)[:, None]
    samples = Samples(X, np.array([1.0, 0.0, 2.0, 5.0]))
    drawn = samples.draw(np.random.default_rng(0), 80_000)
    share = dict(zip(drawn.order.tolist(), drawn.w / 80_000, strict=True))
    assert 1 not in share
    np.testing.assert_allclose([share[0], share[2], share[3]], [1 / 8, 2 / 8, 5 / 8], atol=0.01)


def test_groups_are_found():
    X = blobs()
    model = MiniBatchKMeans(5, batch_size=100, n_init=5, random_state=0).fit(X)
    assert model.inertia_ <= 1.05 * ScikitLearnsKMeans(5, n_init=5, random_state=0).fit(X).inertia_
    sq_dist = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, sq_dist.argmin(axis=1))
    assert model.inertia_ == pytest.approx(sq_dist.min(axis=1).sum())


def test_order_repetition_and_unit_of_weights_do_not_matter():
    X, rng = blobs(200), np.random.default_rng(1)
    w = rng.integers(0, 3, 200).astype(float)
    order = rng.permutation(200)
    centers = [
        MiniBatchKMeans(4, batch_size=50, random_state=0).fit(rows, sample_weight=weights).cluster_centers_
        for rows, weights in (
            (X, w),
            (X[order], w[order]),
            (np.repeat(X, w.astype(int), axis=0), None),
            (X, 3.5 * w),
        )
    ]
    for other in centers[1:]:
        np.testing.assert_allclose(other, centers[0], rtol=1e-10)


def test_batches_that_come_one_after_the_other():
    X = blobs(seed=3)
    model = MiniBatchKMeans(5, random_state=0, n_init=5)
    for start in range(0, 600, 100):
        model.partial_fit(X[start : start + 100])
    assert model.n_steps_ == 6 and len(model.history_) == 6 and len(model.labels_) == 100
    assert -model.score(X) <= 1.2 * ScikitLearnsKMeans(5, n_init=5, random_state=0).fit(X).inertia_


def test_stopping_rules():
    stop = Convergence(share=0.5, tol=0.0, max_no_improvement=2)
    assert [stop.reached(v, 1.0) for v in (9.0, 8.0, 6.0, 7.0)] == ["", "", "", ""]
    assert stop.running == 7.0  # ((8 + 6)/2 + 7)/2
    assert stop.reached(7.0, 1.0) == "lack of improvement in inertia"
    assert Convergence(0.5, 1e-3, None).reached(1.0, 0.0) == ""
    moved = Convergence(0.5, 1e-3, None)
    assert [moved.reached(1.0, 1e-4) for _ in range(2)] == ["", "small centers change"]


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="should be >= n_clusters"):
        MiniBatchKMeans(4).fit(np.eye(3))
    with pytest.raises(ValueError, match="does not match the number of clusters"):
        MiniBatchKMeans(2, init=np.eye(3)).fit(np.eye(3))
    with pytest.warns(RuntimeWarning, match="should be larger than n_clusters"):
        MiniBatchKMeans(3, init_size=2, random_state=0).fit(blobs(50))
