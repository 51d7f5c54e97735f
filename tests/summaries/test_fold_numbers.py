"""Folds by a hash: each class spread over all of them, equal examples in one, weights as repetitions."""

from __future__ import annotations

import numpy as np

from surefit.summaries.canonical import example_hashes
from surefit.summaries.holdout import fold_numbers


def sample(n=200):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 3)), rng.integers(0, 3, n)
    return X, y, example_hashes(X, y.reshape(-1, 1))


def test_classes_are_spread_evenly():
    _, y, hashes = sample()
    folds = fold_numbers(hashes, y, None, 5)
    for label in range(3):
        counts = np.bincount(folds[y == label], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert np.bincount(folds).tolist() == [40] * 5


def test_weights_are_repetitions_in_any_order():
    X, y, hashes = sample()
    w = np.random.default_rng(1).integers(0, 4, len(y))
    folds = fold_numbers(hashes, y, w.astype(float), 5)
    order = np.random.default_rng(2).permutation(w.sum())
    rows = np.repeat(np.arange(len(y)), w)[order]
    again = fold_numbers(example_hashes(X[rows], y[rows].reshape(-1, 1)), y[rows], None, 5)
    assert np.array_equal(again, folds[rows])
    assert (folds[w == 0] == -1).all()


def test_scale_of_weights_and_seed():
    _, y, hashes = sample()
    w = np.random.default_rng(1).random(len(y)) + 0.1
    assert np.array_equal(fold_numbers(hashes, y, w, 4), fold_numbers(hashes, y, 8 * w, 4))
    assert not np.array_equal(fold_numbers(hashes, y, w, 4), fold_numbers(hashes, y, w, 4, seed=1))
