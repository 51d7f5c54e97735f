"""Sigmoids and coupling against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from surefit.solvers.margin.platt import agreeing, coupled, pair_probability, pair_slopes


def loss(a, f, target, w):
    return -(w @ (target * log_expit(a * f) + (1 - target) * log_expit(-a * f)))


@pytest.mark.parametrize("seed", range(5))
def test_slopes_have_the_least_loss(seed):
    rng = np.random.default_rng(seed)
    f = rng.normal(size=300) * 2
    sign = np.where(rng.random(300) < expit(1.5 * f), 1.0, -1.0)
    w = rng.integers(1, 4, 300).astype(float)
    slopes = pair_slopes(f, sign, w)
    plus, minus = w[sign > 0].sum(), w[sign < 0].sum()
    target = np.where(sign > 0, (plus + 1) / (plus + 2), 1 / (minus + 2))
    for slope, side in zip(slopes, (f < 0, f > 0), strict=True):
        best = minimize_scalar(loss, args=(f[side], target[side], w[side]), bounds=(0, 50), method="bounded",
                               options={"xatol": 1e-10})  # fmt: skip
        assert slope == pytest.approx(best.x, rel=1e-5)


def test_a_side_that_is_always_wrong_is_undecided():
    f, sign = np.array([-1.0, -2.0, 1.0, 2.0]), np.array([-1.0, -1.0, -1.0, -1.0])
    below, above = pair_slopes(f, sign, np.ones(4))
    assert above == 0.0 and below > 0


def test_a_side_without_scores_takes_the_other_slope():
    below, above = pair_slopes(np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.0, -1.0]), np.ones(3))
    assert below == above > 0
    assert pair_slopes(np.zeros(2), np.array([1.0, -1.0]), np.ones(2)) == (1.0, 1.0)


def test_pairs_that_come_from_probabilities_give_them_back():
    """r_ij = pᵢ/(pᵢ + pⱼ): the minimum is zero, at p."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), size=20)
    i, j = np.triu_indices(5, 1)
    np.testing.assert_allclose(coupled(p[:, i] / (p[:, i] + p[:, j]), 5), p, atol=1e-6)


def test_coupling_is_the_least_sum_of_squares():
    rng = np.random.default_rng(1)
    r = rng.random((10, 6))
    p = coupled(r, 4)
    i, j = np.triu_indices(4, 1)

    def objective(q):
        return (((1 - r) * q[:, i] - r * q[:, j]) ** 2).sum(axis=1)

    assert (p >= 0).all()
    for _ in range(200):
        other = np.abs(p + 0.05 * rng.normal(size=p.shape))
        assert (objective(p) <= objective(other / other.sum(axis=1, keepdims=True)) + 1e-12).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_agreeing_is_the_nearest_with_the_chosen_first(dtype):
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(4), size=200).astype(dtype)
    chosen = rng.integers(0, 4, 200)
    q = agreeing(p, chosen)
    np.testing.assert_array_equal(q.argmax(axis=1), chosen)
    np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-6)
    same = p.argmax(axis=1) == chosen
    np.testing.assert_array_equal(q[same], p[same])
    for _ in range(300):  # no other point of the set is nearer
        other = rng.dirichlet(np.ones(4), size=200)
        allowed = other.argmax(axis=1) == chosen
        near, far = ((q - p) ** 2).sum(axis=1), ((other - p) ** 2).sum(axis=1)
        assert (near[allowed] <= far[allowed] + 1e-6).all()


def test_one_half_where_the_score_is_zero():
    slopes = np.array([[0.5, 2.0]])
    p = pair_probability(np.array([[-1.0], [0.0], [1.0]]), slopes)
    np.testing.assert_allclose(p[:, 0], [expit(-0.5), 0.5, expit(2.0)])
