"""Batches that nobody should give to partial_fit: a clear error, and the model stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.cluster import MiniBatchKMeans

X = np.random.default_rng(0).normal(size=(50, 4))
BAD = {
    "other columns": (X[:, :3], "3 features, but MiniBatchKMeans is expecting 4"), "empty": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"), "1-d": (X[0], "2D array"), "NaN": (np.where(X > 1, np.nan, X), "NaN"),
    "infinite": (np.where(X > 1, np.inf, X), "infinity"), "words": (np.full((5, 4), "a"), "not numeric"),
    "complex": (X + 1j, "Complex data"), "1e308": (np.sign(X) * 1e308, "leave the range"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_batch_leaves_the_model_as_it_was(case):
    batch, says = BAD[case]
    model, mate = (MiniBatchKMeans(3, random_state=0).partial_fit(X) for _ in range(2))
    with pytest.raises(ValueError, match=says):
        model.partial_fit(batch)
    for one in (model, mate):
        one.partial_fit(X[:20])
    assert np.array_equal(model.cluster_centers_, mate.cluster_centers_)


@pytest.mark.parametrize("n", [1, 2])
def test_few_rows_are_a_batch_but_no_first_one(n):
    with pytest.raises(ValueError, match="should be >= n_clusters=3"):
        MiniBatchKMeans(3, random_state=0).partial_fit(X[:n])
    model = MiniBatchKMeans(3, random_state=0).partial_fit(X).partial_fit(X[:n])
    assert np.isfinite(model.cluster_centers_).all()


def test_another_number_of_clusters_is_refused():
    model = MiniBatchKMeans(3, random_state=0).partial_fit(X)
    with pytest.raises(ValueError, match="n_clusters was 3 in the calls before and is 5 now"):
        model.set_params(n_clusters=5).partial_fit(X)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-160])
def test_a_batch_much_smaller_than_the_centers(size):
    """Its rows are all as good as zero: the nearest center is that of least norm, the sum n times its square."""
    model = MiniBatchKMeans(3, random_state=0, reassignment_ratio=0.0).partial_fit(X).partial_fit(X * size)
    sq_norms = (model.cluster_centers_**2).sum(axis=1)
    assert (model.labels_ == sq_norms.argmin()).all()
    assert model.inertia_ == pytest.approx(len(X) * sq_norms.min(), rel=1e-12)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_batch_much_larger_than_the_centers():
    """Squares of 1e200 are infinite, distances in units of their own are not: rows go to means of their own groups."""
    model = MiniBatchKMeans(3, random_state=0).partial_fit(X).partial_fit(X * 1e200)
    assert np.isfinite(model.cluster_centers_).all() and model.inertia_ == np.inf
