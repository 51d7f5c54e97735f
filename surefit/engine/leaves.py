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


class TreeMerge:
    """Merges the statistics of equal aligned subtrees, given left to right, in the fixed tree.

    Like a binary counter: two neighbours of the same size merge at once, so at most log₂(n) statistics are held. At
    the end what is left is merged from the right, which is where T puts an incomplete tail.
    """

    def __init__(self, combine: Callable[[Any, Any], Any]) -> None:
        self._combine = combine
        self._stack: list[tuple[int, Any]] = []

    def add(self, statistic: Any) -> None:
        """The next subtree; only the last one may be smaller than the others."""
        self._stack.append((1, statistic))
        while len(self._stack) > 1 and self._stack[-2][0] == self._stack[-1][0]:
            size, right = self._stack.pop()
            _, left = self._stack.pop()
            self._stack.append((2 * size, self._combine(left, right)))

    def result(self) -> Any:
        if not self._stack:
            raise ValueError("nothing to merge: there are no rows")
        _, merged = self._stack.pop()
        while self._stack:
            _, left = self._stack.pop()
            merged = self._combine(left, merged)
        return merged


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
