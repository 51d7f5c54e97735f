"""Rounds of histogram boosting: the compiled slopes, and the loss before each round."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from surefit.engine.sources.source import MemorySource
from surefit.objectives.losses import AbsoluteError, Logistic, Poisson, SquaredError
from surefit.solvers.boosting.histogram_data import bin_source, targets_of
from surefit.solvers.boosting.histogram_rounds import HistogramRounds
from surefit.solvers.growing.histogram import GrowthOptions, HistogramGrower


def rounds_of(loss, y, w, n_threads=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(y), 3))
    binned = bin_source(MemorySource(X, y, w), y, w, None, 255, None)
    raw = np.full((len(y), 1), 0.3, order="F")
    grower = HistogramGrower(binned.bins, binned.rows, None, n_threads)
    return X, HistogramRounds(grower, loss, y, w, raw, GrowthOptions(), 0.1, 0, n_threads)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", [Logistic(), SquaredError(), Poisson()])
def test_slopes_and_loss(loss, weighted):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 9000).astype(float)
    w = rng.uniform(0.5, 2.0, 9000) if weighted else None
    _, rounds = rounds_of(loss, y, w)
    rounds.raw[:, 0] = np.concatenate([rng.normal(size=8992) * 3, [800.0, -800.0, 0.0, -0.0, 40.0, -40.0, 1e-9, 20.0]])
    if isinstance(loss, Poisson):
        rounds.raw[:, 0] = np.minimum(rounds.raw[:, 0], 20)
    value = rounds.slopes()
    gradient, hessian = loss.gradient_hessian(y, rounds.raw[:, 0])
    np.testing.assert_allclose(rounds.state.gradient[:, 0], gradient, rtol=1e-14, atol=1e-300)
    if rounds.state.hessian is not None:
        np.testing.assert_allclose(rounds.state.hessian[:, 0], hessian, rtol=1e-14, atol=1e-300)
    assert value == pytest.approx(loss.value(y, rounds.raw[:, 0], w), rel=1e-13)


@pytest.mark.parametrize("loss", [SquaredError(), AbsoluteError()])
def test_the_loss_falls_and_raw_predictions_are_the_sum_of_the_trees(loss):
    rng = np.random.default_rng(1)
    y = rng.normal(size=400)
    X, rounds = rounds_of(loss, y, None)
    values, trees = [], []
    for number in range(8):
        trees += rounds.round(number)
        values.append(rounds.loss_before)
    values.append(rounds.slopes())
    assert all(later < earlier for earlier, later in pairwise(values))
    total = np.full(400, 0.3)
    for tree in trees:
        total += tree.predict(X)[:, 0]
    np.testing.assert_array_equal(total, rounds.raw[:, 0])
    if isinstance(loss, AbsoluteError):  # leaves take the median of the errors of their rows, times the rate
        leaf = trees[0].apply(X)
        for node in np.unique(leaf):
            middle = np.sort(y[leaf == node] - 0.3)
            low, high = middle[(len(middle) - 1) // 2], middle[len(middle) // 2]
            assert 0.1 * low - 1e-15 <= trees[0].value[node, 0, 0] <= 0.1 * high + 1e-15


def test_rows_held_out_and_rows_of_no_weight_are_not_binned():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    w = rng.integers(0, 3, 50).astype(float)
    held = rng.random(50) < 0.2
    data = MemorySource(X, y, w)
    binned = bin_source(data, *targets_of(data), held, 255, None)
    used = (w > 0) & ~held
    np.testing.assert_array_equal(binned.used, used)
    assert len(binned.bins.thresholds[0]) == used.sum() - 1
    np.testing.assert_array_equal(binned.held, binned.bins.transform(X[held]))
    np.testing.assert_array_equal(binned.y, y[used])
