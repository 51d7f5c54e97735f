"""DBSCAN, against scikit-learn and by what is known of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.cluster
from scipy.spatial.distance import cdist

import surefit
from surefit._core.errors import CannotStream
from surefit.cluster import DBSCAN, dbscan
from tests.solvers.clustering.test_dbscan import problem


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_scikit_learn_s_labels_on_three_hundred_problems(metric):
    """Ties, duplicates, offsets, float32, weights of any sign: the same core rows and labels, number by number."""
    for seed in range(100):
        X, eps, min_samples, w = problem(seed)
        theirs = sklearn.cluster.DBSCAN(eps=eps, min_samples=min_samples, metric=metric, algorithm="kd_tree")
        theirs.fit(X, sample_weight=w)
        ours = DBSCAN(eps=eps, min_samples=min_samples, metric=metric)
        if w is not None and not w.any():
            continue
        ours.fit(X, sample_weight=w)
        np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_, err_msg=str(seed))
        np.testing.assert_array_equal(ours.labels_, theirs.labels_, err_msg=str(seed))
        np.testing.assert_array_equal(ours.components_, theirs.components_)
        assert ours.n_clusters_ == len(set(theirs.labels_)) - (-1 in theirs.labels_)


def test_certificates_hold_for_all_kinds_of_fits():
    for seed in range(30):
        X, eps, min_samples, w = problem(seed)
        if w is None or w.any():
            model = DBSCAN(eps=eps, min_samples=min_samples).fit(X, sample_weight=w)
            certificate = surefit.certify(model, X, sample_weight=w)
            assert certificate.holds, f"{seed}\n{certificate}"


def test_rows_on_two_rings():
    """Radii 1 and 3, steps of 2π/60 and 2π/180: two clusters and a lonely center."""
    t, s = np.linspace(0, 2 * np.pi, 60, endpoint=False), np.linspace(0, 2 * np.pi, 180, endpoint=False)
    X = np.vstack([np.column_stack([np.cos(t), np.sin(t)]), 3 * np.column_stack([np.cos(s), np.sin(s)]), [[0, 0]]])
    model = DBSCAN(eps=0.2, min_samples=3).fit(X)
    np.testing.assert_array_equal(model.labels_, [0] * 60 + [1] * 180 + [-1])
    assert model.n_clusters_ == 2


def test_a_border_row_between_two_clusters_belongs_to_the_first():
    """Four rows around 0 and four around 2 are core; the row at 1 reaches one of each side, and is not."""
    X = np.array([0.0, -0.1, -0.2, -0.3, 2.0, 2.1, 2.2, 2.3, 1.0])[:, None]
    for order in (np.arange(9), np.r_[4:8, 0:4, 8], np.r_[8, 4:8, 0:4]):
        model = DBSCAN(eps=1.0, min_samples=4).fit(X[order])
        border = int(np.flatnonzero(X[order, 0] == 1.0)[0])
        assert model.n_clusters_ == 2
        assert border not in model.core_sample_indices_
        assert model.labels_[border] == 0


def test_all_rows_equal_and_one_row():
    for n in (1, 2, 500):
        X = np.full((n, 3), 1e8)
        assert (DBSCAN(min_samples=n).fit(X).labels_ == 0).all()
        assert (DBSCAN(min_samples=n + 1).fit(X).labels_ == -1).all()


def test_a_function_a_matrix_and_a_graph_agree():
    X = np.random.default_rng(0).normal(size=(90, 3))
    D = cdist(X, X)
    plain = DBSCAN(eps=0.8).fit(X)
    assert plain.n_clusters_ >= 1
    for model, given in [
        (DBSCAN(eps=0.8, metric=lambda a, b: np.sqrt(((a - b) ** 2).sum())), X),
        (DBSCAN(eps=0.8, metric="precomputed"), D),
        (DBSCAN(eps=0.8, metric="precomputed"), sp.csr_array(np.where(D < 1.5, D, 0.0))),
        (DBSCAN(eps=0.8, metric="minkowski", p=2), pd.DataFrame(X)),
        (DBSCAN(eps=0.8, metric="minkowski", metric_params={"w": np.ones(3)}), X),
    ]:
        model.fit(given)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.core_sample_indices_, plain.core_sample_indices_)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_row_far_from_itself_does_not_count_for_itself(seed, container):
    """The diagonal of given distances is read as any number of theirs: as in scikit-learn."""
    rng = np.random.default_rng(seed)
    D = rng.uniform(0.1, 9.0, (40, 40))
    np.fill_diagonal(D, rng.choice([0.5, 3.0], 40))
    for least in (1, 2, 4):
        model = DBSCAN(eps=1.0, min_samples=least, metric="precomputed").fit(container(D))
        expected = sklearn.cluster.DBSCAN(eps=1.0, min_samples=least, metric="precomputed").fit(container(D))
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.core_sample_indices_, expected.core_sample_indices_)
        assert model.certify(container(D)).holds


def test_weights_are_summed_exactly_enough():
    """Ten weights of 0.1 are one, whatever the order: the float 0.1 is a little more than a tenth."""
    X = np.zeros((10, 2))
    assert DBSCAN(min_samples=1).fit(X, sample_weight=np.full(10, 0.1)).n_clusters_ == 1


def test_a_negative_weight_keeps_rows_from_being_core():
    X = np.zeros((4, 1))
    assert DBSCAN(min_samples=3).fit(X, sample_weight=[1, 1, 1, 0]).n_clusters_ == 1
    assert DBSCAN(min_samples=3).fit(X, sample_weight=[1, 1, 1, -1]).n_clusters_ == 0


def test_function_and_class_agree():
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = DBSCAN(eps=0.3, min_samples=4, metric="manhattan").fit(X)
    core, labels = dbscan(X, 0.3, min_samples=4, metric="minkowski", p=1)
    np.testing.assert_array_equal(core, model.core_sample_indices_)
    np.testing.assert_array_equal(labels, model.labels_)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DBSCAN(eps=0), r"eps=…\) must be a number > 0"),
        (DBSCAN(min_samples=0), r"min_samples=…\) must be a whole number ≥ 1"),
        (DBSCAN(metric="nearby"), "no metric"),
        (DBSCAN(metric="precomputed"), "square"),
        (DBSCAN(metric="minkowski", p=0), "p must be"),
    ],
)
def test_bad_parameters(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(np.ones((5, 2)))


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_negative_distances_are_refused(container):
    with pytest.raises(ValueError, match="Negative values"):
        DBSCAN(metric="precomputed").fit(container([[0.0, -1.0], [-1.0, 0.0]]))


def test_p_given_twice_is_told():
    with pytest.warns(SyntaxWarning, match="Parameter p is found in metric_params"):
        DBSCAN(metric="minkowski", p=2, metric_params={"p": 1}).fit(np.ones((6, 2)))


def test_rows_not_in_memory_name_another_estimator(tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame(np.ones((5, 2)), columns=["a", "b"]).to_parquet(path)
    with pytest.raises(CannotStream, match="KMeans"):
        DBSCAN().fit(path)
