"""Canonical order: what it makes of a set of weighted rows does not depend on how they stood."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.summaries.canonical import canonical_rows, distinct_places, example_hashes, mixed, row_hashes


def rows(seed=0, n=200):
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 2, (n, 3)).astype(float), rng.integers(0, 2, n).astype(float), rng.integers(0, 4, n) / 1.0


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_distinct_rows_with_the_weight_of_their_equals(make):
    X, _, w = rows()
    found = canonical_rows(make(X), w, row_hashes(make(X)))
    expected = Counter()
    for row, weight in zip(X, w, strict=True):
        expected[tuple(row)] += weight
    dense = X[found.order]
    assert {tuple(row): weight for row, weight in zip(dense, found.w, strict=True)} == +expected
    assert found.n_rows == len(+expected)


def test_shuffling_changes_nothing():
    X, y, w = rows()
    turn = np.random.default_rng(3).permutation(len(y))
    one = canonical_rows(X, w, example_hashes(X, y), y=y)
    other = canonical_rows(X[turn], w[turn], example_hashes(X[turn], y[turn]), y=y[turn])
    np.testing.assert_array_equal(X[one.order], X[turn][other.order])
    np.testing.assert_array_equal(y[one.order], y[turn][other.order])
    np.testing.assert_array_equal(one.w, other.w)


def test_the_first_few_are_the_first_of_all():
    X, _, w = rows()
    everything, few = canonical_rows(X, w, row_hashes(X)), canonical_rows(X, w, row_hashes(X), 5)
    assert few.n_rows == 5
    np.testing.assert_array_equal(X[few.order], X[everything.order[:5]])
    np.testing.assert_array_equal(few.w, everything.w[:5])


def test_hashes_of_dense_and_sparse_rows_and_of_minus_zero():
    X, _, _ = rows()
    np.testing.assert_array_equal(row_hashes(X), row_hashes(sp.csr_array(X)))
    np.testing.assert_array_equal(row_hashes(np.array([[0.0, 1.0]])), row_hashes(np.array([[-0.0, 1.0]])))


def test_mixing_is_that_of_splitmix64():
    """Vigna's splitmix64 with seed 1234567: the numbers of the published test vector."""
    state = np.array([(1234567 + k * 0x9E3779B97F4A7C15) % 2**64 for k in range(1, 4)], dtype=np.uint64)
    assert mixed(state).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_distinct_places_say_which_distinct_row_a_row_is():
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, size=(200, 2)).astype(float), rng.integers(0, 2, size=200).astype(float)
    w = rng.integers(0, 3, size=200).astype(float)
    hashes = example_hashes(X, y)
    for weights, hashed in [(None, hashes), (w, hashes), (w, np.zeros(200, dtype=np.uint64))]:  # the last: all collide
        found = canonical_rows(X, weights, hashed, y=y)
        places = distinct_places(X, weights, hashed, y=y)
        counted = np.ones(200, dtype=bool) if weights is None else weights > 0
        np.testing.assert_array_equal(places >= 0, counted)
        np.testing.assert_array_equal(X[found.order[places[counted]]], X[counted])
        np.testing.assert_array_equal(y[found.order[places[counted]]], y[counted])
        sums = np.bincount(places[counted], (np.ones(200) if weights is None else weights)[counted])
        np.testing.assert_array_equal(found.w, sums)
