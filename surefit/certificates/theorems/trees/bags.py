"""Which rows each member of an ensemble was fitted on, from its seed.

Ours draw among the distinct examples (x, y) of positive weight, in the order of a hash of their contents:

    hash of a row      mixed(Σ over entries x ≠ 0 of mixed(bits of x in double + (column + 1) G))
    of an example      mixed(hash of x + G · hash of y), y in double (for classes the code)

with c the sums of the weights in that order, draw u of `default_rng(seed)` lands on the first with c > u·c_last;
without replacement copies of the examples (as many as their weight, round(cᵢ) − round(cᵢ₋₁)) are taken by rising
mixed(hash xor mixed(seed)), for copy t mixed(that + t G). scikit-learn draws rows from RandomState(seed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.trees.draws import G

SEEDS = 2**31 - 1


def mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def row_hashes(X: F64) -> NDArray[np.uint64]:
    total = np.zeros(len(X), dtype=np.uint64)
    for j in range(X.shape[1]):
        bits = np.ascontiguousarray(X[:, j], dtype=np.float64).view(np.uint64)
        total += np.where(X[:, j] != 0, mixed(bits + np.uint64(((j + 1) * G) % 2**64)), np.uint64(0))
    return mixed(total)


@dataclass(frozen=True)
class Distinct:
    """The distinct examples of positive weight in canonical order: hash, weight; `owner` of each row, −1 for none."""

    owner: NDArray[np.intp]
    first: NDArray[np.intp]  # the lowest row of each
    hashes: NDArray[np.uint64]
    weights: F64

    def bootstrap(self, seed: int, n_draws: int) -> NDArray[np.intp]:
        """How often each example is drawn."""
        below = np.cumsum(self.weights)
        places = np.searchsorted(below, np.random.default_rng(seed).random(n_draws) * below[-1], side="right")
        return np.bincount(np.minimum(places, len(below) - 1), minlength=len(below))

    def subsample(self, seed: int, n_draws: int) -> NDArray[np.intp]:
        """How many copies of each example are taken."""
        keys = mixed(self.hashes ^ mixed(np.array([seed], dtype=np.uint64)))
        copies = np.diff(np.rint(np.cumsum(self.weights)), prepend=0.0).astype(np.intp)
        owner = np.repeat(np.arange(len(copies)), copies)
        turn = np.concatenate([np.arange(c) for c in copies]).astype(np.uint64)
        keys = np.where(turn == 0, keys[owner], mixed(keys[owner] + turn * np.uint64(G)))
        return np.bincount(owner[np.argsort(keys, kind="stable")[:n_draws]], minlength=len(copies))

    def rows(self, counts: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows that stand for the draws, ascending: those of an example go to its rows in turn, lowest first."""
        order = np.argsort(self.owner, kind="stable")
        order = order[np.searchsorted(self.owner[order], 0) :]
        sizes = np.bincount(self.owner[self.owner >= 0], minlength=len(counts))
        start = np.cumsum(sizes) - sizes
        turn = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(order[np.repeat(start, counts) + turn % np.repeat(sizes, counts)])


def distinct(X: F64, Y: F64, w: F64) -> Distinct:
    X, Y = X + 0.0, Y + 0.0  # −0 is 0
    with np.errstate(over="ignore"):
        hashes = mixed(row_hashes(X) + np.uint64(G) * row_hashes(Y))
    rows = np.flatnonzero(w > 0)
    _, first, owner = np.unique(hashes[rows], return_index=True, return_inverse=True)
    # added from the smallest, so that the sums have no order
    order = np.lexsort((w[rows], owner))
    starts = np.searchsorted(owner[order], np.arange(len(first)))
    everyone = np.full(len(w), -1, dtype=np.intp)
    everyone[rows] = owner
    return Distinct(everyone, rows[first], hashes[rows[first]], np.add.reduceat(w[rows][order], starts))


def draws_of(max_samples: Any, total: float, n_examples: int) -> int:
    """How many draws: a whole number, or a share of the weight; None: all of it, at least one for each example."""
    if max_samples is None:
        return max(n_examples, round(total), 1)
    return int(max_samples) if isinstance(max_samples, (int, np.integer)) else max(1, round(max_samples * total))


def scikit_learn_rows(seed: int, n: int, max_samples: Any, w: F64 | None) -> NDArray[np.intp]:
    """The rows that a tree of scikit-learn's forests draws; w: the weights, with those of the classes, if any."""
    share = n if w is None else float(w.sum())
    draws = n if max_samples is None else max_samples
    draws = int(draws) if isinstance(draws, (int, np.integer)) else max(int(draws * share), 1)
    rng = np.random.RandomState(seed)
    return rng.randint(0, n, draws) if w is None else rng.choice(n, draws, replace=True, p=w / np.sum(w))


def seeds_of(random_state: Any, n: int, theirs: bool) -> NDArray[np.intp] | None:
    """The seeds of n members where random_state is a whole number, else None."""
    if not isinstance(random_state, (int, np.integer)) or isinstance(random_state, bool):
        return None
    if theirs:
        return np.random.RandomState(int(random_state)).randint(SEEDS, size=n)
    return np.random.default_rng(int(random_state)).integers(0, SEEDS, n)


def features_of(seed: int, d: int, count: int, replace: bool) -> NDArray[np.intp]:
    """The columns of a member of ours, ascending."""
    if count == d and not replace:
        return np.arange(d)
    return np.sort(np.random.default_rng([seed, 1]).choice(d, count, replace=replace))


def scikit_learn_bag(
    seed: int, d: int, count: int, n: int, draws: int, replace: tuple[bool, bool], w: F64 | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The columns and the rows of a member of scikit-learn's bagging; replace: of columns, of rows."""
    rng = np.random.RandomState(seed)
    columns = _drawn(rng, d, count, replace[0])
    if w is None:
        return columns, _drawn(rng, n, draws, replace[1])
    return columns, rng.choice(n, draws, replace=replace[1], p=w / np.sum(w))


def _drawn(rng: np.random.RandomState, n: int, k: int, replace: bool) -> NDArray[np.intp]:
    """With replacement, or as `sample_without_replacement`: a permutation, and at the ends one number at a time."""
    if replace:
        return rng.randint(0, n, k)
    if 0.01 < k / n < 0.99:
        return rng.permutation(n)[:k]
    if k / n >= 0.99:
        out = np.arange(k)
        for i in range(k, n):
            j = rng.randint(0, i + 1)
            out[j if j < k else 0] = i if j < k else out[0]
        return out
    chosen: dict[int, None] = {}
    while len(chosen) < k:
        chosen[int(rng.randint(n))] = None
    return np.array(list(chosen), dtype=np.intp)
