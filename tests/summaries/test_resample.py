"""Draws of weighted rows: the stated rule, weights as repetition, shuffled rows, and the chances they should have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from surefit.summaries.canonical import example_hashes
from surefit.summaries.resample import (
    bootstrap_counts,
    distinct_examples,
    draw_count,
    member_seeds,
    subsample_counts,
)


def problem(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.integers(0, 3, n).astype(float), rng.integers(0, 4, n)


def drawn(how, seed, examples, n_draws):
    if how == "bootstrap":
        return bootstrap_counts(seed, examples.weights, n_draws)
    return subsample_counts(seed, examples.hashes, examples.weights, n_draws)


HOW = pytest.mark.parametrize("how", ["bootstrap", "subsample"])


def test_examples_are_distinct_rows_in_the_order_of_their_hashes():
    X, y, w = problem()
    X, y, w = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(w, 2).astype(float)
    examples = distinct_examples(X, y, w)
    assert len(examples.weights) == np.count_nonzero(w[::2])
    assert (np.diff(examples.hashes.astype(float)) > 0).all()
    first = examples.first_rows
    np.testing.assert_array_equal(examples.hashes, example_hashes(X, y)[first])
    assert (first % 2 == 0).all()
    np.testing.assert_array_equal(examples.weights, 2 * w[first])
    places = examples.places()
    assert (places[w == 0] == -1).all()
    np.testing.assert_array_equal(X[first[places[w > 0]]], X[w > 0])


def test_equal_rows_with_other_targets_are_other_examples_and_missing_values_are_equal():
    X = np.array([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan], [1.0, 2.0]])
    examples = distinct_examples(X, np.array([0.0, 0.0, 1.0, 0.0]))
    assert sorted(examples.weights) == [1, 1, 2]


def test_sparse_rows_are_the_same_examples():
    X, y, w = problem()
    X[np.abs(X) < 1] = 0
    dense, sparse = distinct_examples(X, y, w.astype(float)), distinct_examples(sp.csr_array(X), y, w.astype(float))
    np.testing.assert_array_equal(dense.rows, sparse.rows)
    np.testing.assert_array_equal(dense.weights, sparse.weights)


def test_bootstrap_lands_where_exact_arithmetic_says():
    """The place of each draw by exact fractions of the doubles u and w."""
    w = np.random.default_rng(3).integers(1, 9, 30) / 4.0
    u = np.random.default_rng(7).random(500)
    sums = np.cumsum([Fraction(x) for x in w])
    expected = np.zeros(30, dtype=int)
    for draw in u:
        mark = Fraction(draw) * sums[-1]
        expected[next(i for i, c in enumerate(sums) if c > mark)] += 1
    np.testing.assert_array_equal(bootstrap_counts(7, w, 500), expected)


def test_bootstrap_of_unit_weights_is_the_same_rule():
    u = np.random.default_rng(5).random(1000)
    expected = np.bincount([int(Fraction(draw) * 300) for draw in u], minlength=300)
    np.testing.assert_array_equal(bootstrap_counts(5, np.ones(300), 1000), expected)


@HOW
def test_a_weight_is_a_repetition_and_shuffling_changes_nothing(how):
    X, y, w = problem()
    weighted = distinct_examples(X, y, w.astype(float))
    order = np.random.default_rng(1).permutation(w.sum())
    X2, y2 = np.repeat(X, w, axis=0)[order], np.repeat(y, w)[order]
    repeated = distinct_examples(X2, y2)
    for seed in range(5):
        n_draws = draw_count(0.5, weighted.total)
        one, two = drawn(how, seed, weighted, n_draws), drawn(how, seed, repeated, n_draws)
        assert one.sum() == n_draws
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(X[weighted.bag(one)], X2[repeated.bag(two)])
        inside = weighted.in_bag(one)
        assert not inside[w == 0].any()
        np.testing.assert_array_equal(np.repeat(inside, w)[order], repeated.in_bag(two))


def test_draws_of_an_example_go_to_its_rows_in_turn():
    X, y = np.array([[1.0], [5.0], [1.0], [1.0]]), np.zeros(4)
    examples = distinct_examples(X, y)
    counts = np.where(examples.weights == 3, 5, 0)
    np.testing.assert_array_equal(examples.bag(counts), [0, 2, 3, 0, 2])
    np.testing.assert_array_equal(examples.in_bag(counts), [True, False, True, True])


def test_no_example_is_taken_more_often_than_it_is_there():
    X, y, w = problem()
    examples = distinct_examples(X, y, w.astype(float))
    for n_draws in (1, 17, w.sum() - 1, w.sum(), w.sum() + 5):
        counts = subsample_counts(0, examples.hashes, examples.weights, n_draws)
        assert (counts <= examples.weights).all()
        assert counts.sum() == min(n_draws, w.sum())


def test_subsample_of_fractional_weights_takes_whole_copies():
    examples = distinct_examples(*problem()[:2], np.full(200, 0.3))
    counts = subsample_counts(0, examples.hashes, examples.weights, 10**6)
    assert counts.sum() == 60
    assert counts.max() == 1


@HOW
def test_chances_are_those_of_the_weights(how):
    """Mean counts over 4,000 seeds within five standard errors of n_draws·w/Σw; the binomial variance is the larger."""
    X, y, w = problem(12, seed=2)
    examples = distinct_examples(X, y, w + 1.0)
    n_draws, n_seeds = 9, 4000
    mean = np.mean([drawn(how, seed, examples, n_draws) for seed in range(n_seeds)], axis=0)
    share = examples.weights / examples.weights.sum()
    assert (np.abs(mean - n_draws * share) < 5 * np.sqrt(n_draws * share * (1 - share) / n_seeds)).all()


def test_number_of_draws():
    assert [draw_count(None, 10.0), draw_count(7, 10.0), draw_count(0.5, 9.0), draw_count(0.01, 3.0)] == [10, 7, 4, 1]
    assert draw_count(None, 1.0, 40) == 40


def test_seeds_of_the_first_members_do_not_depend_on_the_others():
    np.testing.assert_array_equal(member_seeds(0, 100)[:7], member_seeds(0, 7))
    assert len(set(member_seeds(1, 100))) == 100
