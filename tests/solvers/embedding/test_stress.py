"""Dissimilarities, stress, disparities and their majorization, against definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.isotonic import IsotonicRegression

from surefit._core.errors import InvalidData
from surefit.search.metric import resolve_metric
from surefit.solvers.embedding.disparities import MonotoneRegression
from surefit.solvers.embedding.dissimilarities import condensed, given_dissimilarities, pairwise_distances
from surefit.solvers.embedding.guttman import Stress
from surefit.solvers.embedding.smacof import minimize_stress
from tests.reference import stress as reference


def problem(n=23, d=5, p=2, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.uniform(size=(n, n))
    return squareform(pdist(rng.normal(size=(n, d)))), rng.normal(size=(n, p)), (W + W.T) * (1 - np.eye(n))


@pytest.mark.parametrize("p", [1, 2, 3, 5, 11])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_look_is_the_definition(p, weighted):
    D, X, W = problem(p=p)
    X[3] = X[7]  # a distance of zero
    stress, sq_dist, G = reference.look(X, D, W if weighted else None)
    fitted = Stress(D, W if weighted else None)
    seen = fitted.look(X / fitted.unit)
    unit = fitted.unit
    np.testing.assert_allclose([seen.stress * unit**2, seen.sq_dist * unit**2], [stress, sq_dist], rtol=1e-13)
    V = np.diag(W.sum(axis=1)) - W if weighted else len(D) * np.eye(len(D)) - 1.0
    np.testing.assert_allclose(seen.transform * unit, np.linalg.pinv(V) @ G, atol=1e-12)
    step = X - seen.transform * unit
    np.testing.assert_allclose(seen.gain * unit**2, np.einsum("ij,ij->", step, V @ step), rtol=1e-10)


@pytest.mark.parametrize("nonmetric", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_stress_never_rises(nonmetric, weighted, seed):
    D, X, W = problem(n=40, seed=seed)
    D[0, 1] = D[1, 0] = 0.0
    found = minimize_stress(Stress(D, W if weighted else None, nonmetric), X, max_iter=150, eps=0.0)
    assert (np.diff(found.history) <= 0).all() and found.history[-1] < found.history[0]
    assert found.rel_gain < 1e-3


def test_a_configuration_in_the_plane_is_found_again():
    X = np.random.default_rng(1).normal(size=(30, 2))
    D = squareform(pdist(X))
    fitted = Stress(D)
    found = minimize_stress(fitted, X / fitted.unit + 0.01, max_iter=100, eps=1e-20)
    np.testing.assert_allclose(squareform(pdist(found.X * fitted.unit)), D, atol=1e-7)


def test_acceleration_needs_fewer_steps():
    """From a start near a minimum, the stress of a thousand plain Guttman steps is there in a third of them."""
    D, _, _ = problem(n=60, d=3)
    fitted = Stress(D)
    values, vectors = np.linalg.eigh(-0.5 * (D**2 - (D**2).mean(0) - (D**2).mean(1)[:, None] + (D**2).mean()))
    X = vectors[:, -2:] * np.sqrt(values[-2:]) / fitted.unit
    plain = X
    for _ in range(1000):
        plain = fitted.look(plain).transform
    found = minimize_stress(fitted, X, max_iter=333, eps=0.0)
    assert found.stress <= fitted.look(plain).stress * (1 + 1e-9)


def test_weights_that_leave_groups_apart_are_refused():
    D, _, W = problem(n=10)
    W[:4, 4:] = W[4:, :4] = 0.0
    with pytest.raises(InvalidData, match="2 groups"):
        Stress(D, W)


def test_disparities_are_isotonic_regression():
    rng = np.random.default_rng(0)
    delta = rng.integers(0, 12, 200).astype(float)  # many ties, some zeros
    distances = rng.uniform(size=200)
    d_hat = MonotoneRegression(delta, None).of(distances)
    positive = delta > 0
    theirs = IsotonicRegression().fit_transform(delta[positive], distances[positive])
    theirs *= np.sqrt(200 / (theirs**2).sum())
    np.testing.assert_allclose(d_hat[positive], theirs, rtol=1e-12)
    assert not d_hat[~positive].any()


def test_distances_of_all_pairs():
    X = np.random.default_rng(0).normal(size=(600, 3))
    for name in ("euclidean", "manhattan", "cosine"):
        D = pairwise_distances(X, resolve_metric(name))
        np.testing.assert_allclose(D, cdist(X, X, {"manhattan": "cityblock"}.get(name, name)), atol=1e-12)
        assert (D == D.T).all()
    np.testing.assert_array_equal(condensed(squareform(pdist(X[:9]))), pdist(X[:9]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((1, 2, 5.0), r"symmetric: entry \((1, 2|2, 1)\)"),
        ((0, 0, -1.0), r"\(0, 0\) is -1"),
        ((3, 1, np.nan), "NaN"),
    ],
)
def test_bad_dissimilarities(change, words):
    D = squareform(np.arange(1.0, 7.0))
    i, j, value = change
    D[i, j] = value
    with pytest.raises(ValueError, match=words):
        given_dissimilarities(D)
