"""The bags of an ensemble: how many draws, draws without replacement, the rows that stand for draws of examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.theorems.hashing import Distinct, G, mixed

Counts = NDArray[np.intp]


def draws_of(max_samples: Any, total: float, n_examples: int) -> int:
    """How many draws: a whole number, or a share of the weight; None: all of it, at least one for each example."""
    if max_samples is None:
        return max(n_examples, round(total), 1)
    return int(max_samples) if isinstance(max_samples, (int, np.integer)) else max(1, round(max_samples * total))


def subsample(examples: Distinct, seed: int, n_draws: int) -> Counts:
    """How many copies of each example are taken without replacement.

    With c the sums of their weights there are round(cᵢ) − round(cᵢ₋₁) copies of example i; they are taken by rising
    mixed(hash xor mixed(seed)), for copy t mixed(that + t G).
    """
    keys = mixed(examples.hashes ^ mixed(np.array([seed], dtype=np.uint64)))
    copies = np.diff(np.rint(np.cumsum(examples.weights)), prepend=0.0).astype(np.intp)
    owner = np.repeat(np.arange(len(copies)), copies)
    turn = np.concatenate([np.arange(c) for c in copies]).astype(np.uint64)
    keys = np.where(turn == 0, keys[owner], mixed(keys[owner] + turn * np.uint64(G)))
    return np.bincount(owner[np.argsort(keys, kind="stable")[:n_draws]], minlength=len(copies))


def rows_of(examples: Distinct, counts: Counts) -> Counts:
    """The rows that stand for the draws, ascending: those of an example go to its rows in turn, lowest first."""
    order = np.argsort(examples.owner, kind="stable")
    order = order[np.searchsorted(examples.owner[order], 0) :]
    sizes = np.bincount(examples.owner[examples.owner >= 0], minlength=len(counts))
    start = np.cumsum(sizes) - sizes
    turn = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[np.repeat(start, counts) + turn % np.repeat(sizes, counts)])
