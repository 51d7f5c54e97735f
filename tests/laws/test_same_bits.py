"""Same data, same seed: same bits, for any number of threads and either memory order."""

from __future__ import annotations

import numpy as np
import pytest

import surefit
from tests.laws.registry import at_most, fit, instances, learnt, sample

MODELS = pytest.mark.parametrize("model", instances(), ids=lambda model: type(model).__name__)


def assert_same_bits(left, right):
    assert left.keys() == right.keys()
    for name in left:
        assert left[name].dtype == right[name].dtype, name
        assert left[name].tobytes() == right[name].tobytes(), name


@MODELS
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_and_memory_order(model, dtype):
    X, y, w = sample(model, n=at_most(model, 20_011), d=12, dtype=dtype)  # five leaves, the last one short
    with surefit.config(n_threads=1):
        one = learnt(fit(model, X, y, w))
    for n_threads in (2, 3):
        with surefit.config(n_threads=n_threads):
            assert_same_bits(learnt(fit(model, X, y, w)), one)
    assert_same_bits(learnt(fit(model, np.asfortranarray(X), y, w)), one)
    assert_same_bits(learnt(fit(model, X[:, ::-1][:, ::-1], y, w)), one)


@MODELS
def test_twice_is_once(model):
    X, y, w = sample(model, n=at_most(model, 5000))
    assert_same_bits(learnt(fit(model, X, y, w)), learnt(fit(model, X, y, w)))
