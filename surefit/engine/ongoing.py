"""A fold that goes on: rows come chunk by chunk, and the statistic is that of all rows so far, to the bit.

Whole leaves are merged as the fixed tree has it; the rows of the last leaf, which is not yet full, are kept until it
is. So it does not matter how the rows were cut into chunks: the statistic has the bits of one fold over all of them.
What is kept is a dict of plain arrays and tuples, and it is never changed, only replaced.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from surefit.engine.leaves import TreeMerge
from surefit.engine.sources.block import Block


class Resumable(Protocol):
    """A step whose statistic can be kept as plain tuples and taken up again."""

    def map(self, state: Any, block: Block, n_threads: int) -> Any: ...
    def combine(self, left: Any, right: Any) -> Any: ...
    def typed(self, statistic: Any) -> Any: ...


def after(statistic: Any) -> dict[str, Any]:
    """To go on after a finished fold; its leaves are closed."""
    return {"before": plain(statistic), "stack": [], "rows": None}


def plain(statistic: Any) -> Any:
    """Named tuples as tuples."""
    return tuple(plain(value) for value in statistic) if isinstance(statistic, tuple) else statistic


def extended(
    kept: dict[str, Any] | None,
    step: Resumable,
    X: Any,
    y: np.ndarray,
    w: np.ndarray | None,
    leaf_rows: int,
    n_threads: int,
) -> tuple[dict[str, Any], Any]:
    """(what to keep, the statistic of all rows so far) once the rows X, y, w have come."""
    before, stack, rows = None, [], None
    if kept is not None:
        before = None if kept["before"] is None else step.typed(kept["before"])
        stack, rows = [(size, step.typed(statistic)) for size, statistic in kept["stack"]], kept["rows"]
    if rows is not None:
        X, y, w = _joined(rows, (X, y, w))
    n_leaves = sum(size for size, _ in stack)
    tree = TreeMerge(step.combine, stack)
    done, n_rows = 0, X.shape[0]
    while n_rows - done >= leaf_rows:
        run = 1  # the largest complete subtree that starts here: 2^j leaves at a multiple of 2^j
        while n_leaves % (2 * run) == 0 and 2 * run * leaf_rows <= n_rows - done:
            run *= 2
        stop = done + run * leaf_rows
        block = _block(X, y, w, slice(done, stop), n_leaves * leaf_rows, leaf_rows)
        tree.add(step.map(None, block, n_threads), run)
        n_leaves, done = n_leaves + run, stop

    rest, tail = None, []
    if done < n_rows:
        last = slice(done, n_rows)
        tail = [step.map(None, _block(X, y, w, last, n_leaves * leaf_rows, leaf_rows), n_threads)]
        rest = (X[last].copy(), y[last].copy(), None if w is None else w[last].copy())
    statistic = tree.result(*tail)
    if before is not None:
        statistic = step.combine(before, statistic)
    done_so_far = [(size, plain(one)) for size, one in tree.parts]
    return {"before": None if before is None else plain(before), "stack": done_so_far, "rows": rest}, statistic


def _block(X: Any, y: np.ndarray, w: np.ndarray | None, rows: slice, start: int, leaf_rows: int) -> Block:
    return Block(X[rows], y[rows], None if w is None else w[rows], start, leaf_rows)


def _joined(first: tuple[Any, Any, Any], second: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    (X, y, w), (more_X, more_y, more_w) = first, second
    if w is None and more_w is not None:
        w = np.ones(len(y))
    if more_w is None and w is not None:
        more_w = np.ones(len(more_y))
    if sp.issparse(X) or sp.issparse(more_X):
        rows = sp.vstack([sp.csr_array(X), sp.csr_array(more_X)], format="csr")
    else:
        rows = np.concatenate([X, more_X])
    return rows, np.concatenate([y, more_y]), None if w is None else np.concatenate([w, more_w])
