"""Second derivatives that can be divided by, against NumPy's inverses."""

from __future__ import annotations

import numpy as np
import pytest

from surefit.solvers.optimise.metric import DiagonalMetric, FullMetric, ShiftedMetric, kronecker_metric


def positive(d, seed=0, units=True):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3 * d, d)) * (10.0 ** rng.integers(-3, 3, d) if units else 1.0)
    return A.T @ A


def test_a_full_metric_is_the_inverse():
    H, g = positive(5), np.random.default_rng(1).normal(size=5)
    metric = FullMetric(H)
    assert metric.full and metric.rank == 5 and metric.null_space() is None
    np.testing.assert_allclose(H @ metric.solve(g), g, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(metric.inverse() @ H, np.eye(5), atol=1e-6)
    G = np.random.default_rng(2).normal(size=(5, 3))
    np.testing.assert_allclose(metric.solve(G), np.column_stack([metric.solve(column) for column in G.T]), rtol=1e-12)


def test_directions_without_curvature_are_cut():
    H = np.zeros((4, 4))
    H[:3, :3] = positive(3, units=False)
    H[2], H[:, 2] = H[1], H[:, 1]
    H[2, 2] = H[1, 1]  # columns 1 and 2 are one, column 3 is nothing
    metric = FullMetric(H)
    assert metric.rank == 2 and not metric.full
    null = metric.null_space()
    assert null.shape == (4, 2)
    np.testing.assert_allclose(H @ null, 0.0, atol=1e-10)
    g = H @ np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(H @ metric.solve(g), g, rtol=1e-10)


@pytest.mark.parametrize("grain", [0.0, 10.0])
def test_a_kronecker_product_with_a_penalty(grain):
    """Softmax's model: with curvatures cₖ alike, H = (I − 11ᵀ/m) ⊗ cS + I ⊗ λ on all scores."""
    m, d = 3, 4
    S, penalty = positive(d, units=False), np.full(d, 0.7)
    metric = kronecker_metric(np.full(m, 0.3), S, penalty, grain)
    centering = np.eye(m) - 1 / m
    H = np.kron(centering, 0.3 * S) + np.kron(np.eye(m), np.diag(penalty))
    g = np.random.default_rng(3).normal(size=m * d)
    np.testing.assert_allclose(metric.solve(g), np.linalg.solve(H, g), rtol=1e-9)


def test_one_score_and_groups_of_curvatures():
    S, penalty = positive(3, units=False), np.array([0.1, 0.2, 0.0])
    g = np.arange(3.0)
    metric = kronecker_metric(np.array([0.2]), S, penalty, 0.2)
    np.testing.assert_allclose(metric.solve(g), np.linalg.solve(0.2 * S + np.diag(penalty), g), rtol=1e-10)


def test_a_diagonal():
    assert DiagonalMetric(np.array([2.0, 0.0, 4.0])).solve(np.array([1.0, 1.0, 1.0])).tolist() == [0.5, 0.0, 0.25]


def test_a_shifted_metric_is_the_inverse_but_for_its_shift():
    H, g = positive(6), np.random.default_rng(5).normal(size=6)
    metric = ShiftedMetric(H)
    np.testing.assert_allclose(metric.solve(g), np.linalg.solve(H, g), rtol=1e-5)
    assert not metric.exact


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_a_shifted_metric_exists_where_columns_depend_on_each_other(scale):
    A = np.random.default_rng(6).normal(size=(20, 3))
    A = np.column_stack([A, A @ np.ones(3), np.zeros(20)])
    H = scale * (A.T @ A)
    metric = ShiftedMetric(H)
    g = H @ np.array([1.0, -2.0, 0.5, 1.0, 3.0])
    step = metric.solve(g)
    assert np.isfinite(step).all() and step[4] == 0 and g @ step > 0
    np.testing.assert_allclose(H @ step, g, rtol=1e-6, atol=1e-6 * np.abs(g).max())
