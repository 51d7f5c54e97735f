"""Metrics against long double, mpmath-free closed forms, SciPy and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric, pairwise_distances
from sklearn.metrics.pairwise import nan_euclidean_distances

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.search import resolve_metric
from tests.reference.neighbors import long_distances

EPS = np.finfo(np.float64).eps


def rows(n, d, seed=0, offset=0.0, dtype=np.float64):
    return (np.random.default_rng(seed).normal(size=(n, d)) + offset).astype(dtype)


@pytest.mark.parametrize(
    ("name", "p"), [("euclidean", 2), ("l1", 1), ("chebyshev", math.inf), ("minkowski", 3), ("minkowski", 0.5)]
)
@pytest.mark.parametrize(("offset", "dtype"), [(0.0, np.float64), (1e8, np.float64), (1e4, np.float32)])
def test_the_minkowski_family_is_right_at_any_offset(name, p, offset, dtype):
    A, B = rows(13, 7, 1, offset, dtype), rows(17, 7, 2, offset, dtype)
    D = resolve_metric(name, p=p).pairwise(A, B)
    exact = long_distances(A, B, p)
    assert D.dtype == np.float64
    assert np.abs(D - exact).max() <= 20 * EPS * exact.max()


@pytest.mark.parametrize("p", [1, 2, 4, math.inf])
def test_weights_of_columns(p):
    A, B, w = rows(9, 5, 3), rows(8, 5, 4), np.array([0.5, 2.0, 0.0, 1.0, 3.0])
    D = resolve_metric("minkowski", p=p, metric_params={"w": w}).pairwise(A, B)
    exact = long_distances(A, B, p, w) if p < math.inf else long_distances(A[:, w > 0], B[:, w > 0], p)
    assert np.abs(D - exact).max() <= 20 * EPS * exact.max()


@pytest.mark.parametrize("name", ["braycurtis", "canberra", "hamming", "sqeuclidean", "cosine", "correlation"])
def test_scipy_agrees(name):
    A, B = np.abs(rows(11, 6, 5)).round(1) + 0.1, np.abs(rows(7, 6, 6)).round(1) + 0.1
    np.testing.assert_allclose(resolve_metric(name).pairwise(A, B), cdist(A, B, name), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", ["jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"])
def test_metrics_of_sets_see_what_is_not_zero(name):
    A, B = (np.random.default_rng(s).integers(0, 3, size=(9, 12)).astype(np.float64) for s in (7, 8))
    expected = cdist(A != 0, B != 0, name)
    np.testing.assert_array_equal(resolve_metric(name).pairwise(A, B), expected)


def test_haversine_as_scikit_learn_and_at_the_poles():
    A, B = rows(12, 2, 9), rows(10, 2, 10)
    expected = DistanceMetric.get_metric("haversine").pairwise(A, B)
    np.testing.assert_allclose(resolve_metric("haversine").pairwise(A, B), expected, rtol=1e-13)
    poles = np.array([[math.pi / 2, 0.3], [-math.pi / 2, 2.0]])
    assert resolve_metric("haversine").pairwise(poles, poles)[0, 1] == pytest.approx(math.pi, rel=1e-15)
    with pytest.raises(InvalidData, match="2 dimensions"):
        resolve_metric("haversine").pairwise(rows(2, 3), rows(2, 3))


def test_cosine_keeps_the_digits_of_small_angles():
    angle = np.array([1e-9, 1e-5, 0.1, 3.0])
    A, B = np.array([[1.0, 0.0]]), np.column_stack([np.cos(angle), np.sin(angle)]) * 7.0
    D = resolve_metric("cosine").pairwise(A, B)
    np.testing.assert_allclose(D[0], 2 * np.sin(angle / 2) ** 2, rtol=1e-7)
    np.testing.assert_allclose(D[0, 1:], 2 * np.sin(angle[1:] / 2) ** 2, rtol=1e-10)


def test_cosine_of_rows_of_zeros_and_of_any_size():
    X = np.array([[0.0, 0.0], [1e-300, 0.0], [1e300, 1e300], [0.0, 0.0]])
    D = resolve_metric("cosine").pairwise(X, X)
    assert D[0].tolist() == pytest.approx([0.0, 1.0, 1.0, 0.0], rel=1e-15, abs=0)
    assert D[1, 2] == pytest.approx(1 - math.sqrt(0.5), rel=1e-14)
    np.testing.assert_array_equal(D, D.T)


def test_parameters_from_the_rows_or_given():
    X = rows(30, 4, 11) * [1, 10, 0.1, 3]
    V = X.var(axis=0, ddof=1)
    expected = cdist(X, X, "seuclidean", V=V)
    np.testing.assert_allclose(resolve_metric("seuclidean").fitted(X).pairwise(X, X), expected, rtol=1e-13)
    np.testing.assert_allclose(
        resolve_metric("seuclidean", metric_params={"V": V}).fitted(X).pairwise(X, X), expected, rtol=1e-13
    )
    np.testing.assert_allclose(
        resolve_metric("mahalanobis").fitted(X).pairwise(X, X),
        pairwise_distances(X, metric="mahalanobis"),
        rtol=1e-9,
        atol=1e-9,
    )


def test_functions_and_compressed_rows():
    A, B = rows(5, 3, 12), rows(4, 3, 13)
    D = resolve_metric(lambda a, b, power: np.abs(a - b).max() ** power, metric_params={"power": 2}).pairwise(A, B)
    np.testing.assert_array_equal(D, cdist(A, B, "chebyshev") ** 2)
    for name in ("euclidean", "manhattan", "cosine"):
        metric = resolve_metric(name)
        np.testing.assert_array_equal(metric.pairwise(sp.csr_array(A), B), metric.pairwise(A, B))


@pytest.mark.parametrize(
    "name", ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "correlation", "haversine"]
)
def test_one_formula_for_a_pair_in_every_block(name):
    A, B = rows(23, 2, 14), rows(19, 2, 15)
    metric = resolve_metric(name, p=3)
    D = metric.pairwise(A, B)
    np.testing.assert_array_equal(D.T, metric.pairwise(B, A))
    for i in range(0, 23, 5):
        np.testing.assert_array_equal(D[i : i + 5], metric.pairwise(A[i : i + 5], B))
        np.testing.assert_array_equal(D[i : i + 1, 3:4], metric.pairwise(A[i : i + 1], B[3:4]))


def test_names_and_parameters_that_are_refused():
    assert resolve_metric("l2").name == resolve_metric("minkowski").name == "euclidean"
    assert resolve_metric("cityblock").name == "manhattan" and resolve_metric("infinity").name == "chebyshev"
    assert resolve_metric("precomputed").is_precomputed
    for name, options in [("nonsense", {}), ("minkowski", {"p": 0}), ("euclidean", {"metric_params": {"V": 1}}),
                          ("minkowski", {"metric_params": {"w": [-1.0]}})]:  # fmt: skip
        with pytest.raises(InvalidParameter):
            resolve_metric(name, **options)
    with pytest.raises(InvalidData, match="cannot be compared"):
        resolve_metric("euclidean").pairwise(rows(2, 3), rows(2, 2))


def test_rows_with_missing_values_as_scikit_learn():
    A, B = rows(6, 4), rows(5, 4, seed=1)
    A[0, 1] = A[2, 3] = B[1, 1] = B[4, 0] = np.nan
    found = resolve_metric("nan_euclidean").pairwise(A, B)
    np.testing.assert_allclose(found, nan_euclidean_distances(A, B), rtol=1e-7)
    np.testing.assert_array_equal(found, resolve_metric("nan_euclidean").pairwise(B, A).T)
    A[0] = np.nan
    assert np.isnan(resolve_metric("nan_euclidean").pairwise(A, B)[0]).all()


def test_objects_that_know_all_distances_and_functions_of_sparse_rows():
    A, B = rows(6, 4), rows(5, 4)
    given = resolve_metric(DistanceMetric.get_metric("canberra"))
    np.testing.assert_allclose(given.pairwise(A, B), cdist(A, B, "canberra"), rtol=1e-14)
    product = resolve_metric(lambda a, b: (a @ b.T).toarray().item())
    np.testing.assert_allclose(product.pairwise(sp.csr_array(A), sp.csr_array(B)), A @ B.T, rtol=1e-14, atol=1e-15)
