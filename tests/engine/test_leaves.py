"""The fixed tree: its shape, and that threads and blocks do not change it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from surefit.engine.leaves import TreeMerge, aligned_rows, fold_tree, leaf_rows, merge_in_order
from surefit.engine.sources.block import Block


def shape(lo: int, hi: int) -> Any:
    """T(lo, hi) as nested pairs, from its definition."""
    if hi - lo == 1:
        return lo
    half = 1
    while 2 * half < hi - lo:
        half *= 2
    return (shape(lo, lo + half), shape(lo + half, hi))


def pair(left: Any, right: Any) -> Any:
    return (left, right)


@pytest.mark.parametrize("n", range(1, 70))
def test_merging_in_order_builds_the_tree_of_the_definition(n: int) -> None:
    assert merge_in_order(range(n), pair) == shape(0, n)


@pytest.mark.parametrize("run", [1, 2, 4, 8])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 13, 64, 67])
def test_aligned_runs_are_subtrees(n: int, run: int) -> None:
    subtrees = [shape(lo, min(lo + run, n)) for lo in range(0, n, run)]
    assert merge_in_order(subtrees, pair) == shape(0, n)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 17, 200, 1000])
def test_threads_build_the_same_tree(n: int, n_threads: int) -> None:
    assert fold_tree(n, lambda i: i, pair, n_threads) == shape(0, n)


def test_few_statistics_are_held() -> None:
    tree = TreeMerge(pair)
    for i in range(1000):
        tree.add(i)
        assert len(tree.parts) <= 10
    assert tree.result() == shape(0, 1000)


def test_no_rows_is_an_error() -> None:
    with pytest.raises(ValueError, match="no rows"):
        merge_in_order([], pair)


def test_a_fault_in_a_leaf_stops_the_others() -> None:
    started = []

    def leaf(i: int) -> int:
        started.append(i)
        if i == 3:
            raise RuntimeError("leaf three")
        threading.Event().wait(0.001)
        return i

    with pytest.raises(RuntimeError, match="leaf three"):
        fold_tree(5000, leaf, pair, 2)
    assert len(started) < 2500
    assert fold_tree(50, lambda i: i, pair, 2) == shape(0, 50), "the threads are still of use"


@pytest.mark.parametrize("d", [1, 10, 256, 257, 512, 1000, 4096, 10**6])
def test_leaves_are_powers_of_two_of_bounded_size(d: int) -> None:
    rows = leaf_rows(d)
    assert rows & (rows - 1) == 0 and 256 <= rows <= 4096
    assert rows == 256 or rows * d <= 2**20
    assert rows == 4096 or 2 * rows * d > 2**20


@pytest.mark.parametrize("d", [1, 10, 300, 5000])
@pytest.mark.parametrize("most_rows", [None, 1, 10_000, 10**9])
def test_blocks_are_the_largest_run_of_leaves_within_the_limits(d: int, most_rows: int | None) -> None:
    rows, leaf = aligned_rows(d, 2**25, most_rows), leaf_rows(d)
    leaves = rows // leaf
    assert rows == leaves * leaf and leaves & (leaves - 1) == 0
    fits = [
        2**j * leaf
        for j in range(40)
        if 2**j * leaf * d * 8 <= 2**25 and (most_rows is None or 2**j * leaf <= most_rows)
    ]
    assert rows == max(fits, default=leaf)


def test_leaves_of_a_block_know_their_place() -> None:
    X = np.arange(20.0).reshape(10, 2)
    block = Block(X, X[:, 0], X[:, 1], start=40, leaf_rows=4)
    leaves = list(block.leaves())
    assert [(leaf.start, leaf.n_rows) for leaf in leaves] == [(40, 4), (44, 4), (48, 2)]
    assert np.array_equal(np.concatenate([leaf.X for leaf in leaves]), X)
    assert np.array_equal(np.concatenate([leaf.y for leaf in leaves]), X[:, 0])
    assert np.array_equal(np.concatenate([leaf.w for leaf in leaves]), X[:, 1])
