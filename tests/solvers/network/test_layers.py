"""Backpropagation against differences of the loss, losses against SciPy, steps against their formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax

from surefit.solvers.network.layers import (
    PART_ROWS,
    Network,
    answers,
    dropout_masks,
    gradient,
    random_network,
    row_losses,
    scores,
)
from surefit.solvers.network.optimizers import SGD, Adam
from surefit.solvers.network.training import Rows, batches, minimize, objective


def problem(loss, activation="tanh", n=7, seed=0):
    rng = np.random.default_rng(seed)
    network = random_network([3, 4, 5, 2], activation, loss, np.random.RandomState(seed), np.float64)
    Y = rng.poisson(2.0, (n, 2)).astype(float)
    if loss == "softmax":
        Y = np.eye(2)[rng.integers(2, size=n)]
    elif loss == "logistic":
        Y = rng.integers(0, 2, (n, 2)).astype(float)
    return network, Rows(rng.normal(size=(n, 3)), Y, rng.integers(1, 4, n).astype(float))


@pytest.mark.parametrize("loss", ["squared_error", "logistic", "softmax", "poisson"])
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("n", [7, PART_ROWS + 5])
def test_gradient_is_the_slope_of_the_loss(loss, activation, n):
    network, rows = problem(loss, activation, n)
    width = 1e-5 if n == 7 else 1e-7  # with many rows some unit of 'relu' switches within a wider one
    _, slopes = objective(network, rows, 0.3)
    for p, g in zip(network.parameters, slopes, strict=True):
        at = np.unravel_index(np.abs(g).argmax(), g.shape)
        kept = p[at]
        ends = []
        for step in (width, -width):
            p[at] = kept + step
            ends.append(objective(network, rows, 0.3)[0])
        p[at] = kept
        assert g[at] == pytest.approx((ends[0] - ends[1]) / (2 * width), rel=1e-5, abs=1e-8)


def test_dropout_has_the_slope_of_the_masked_network():
    network, rows = problem("softmax", "tanh")
    masks = dropout_masks(network, len(rows), 0.4, np.random.default_rng(1))
    found = gradient(network, rows.X, rows.Y, rows.w, masks)

    def masked_loss():
        a = np.tanh(rows.X @ network.coefs[0] + network.intercepts[0]) * masks[0]
        a = np.tanh(a @ network.coefs[1] + network.intercepts[1]) * masks[1]
        z = a @ network.coefs[2] + network.intercepts[2]
        return float(-(rows.w[:, None] * rows.Y * log_softmax(z, axis=1)).sum())

    assert found.loss == pytest.approx(masked_loss())
    for p, g in zip(network.parameters, found.parts, strict=True):
        at = np.unravel_index(np.abs(g).argmax(), g.shape)
        kept = p[at]
        ends = []
        for step in (1e-5, -1e-5):
            p[at] = kept + step
            ends.append(masked_loss())
        p[at] = kept
        assert g[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)
    assert np.mean(dropout_masks(network, 20_000, 0.4, np.random.default_rng(2))[0]) == pytest.approx(1, abs=0.02)


def test_losses_by_their_definitions():
    z = np.array([[1.0, -2.0], [30.0, 800.0]])
    one = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(row_losses("softmax", z, one), -(one * log_softmax(z, axis=1)).sum(axis=1))
    p = answers("logistic", z[:1])
    expected = -(one[:1] * np.log(p) + (1 - one[:1]) * np.log(1 - p)).sum()
    assert row_losses("logistic", z[:1], one[:1])[0] == pytest.approx(expected)
    y = np.array([[3.0, 0.0]])
    poisson = (3 * np.log(3 / np.e) - 3 + np.e) + np.exp(-2)
    assert row_losses("poisson", z[:1], y)[0] == pytest.approx(poisson)
    assert row_losses("squared_error", z[:1], y)[0] == pytest.approx(4.0)


def test_sparse_rows_are_rows():
    network, rows = problem("softmax", "relu", 200)
    X = np.where(np.abs(rows.X) < 0.7, 0, rows.X)
    dense, sparse = (gradient(network, x, rows.Y, rows.w) for x in (X, sp.csr_array(X)))
    for a, b in zip(dense.parts, sparse.parts, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_allclose(scores(network, X), scores(network, sp.csr_array(X)), atol=1e-12)


def test_a_seed_starts_where_scikit_learns_network_does():
    import warnings

    from sklearn.neural_network import MLPRegressor

    X = np.random.default_rng(0).normal(size=(5, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MLPRegressor(
            hidden_layer_sizes=(4,), solver="sgd", learning_rate_init=1e-300, max_iter=1, random_state=3
        )
        theirs.fit(X, X[:, 0])
    ours = random_network([3, 4, 1], "relu", "squared_error", np.random.RandomState(3), np.float64)
    for a, b in zip(ours.parameters, [*theirs.coefs_, *theirs.intercepts_], strict=True):
        np.testing.assert_array_equal(a, b)


def test_steps_by_their_formulas():
    g = [np.array([2.0, -1.0]), np.array([0.5, 3.0])]
    p = np.array([1.0, 1.0])
    plain = SGD(0.1, momentum=0.5, nesterov=False)
    for gradient_ in g:
        plain.step([p], [gradient_.copy()])
    v1 = -0.1 * g[0]
    v2 = 0.5 * v1 - 0.1 * g[1]
    np.testing.assert_allclose(p, 1.0 + v1 + v2)
    p = np.array([1.0, 1.0])
    SGD(0.1, momentum=0.5).step([p], [g[0].copy()])
    np.testing.assert_allclose(p, 1.0 + 0.5 * v1 + v1)
    p, adam, m, s, expected = np.array([1.0, 1.0]), Adam(0.01), 0.0, 0.0, np.array([1.0, 1.0])
    for t, gradient_ in enumerate(g, start=1):
        adam.step([p], [gradient_.copy()])
        m, s = 0.9 * m + 0.1 * gradient_, 0.999 * s + 0.001 * gradient_**2
        expected = expected - 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(s) + 1e-8)
    np.testing.assert_allclose(p, expected, rtol=1e-12)


def test_schedules():
    rate = SGD(0.1, schedule="invscaling", power_t=0.5)
    rate.end_of_epoch(8)
    assert rate.learning_rate == pytest.approx(0.1 / 3)
    adaptive = SGD(1e-5, schedule="adaptive")
    assert not adaptive.stalled() and adaptive.learning_rate == pytest.approx(2e-6)
    assert not adaptive.stalled() and adaptive.stalled()


def test_batches_hold_every_row_once_and_equal_rows_are_one():
    rows = Rows(np.repeat(np.arange(5.0), 2)[:, None], np.repeat(np.arange(5.0), 2)[:, None], None)
    distinct = rows.distinct()
    assert len(distinct) == 5 and (distinct.w == 2).all()
    seen = np.concatenate([b.X[:, 0].copy() for b in batches(distinct.shuffled(np.random.default_rng(0)), 2)])
    np.testing.assert_array_equal(np.sort(seen), np.arange(5))


def test_least_squares_is_found_without_hidden_layers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    network = Network([np.zeros((3, 1))], [np.zeros(1)], "identity", "squared_error")
    minimize(network, Rows(X, y[:, None], None), 0.0, tol=1e-12, max_iter=500, max_fun=5000, report=lambda loss: False)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(50)]), y, rcond=None)[0]
    np.testing.assert_allclose(np.append(network.coefs[0][:, 0], network.intercepts[0]), expected, atol=1e-6)
