"""Ascent by one row at a time: a visit against its definition, and where the epochs end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax

from surefit.engine.sources.source import MemorySource
from surefit.solvers.logistic.logistic import LogisticProblem, Penalty
from surefit.solvers.logistic.stochastic import ascend, epoch
from surefit.summaries.visits import Visits


def problem(classes, n=40, seed=0):
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(n, 2)) + 1, rng.integers(0, classes, n)
    X[np.arange(n), codes % 2] += 1.0
    w = rng.integers(0, 3, n).astype(float)
    return LogisticProblem(MemorySource(X, codes.astype(float), w), classes, None, Penalty(1.0), True), X, codes, w


@pytest.mark.parametrize("classes", [2, 3])
def test_one_epoch_is_its_definition(classes):
    """The order and the weights are those of the visits; the rest is written again here."""
    at, X, codes, w = problem(classes)
    found = epoch(at, Visits(at.data, 5, True), np.zeros(at.m * at.width), 1).reshape(at.m, at.width)
    rows = np.column_stack([(X - at.center) * at.scale, np.ones(len(X))])
    rate = 1 / ((w * (rows**2).sum(axis=1) * (0.25 if classes == 2 else 0.5)).max() * 2)
    U, shrink = np.zeros((at.m, 3)), at.penalties() / at.weight
    (window,) = Visits(at.data, 5, True).epoch(1)
    for i, weight in zip(window.order, window.w, strict=True):
        p = expit(U @ rows[i]) if classes == 2 else softmax(U @ rows[i])
        missing = codes[i] - p if classes == 2 else (np.arange(3) == codes[i]) - p
        U = U * (1 - np.minimum(rate * weight * shrink, 1)) + rate * weight * np.outer(missing, rows[i])
    np.testing.assert_allclose(found, U, rtol=1e-10, atol=1e-12)


def test_epochs_come_down_to_the_minimum():
    at, *_ = problem(2, n=300)
    u, end, gap, done, history = ascend(at, np.zeros(at.m * at.width), 1e-3, 200, 0, lambda *step: False)
    assert gap <= 1e-3 * end.value and done < 200 and len(history) == done + 1
    assert np.linalg.norm(at.evaluate(u).gradient) < 0.05 * np.linalg.norm(at.evaluate(0 * u).gradient)
