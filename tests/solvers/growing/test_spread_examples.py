"""Distinct examples in parts: together those of all rows, in the order of their hashes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from surefit.solvers.growing.spread_examples import SortBlock, join_pieces, part_facts, part_of
from surefit.summaries.bins import find_bins
from surefit.summaries.canonical import example_hashes

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (600, 3)).astype(float)
Y = RNG.integers(0, 2, 600).astype(float)
W = RNG.integers(0, 5, 600) / 4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_parts", [1, 5])
def test_parts_hold_every_example_once(weighted, n_parts):
    w = W if weighted else None
    bins = find_bins(X, w)
    edges = [0, 100, 101, 430, 600]
    blocks = [
        SortBlock(bins, n_parts)((X[lo:hi], Y[lo:hi], None if w is None else w[lo:hi]), lo)
        for lo, hi in pairwise(edges)
    ]
    parts = [join_pieces(p, None, *(block[p] for block in blocks)) for p in range(n_parts)]
    hashes = np.concatenate([part.hashes for part in parts])
    assert (hashes[1:] > hashes[:-1]).all()
    there = np.ones(600, dtype=bool) if w is None else w > 0
    want = {}
    for i in np.flatnonzero(there):  # quarters add up exactly
        key = (*X[i], Y[i])
        want[key] = want.get(key, 0.0) + (1.0 if w is None else w[i])
    middle = [np.append(t, t[-1] + 1) for t in bins.thresholds]  # bin b of whole numbers: the one below its threshold
    got = {}
    for part in parts:
        for row, y, weight in zip(part.bins, part.y, part.weights, strict=True):
            got[(*(np.floor(middle[j][b]) for j, b in enumerate(row)), y)] = weight
    assert got == want
    spare = np.concatenate([part.spare_hashes for part in parts])
    np.testing.assert_array_equal(spare, np.unique(example_hashes(X, Y)[~there]))
    facts = [part_facts(2, part) for part in parts]
    assert sum(one.n for one in facts) == len(want)
    assert sum(one.repeated for one in facts) == sum(int(np.ceil(value)) for value in want.values())


def test_parts_of_hashes_are_equal_shares_of_all_numbers():
    ends = np.array([0, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1], dtype=np.uint64)
    np.testing.assert_array_equal(part_of(ends, 4), [0, 0, 1, 1, 2, 3])
