"""One pass of a mixture against SciPy's densities and plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from surefit._core.threads import single_threaded_blas
from surefit.engine.sources.source import MemorySource
from surefit.solvers.mixture.em import expectation_maximization
from surefit.solvers.mixture.gaussians import Components, density_of, maximized, responsibilities
from surefit.solvers.mixture.gaussians import expected as expected_sums
from surefit.solvers.mixture.starts import GivenSharesStep, by_shares, with_common_spread

KINDS = ["full", "tied", "diag", "spherical"]


def example(kind, n=300, d=3, K=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 2, 0.5] + 2 * rng.normal(size=(K, d))[rng.integers(K, size=n)]
    roots = rng.normal(size=(K, d, d)) / 2 + np.eye(d)
    full = roots @ roots.transpose(0, 2, 1)
    shapes = {"full": full, "tied": full[0], "diag": np.diagonal(full, axis1=1, axis2=2), "spherical": full[:, 0, 0]}
    w = rng.dirichlet(np.ones(K))
    return X, rng.integers(1, 4, n).astype(float), Components(w, rng.normal(size=(K, d)), shapes[kind], kind)


def matrices(components):
    K, d = components.means.shape
    S = components.covariances
    if components.kind == "tied":
        return np.broadcast_to(S, (K, d, d))
    if components.kind == "full":
        return S
    return np.array([np.eye(d) * v for v in S])


@pytest.mark.parametrize("by_features", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_pass_by_its_definition(kind, by_features):
    X, w, components = example(kind)
    joint = np.column_stack(
        [
            weight * multivariate_normal(m, S).pdf(X)
            for weight, m, S in zip(components.weights, components.means, matrices(components), strict=True)
        ]
    )
    r = w[:, None] * joint / joint.sum(axis=1, keepdims=True)
    density = density_of(components)._replace(by_features=by_features)
    sums = expected_sums(MemorySource(X, w=w), density, (np.zeros(3), np.ones(3)))
    np.testing.assert_allclose(sums.weight, r.sum(axis=0), rtol=1e-10)
    assert sums.log_likelihood == pytest.approx(w @ np.log(joint.sum(axis=1)), rel=1e-12)
    for k, m in enumerate(components.means):
        D = X - m
        second = (r[:, k : k + 1] * D).T @ D
        expected = second if kind in ("full", "tied") else np.diagonal(second)
        np.testing.assert_allclose(sums.first[k], r[:, k] @ D, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(sums.second[k], expected, rtol=1e-8, atol=1e-10)
    after = maximized(density, sums, np.full(3, 0.1))
    means = (r.T @ X) / r.sum(axis=0)[:, None]
    np.testing.assert_allclose(after.means, means, rtol=1e-10)
    scatter = np.array([((r[:, k : k + 1] * (X - m)).T @ (X - m)) for k, m in enumerate(means)])
    own = scatter / r.sum(axis=0)[:, None, None]
    expected = {
        "full": own + 0.1 * np.eye(3),
        "tied": scatter.sum(axis=0) / w.sum() + 0.1 * np.eye(3),
        "diag": np.diagonal(own, axis1=1, axis2=2) + 0.1,
        "spherical": np.diagonal(own, axis1=1, axis2=2).mean(axis=1) + 0.1,
    }
    np.testing.assert_allclose(after.covariances, expected[kind], rtol=1e-8, atol=1e-12)
    log_p, chances = responsibilities(density, X)
    np.testing.assert_allclose(log_p, np.log(joint.sum(axis=1)), rtol=1e-10)
    np.testing.assert_allclose(chances, joint / joint.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12)


def test_tiny_components_far_away_are_not_left_to_features():
    components = Components(np.ones(1), np.full((1, 2), 3.0), np.full((1, 2), 1e-12), "diag")
    assert not density_of(components, spread=10.0).by_features
    assert density_of(components._replace(covariances=np.ones((1, 2))), spread=10.0).by_features


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_likelihood_never_falls(kind, seed):
    X, w, components = example(kind, n=60, seed=seed)
    frame, prior = (np.zeros(3), np.ones(3)), np.full(3, 1e-2)
    with single_threaded_blas():
        found = expectation_maximization(
            MemorySource(X, w=w), frame, components, prior, max_iter=60, tol=0.0, report=lambda i, v: False
        )
    assert (np.diff(found.history) >= -1e-11).all() and len(found.history) == found.n_iter + 1


def test_starts_by_their_definitions():
    X, w, _ = example("full")
    data, frame, prior = MemorySource(X, w=w), (np.zeros(3), np.ones(3)), np.zeros(3)
    centers = X[:2]
    found = by_shares(data, frame, "full", prior, 2, centers=centers)
    labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    for k in range(2):
        here = labels == k
        np.testing.assert_allclose(found.weights[k], w[here].sum() / w.sum())
        np.testing.assert_allclose(found.means[k], np.average(X[here], axis=0, weights=w[here]))
        np.testing.assert_allclose(found.covariances[k], np.cov(X[here].T, aweights=w[here], ddof=0), rtol=1e-9)
    spread = with_common_spread(data, frame, "diag", prior, centers)
    center = np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(spread.covariances, np.tile(np.average((X - center) ** 2, axis=0, weights=w), (2, 1)))
    shares = GivenSharesStep(np.zeros((3, 3)), True, seed=5)._shares(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(GivenSharesStep(np.zeros((3, 3)), True, seed=5)._shares(X[order]), shares[order])
