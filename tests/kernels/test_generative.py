"""Kernels from generative models against sums and integrals done another way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import multivariate_normal, norm
from sklearn.mixture import GaussianMixture

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels import DensityProduct, GaussianLatent, GramRows, MixtureDensity

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.random.default_rng(1).normal(size=(7, 2))
DENSITY = multivariate_normal([0.3, -0.2], [[1.0, 0.3], [0.3, 0.5]])


def test_product_of_densities():
    k = DensityProduct(DENSITY.pdf)
    np.testing.assert_allclose(k(X, Y), np.outer(DENSITY.pdf(X), DENSITY.pdf(Y)), rtol=1e-14)
    np.testing.assert_allclose(k.diagonal(X), DENSITY.pdf(X) ** 2, rtol=1e-14)
    assert str(k) == "p(x) p(x')"
    model = GaussianMixture(2, random_state=0).fit(X)
    p = np.exp(model.score_samples(X))
    np.testing.assert_allclose(DensityProduct(model)(X), np.outer(p, p), rtol=1e-13)


def test_mixtures_by_functions_and_by_a_table():
    parts = [multivariate_normal([0, 0], np.eye(2)), multivariate_normal([1, 1], 0.5 * np.eye(2))]
    weights = [0.3, 0.7]
    expected = sum(w * np.outer(p.pdf(X), p.pdf(Y)) for w, p in zip(weights, parts, strict=True))
    by_list = MixtureDensity(weights, [p.pdf for p in parts])
    by_table = MixtureDensity(weights, lambda rows: np.column_stack([p.pdf(rows) for p in parts]))
    for k in (by_list, by_table):
        np.testing.assert_allclose(k(X, Y), expected, rtol=1e-12)
        np.testing.assert_allclose(k.diagonal(X), np.diagonal(k(X)), rtol=1e-13)
        np.testing.assert_allclose(GramRows(k, X).rows([3, 1], [0]), k(X)[[3, 1]][:, [0]], rtol=1e-14)
        assert k.positive_definite


def test_one_dimensional_latent_against_quadrature():
    k = GaussianLatent([0.5], [[2.0]], [[0.3]])
    for x, y in ((0.1, 0.4), (-1.0, 2.0), (1.5, 1.5)):
        value, _ = integrate.quad(
            lambda z, x=x, y=y: norm.pdf(x, z, 0.3**0.5) * norm.pdf(y, z, 0.3**0.5) * norm.pdf(z, 0.5, 2**0.5),
            -20, 20, epsabs=1e-13, points=[0.0, 0.5, 1.0],
        )  # fmt: skip
        assert k(np.array([[x]]), np.array([[y]]))[0, 0] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_latent_with_a_loading_against_the_joint_density(offset):
    """(x, x') together are Gaussian: covariance S + P on the diagonal, P off it."""
    rng = np.random.default_rng(2)
    W = rng.normal(size=(2, 3))
    prior = np.diag([0.5, 1.0, 2.0])
    noise = np.array([[0.4, 0.1], [0.1, 0.6]])
    mean = rng.normal(size=3)
    mean = mean + np.linalg.pinv(W) @ np.full(2, offset)
    P, m = W @ prior @ W.T, W @ mean
    near, other = X + offset, Y + offset
    joint = multivariate_normal(np.r_[m, m], np.block([[noise + P, P], [P, noise + P]]))
    k = GaussianLatent(mean, prior, noise, W)
    rtol = 1e-11 + 1e-14 * offset  # what the offset takes of m and of the numbers
    expected = np.array([[joint.pdf(np.r_[x, y]) for y in other] for x in near])
    np.testing.assert_allclose(k(near, other), expected, rtol=rtol)
    np.testing.assert_allclose(k.diagonal(near), [joint.pdf(np.r_[x, x]) for x in near], rtol=rtol)
    np.testing.assert_allclose(np.diagonal(k(near)), k.diagonal(near), rtol=1e-11)
    assert (k(near) == k(near).T).all()
    np.testing.assert_allclose(GramRows(k, near).rows([4, 2]), k(near)[[4, 2]], rtol=1e-13)
    assert str(k) == "∫ p(x|z) p(x'|z) p(z) dz" and k.positive_definite
    values = np.linalg.eigvalsh(k(near))
    assert values.min() > -1e-12 * values.max()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: GaussianLatent([0, 0], np.eye(2), [[1.0, 1.0], [1.0, 1.0]]), InvalidParameter, "singular"),
        (lambda: GaussianLatent([0, 0], np.eye(3), np.eye(2)), InvalidParameter, "prior must be 2 × 2"),
        (lambda: GaussianLatent([0, 0], -np.eye(2), np.eye(2)), InvalidParameter, "no covariance"),
        (lambda: GaussianLatent([0, 0], np.eye(2), [[1, 0.5], [0, 1]]), InvalidParameter, "symmetric"),
        (lambda: GaussianLatent([0, 0], np.eye(2), np.eye(2), np.ones((2, 3))), InvalidParameter, "2 columns"),
        (lambda: GaussianLatent([0, np.nan], np.eye(2), np.eye(2)), InvalidParameter, "finite"),
        (lambda: GaussianLatent([0], [[1]], [[1]])(X), InvalidParameter, "1 columns; got 2"),
        (lambda: DensityProduct(3), InvalidParameter, "function of rows"),
        (lambda: DensityProduct(lambda rows: rows)(X), InvalidData, "one number for each of 20"),
        (lambda: DensityProduct(lambda rows: -np.ones(len(rows)))(X), InvalidData, "≥ 0"),
        (lambda: MixtureDensity([0.5, -0.5], lambda rows: rows), InvalidParameter, "≥ 0"),
        (lambda: MixtureDensity([0.5, 0.5], [DENSITY.pdf]), InvalidParameter, "2 functions"),
        (lambda: MixtureDensity([0.5, 0.5], lambda rows: rows[:, :1])(X), InvalidData, "gave shape"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
