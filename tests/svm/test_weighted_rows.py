"""Distinct weighted rows, and what is handed back to the rows given."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from surefit.summaries.canonical import canonical_groups, example_hashes
from surefit.svm.weighted_rows import distinct_rows, given_rows

X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [-0.0, 5.0], [0.0, 5.0]])
Y = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 2.0, 2.0])


def as_set(rows):
    return {(*map(float, rows.X[p]), float(y), float(w)) for p, y, w in zip(rows.places, rows.y, rows.w, strict=True)}


def test_equal_rows_of_equal_target_are_one():
    rows = distinct_rows(X, Y, None)
    assert as_set(rows) == {(1, 2, 0, 2), (3, 4, 1, 2), (1, 2, 1, 1), (0, 5, 2, 2)}
    w = np.array([0.5, 2.0, 0.25, 0.0, 1.0, 1.0, 3.0])
    assert as_set(distinct_rows(X, Y, w)) == {(1, 2, 0, 0.75), (3, 4, 1, 3), (0, 5, 2, 4)}


def test_order_does_not_depend_on_the_order_given():
    shuffled = np.random.default_rng(0).permutation(len(Y))
    one, other = distinct_rows(X, Y, None), distinct_rows(X[shuffled], Y[shuffled], None)
    np.testing.assert_array_equal(X[one.places], X[shuffled][other.places])
    np.testing.assert_array_equal(one.y, other.y)
    sparse = distinct_rows(sp.csr_array(X), Y, None)
    np.testing.assert_array_equal(X[sparse.places], X[one.places])


def test_values_are_shared_out_by_weight():
    w = np.array([1.0, 2.0, 3.0, 0.0, 1.0, 1.0, 3.0])
    rows = distinct_rows(X, Y, w)
    values = 4.0 * rows.w  # every row given gets four times its weight
    np.testing.assert_allclose(rows.spread(values), 4.0 * w)
    half = np.where(rows.y == 1, rows.w * 0.7, -rows.w * 0.1)
    within = rows.spread_within(half, np.full(len(rows), 0.7))
    np.testing.assert_array_equal(within[[1, 4]], 0.7 * w[[1, 4]])  # at the bound to the last bit
    np.testing.assert_allclose(within[[0, 2]], -0.1 * w[[0, 2]])
    assert within[3] == 0.0


def test_inputs_that_cannot_be_compared_stay_as_they_are():
    rows = given_rows(["a", "a", "b"], np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(rows.places, [0, 2])
    np.testing.assert_array_equal(rows.spread(np.array([5.0, 7.0])), [5.0, 0.0, 7.0])


def test_groups_of_no_repetition():
    order, starts = canonical_groups(X[:2], None, example_hashes(X[:2], Y[:2]), Y[:2])
    assert sorted(order) == [0, 1] and list(starts) == [0, 1]
