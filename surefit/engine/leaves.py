"""Rows are cut into leaves of a fixed size and merged in a fixed tree: same data, same bits.

The size depends on the width of the data alone, never on the source, the threads or the workers. The tree over the
leaves lo … hi−1 is

    T(lo, hi) = leaf(lo)                                   if hi − lo = 1
              = combine(T(lo, mid), T(mid, hi))            mid = lo + the largest power of two < hi − lo

so every aligned run of 2^j leaves is a complete subtree, which any thread or worker may compute.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from surefit._core.threads import thread_count

LEAF_ELEMENTS = 2**20
MOST_LEAF_ROWS, FEWEST_LEAF_ROWS = 4096, 256


def leaf_rows(n_features: int) -> int:
    """Rows of one leaf: a power of two, at most 2^20 numbers in a leaf as long as it has 256 rows."""
    rows = MOST_LEAF_ROWS
    while rows > FEWEST_LEAF_ROWS and rows * n_features > LEAF_ELEMENTS:
        rows //= 2
    return rows


def aligned_rows(n_features: int, most_bytes: int, most_rows: int | None = None) -> int:
    """Rows of a block: the largest 2^j leaves within `most_bytes` of float64 and `most_rows`; at least one leaf."""
    rows = leaf_rows(n_features)
    while 2 * rows * n_features * 8 <= most_bytes and (most_rows is None or 2 * rows <= most_rows):
        rows *= 2
    return rows


def leaf_threads(n_rows: int, leaf_rows: int, n_jobs: int | None = None) -> int:
    """Threads for a pass over rows in memory: one leaf is not split."""
    return 1 if n_rows <= leaf_rows else thread_count(n_jobs)


class TreeMerge:
    """Merges the statistics of aligned complete subtrees, given left to right, in the fixed tree.

    Like a binary counter: two neighbours of the same size merge at once, so at most log₂(n) statistics are held. The
    result merges what is left from the right, which is where T puts an incomplete tail; more may be added after it.
    """

    def __init__(self, combine: Callable[[Any, Any], Any], parts: Iterable[tuple[int, Any]] = ()) -> None:
        self._combine = combine
        self.parts = list(parts)
        """(leaves, statistic) of complete subtrees, larger ones first."""

    def add(self, statistic: Any, n_leaves: int = 1) -> None:
        """The next subtree, of `n_leaves` leaves (in any one unit); only the last may be incomplete."""
        self.parts.append((n_leaves, statistic))
        while len(self.parts) > 1 and self.parts[-2][0] == self.parts[-1][0]:
            size, right = self.parts.pop()
            _, left = self.parts.pop()
            self.parts.append((2 * size, self._combine(left, right)))

    def result(self, *tail: Any) -> Any:
        """T of all that was added, and of a `tail` that is not complete."""
        statistics = [statistic for _, statistic in self.parts] + list(tail)
        if not statistics:
            raise ValueError("nothing to merge: there are no rows")
        merged = statistics.pop()
        while statistics:
            merged = self._combine(statistics.pop(), merged)
        return merged


def by_leaves(values: np.ndarray, leaf_rows: int) -> np.ndarray:
    """(leaves, leaf_rows, …): the rows leaf by leaf, the last leaf filled up with zeros."""
    n = len(values)
    n_leaves = -(-n // leaf_rows)
    if n < n_leaves * leaf_rows:
        filled = np.zeros((n_leaves * leaf_rows, *values.shape[1:]))
        filled[:n] = values
        values = filled
    return values.reshape(n_leaves, leaf_rows, *values.shape[1:])


def tree_sum(leaves: np.ndarray) -> np.ndarray:
    """T with addition over the first axis, all subtrees of one size at a time: neighbours until one is left."""
    while len(leaves) > 1:
        even = len(leaves) // 2 * 2
        pairs = leaves[0:even:2] + leaves[1:even:2]
        leaves = pairs if even == len(leaves) else np.concatenate([pairs, leaves[even:]])
    return leaves[0]


def leaf_sum(values: np.ndarray) -> float:
    """The sum of numbers, one for each row: leaves of `MOST_LEAF_ROWS` rows, then T."""
    return float(tree_sum(by_leaves(values, MOST_LEAF_ROWS).sum(axis=1))) if len(values) else 0.0


def merge_in_order(statistics: Iterable[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """T over the statistics of equal aligned subtrees."""
    tree = TreeMerge(combine)
    for statistic in statistics:
        tree.add(statistic)
    return tree.result()


def fold_tree(n_leaves: int, leaf: Callable[[int], Any], combine: Callable[[Any, Any], Any], n_threads: int) -> Any:
    """T(0, n_leaves) of `leaf(i)`, on `n_threads` Python threads (for leaves whose work releases the GIL)."""
    if n_threads <= 1 or n_leaves <= 2:
        return merge_in_order((leaf(i) for i in range(n_leaves)), combine)
    run = 1
    while n_leaves // (run * 2) >= 8 * n_threads:
        run *= 2
    stop = threading.Event()

    def subtree(start: int) -> Any:
        tree = TreeMerge(combine)
        for i in range(start, min(start + run, n_leaves)):
            if stop.is_set():
                break
            tree.add(leaf(i))
        return tree.result()

    futures: list[Future] = [_pool(n_threads).submit(subtree, start) for start in range(0, n_leaves, run)]
    try:
        return merge_in_order((future.result() for future in futures), combine)
    except BaseException:
        stop.set()
        for future in futures:
            future.cancel()
        raise


_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _pool(n_threads: int) -> ThreadPoolExecutor:
    """Threads are kept between folds; a forked child starts its own."""
    key = (os.getpid(), n_threads)
    if key not in _pools:
        _pools[key] = ThreadPoolExecutor(n_threads, thread_name_prefix="surefit")
    return _pools[key]
