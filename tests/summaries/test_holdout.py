"""Rows held out: shares of every class, the same for shuffled, repeated and weighted rows."""

from __future__ import annotations

import numpy as np

from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import held_out


def problem(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float)


def test_every_class_gives_its_share():
    X, y = problem()
    out = held_out(example_hashes(X, y), y, None, 0.2, 0)
    for label in range(3):
        share = out[y == label].mean()
        assert 0.2 - 1 / (y == label).sum() < share <= 0.2


def test_shuffled_rows_and_another_seed():
    X, y = problem()
    out = held_out(example_hashes(X, y), y, None, 0.3, 5)
    turn = np.random.default_rng(1).permutation(len(y))
    assert (held_out(example_hashes(X[turn], y[turn]), y[turn], None, 0.3, 5) == out[turn]).all()
    assert (held_out(example_hashes(X, y), y, None, 0.3, 6) != out).any()


def test_a_weight_is_a_repetition_and_zero_is_not_there():
    X, y = problem()
    w = np.random.default_rng(2).integers(0, 4, len(y))
    out = held_out(example_hashes(X, y), y, w.astype(float), 0.25, 0)
    assert not out[w == 0].any()
    X2, y2 = np.repeat(X, w, axis=0), np.repeat(y, w)
    assert (held_out(example_hashes(X2, y2), y2, None, 0.25, 0) == np.repeat(out, w)).all()
