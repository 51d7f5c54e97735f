"""Bags drawn in parts: every draw lands in one of them, where it lands among all examples."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from surefit.solvers.growing.spread_rows import ForestFacts, ForestPart
from surefit.summaries.bins import find_bins

N = 90
RNG = np.random.default_rng(0)
X = RNG.random((N, 2))
BINS = find_bins(X)
EDGES = [0, 17, 17, 60, N, N]
"""Two parts are empty, the last among them."""


def parts_of(weights):
    empty = np.empty(0, dtype=np.uint64), np.empty((0, 2), dtype=np.uint8)
    codes = np.arange(N) % 2 * 1.0
    return [
        ForestPart(p, np.arange(lo, hi), BINS.transform(X)[lo:hi], codes[lo:hi], weights[lo:hi], *empty, None, 0.0, 1.0)
        for p, (lo, hi) in enumerate(pairwise(EDGES))
    ]


@pytest.mark.parametrize("factor", [None, np.array([0.0, 2.5])])
@pytest.mark.parametrize("whole", [False, True])
def test_counts_of_parts_are_those_of_all(factor, whole):
    weights = np.ones(N) if whole else RNG.random(N) + 0.1
    parts = parts_of(weights)
    ends = np.cumsum(weights if factor is None else weights * factor[np.arange(N) % 2])
    sums = np.array([0.0, *(ends[e - 1] if e else 0.0 for e in EDGES[1:])])
    facts = ForestFacts(BINS, 2, 0, 0, sums, 500, factor, whole and factor is None, False, 3)
    states = [part.new_state(facts, []) for part in parts]
    for seed in range(3):
        marks = np.random.default_rng(seed).random(500) * ends[-1]
        want = np.bincount(np.minimum(np.searchsorted(ends, marks, side="right"), N - 1), minlength=N)
        got = np.concatenate([state._drawn(np.array([seed]))[0] for state in states])
        np.testing.assert_array_equal(got, want)
    for state in states:
        state.start_trees(np.array([0, 1]))
    counts = sum(state.class_counts() for state in states)
    assert counts.sum(axis=1).tolist() == [500, 500]
    assert factor is None or (counts[:, 0] == 0).all()


def test_without_a_bootstrap_chances_are_weights():
    (part,) = [part for part in parts_of(np.arange(N) % 3 + 1.0) if part.place == 3]
    facts = ForestFacts(BINS, 2, 0, 0, np.zeros(6), None, None, False, True, 3)
    for known, times in ((facts, 1.0), (replace(facts, factor=np.array([1.0, 2.0])), np.array([1.0, 2.0]))):
        state = part.new_state(known, [])
        state.start_trees(np.array([7]))
        size, rows, weights, *_ = state.totals(0)
        assert (size[0], rows[0]) == (30, part.weights.sum())
        np.testing.assert_array_equal(weights[0], np.bincount(part.y.astype(int), part.weights) * times)
