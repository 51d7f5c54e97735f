"""Resampling of weighted rows: what is drawn depends on the seed and on the set of weighted examples alone.

The distinct examples (x, y) of positive weight stand in canonical order (by the hash of their contents), with their
weights added; a draw lands on an example, not on a row. So a weight of two is a row given twice, a weight of zero is a
row left out, and shuffling the rows changes nothing. With c₁ ≤ … ≤ c_m the sums of the weights in that order:

* with replacement (`bootstrap_counts`): draw u in [0, 1) lands on the first example with cᵢ > u·c_m;
* without (`subsample_counts`): copies of example i, as many as its weight (round(cᵢ) − round(cᵢ₋₁) of them), have the
  keys `mixed(hash ^ mixed(seed))` for the first and `mixed(key + t·gold)` for copy t after it; the smallest keys are
  taken.

A row is in the bag when its example was drawn: equal rows are in it together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surefit import _native
from surefit._core.random import RandomStateLike, random_stream
from surefit.summaries.canonical import canonical_groups, example_hashes, mixed

GOLD = np.uint64(0x9E3779B97F4A7C15)
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Examples:
    """in: `rows`, the rows of positive weight in canonical order; `starts`, where the rows of each example begin in it.

    `hashes` and `weights` (the added weights of its rows) have one number for each distinct example.
    """

    n_rows: int
    rows: np.ndarray
    starts: np.ndarray
    hashes: np.ndarray
    weights: np.ndarray

    @property
    def total(self) -> float:
        return float(np.cumsum(self.weights)[-1])

    @property
    def first_rows(self) -> np.ndarray:
        """The lowest row of each example."""
        return self.rows[self.starts]

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of rows of each example."""
        return np.diff(np.append(self.starts, len(self.rows)))

    def bag(self, counts: np.ndarray) -> np.ndarray:
        """The rows drawn, in canonical order, each as often as it was: the draws of an example go to its rows in turn.

        The first draw to the lowest row, the next to the next, and again from the lowest when there are more draws
        than rows.
        """
        drawn = np.flatnonzero(counts)
        times = counts[drawn].astype(np.intp)
        turn = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        return self.rows[np.repeat(self.starts[drawn], times) + turn % np.repeat(self.sizes[drawn], times)]

    def in_bag(self, counts: np.ndarray) -> np.ndarray:
        """True for the rows whose example was drawn; of the others, those of no weight are in no bag."""
        inside = np.zeros(self.n_rows, dtype=bool)
        inside[self.rows[np.repeat(counts > 0, self.sizes)]] = True
        return inside

    def places(self) -> np.ndarray:
        """The example of each row; −1 for a row of weight zero."""
        places = np.full(self.n_rows, -1, dtype=np.intp)
        places[self.rows] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return places


def distinct_examples(X: Any, y: np.ndarray, w: np.ndarray | None = None, n_threads: int = 1) -> Examples:
    """The distinct examples (row of X, row of y) of positive weight; X dense or CSR, y numbers or codes of classes."""
    hashes = example_hashes(X, y, n_threads)
    return _grouped(hashes, w, *canonical_groups(X, w, hashes, y))


def hashed_examples(hashes: np.ndarray, w: np.ndarray | None = None) -> Examples:
    """The same for rows that are not in memory: equal hashes stand for equal examples."""
    rows = _native.order_by_hash(hashes)
    if w is not None:
        rows = rows[w[rows] > 0]
    ascending = hashes[rows]
    return _grouped(hashes, w, rows, np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])))


def _grouped(hashes: np.ndarray, w: np.ndarray | None, rows: np.ndarray, starts: np.ndarray) -> Examples:
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    if len(starts) < len(rows):
        rows = rows[np.lexsort((rows, run))]
    if w is None:
        weights = np.bincount(run, minlength=len(starts)).astype(np.float64)
    else:  # added from the smallest to the largest, so that the sum does not depend on the order of the rows
        terms = w[rows]
        weights = np.add.reduceat(terms[np.lexsort((terms, run))], starts)
    return Examples(len(hashes), rows.astype(np.intp), starts.astype(np.intp), hashes[rows[starts]], weights)


def draw_count(max_samples: float | None, total_weight: float, n_examples: int = 1) -> int:
    """How many draws: `max_samples` if it is a whole number, else this share of the total weight.

    None: all of it, and no fewer than there are distinct examples (weights that add up to one count no rows).
    """
    if max_samples is None:
        return max(n_examples, round(total_weight), 1)
    if isinstance(max_samples, (int, np.integer)):
        return int(max_samples)
    return max(1, round(float(max_samples) * total_weight))


def member_seeds(random_state: RandomStateLike, n_members: int) -> np.ndarray:
    """One seed for each member of an ensemble; those of the first members do not depend on how many follow."""
    return random_stream(random_state).integers(0, LARGEST_SEED, n_members)


def bootstrap_counts(seed: int, weights: np.ndarray, n_draws: int) -> np.ndarray:
    """How often each example is drawn, with replacement, in proportion to its weight."""
    places = bootstrap_draws(seed, np.cumsum(weights), bool((weights == 1).all()), n_draws)
    return np.bincount(places, minlength=len(weights))


def bootstrap_draws(seed: int, below: np.ndarray, once: bool, n_draws: int) -> np.ndarray:
    """The example that each draw lands on, from the sums of the weights; `once`: every weight is one."""
    m = len(below)
    marks = np.random.default_rng(seed).random(n_draws) * below[-1]
    # of whole numbers 1 … m, ⌊mark⌋ are ≤ mark
    places = marks.astype(np.intp) if once else np.searchsorted(below, marks, side="right")
    return np.minimum(places, m - 1)


def subsample_counts(seed: int, hashes: np.ndarray, weights: np.ndarray, n_draws: int) -> np.ndarray:
    """How many copies of each example are taken, without replacement; all of them if there are no more than n_draws."""
    keys = mixed(hashes ^ mixed(np.array([seed], dtype=np.uint64)))
    if (weights == 1).all():
        owner = np.arange(len(weights))
    else:
        copies = np.diff(np.rint(np.cumsum(weights)), prepend=0.0).astype(np.intp)
        owner = np.repeat(np.arange(len(weights)), copies)
        turn = (np.arange(len(owner)) - np.repeat(np.cumsum(copies) - copies, copies)).astype(np.uint64)
        keys = np.where(turn == 0, keys[owner], mixed(keys[owner] + turn * GOLD))
    if n_draws < len(owner):
        owner = owner[_smallest(keys, n_draws)]
    return np.bincount(owner, minlength=len(weights))


def drawn_features(seed: int, n_features: int, n_drawn: int, replace: bool) -> np.ndarray:
    """The columns of a member, in ascending order; all of them where there is no choice."""
    if n_drawn == n_features and not replace:
        return np.arange(n_features)
    return np.sort(np.random.default_rng([seed, 1]).choice(n_features, n_drawn, replace=replace))


def _smallest(keys: np.ndarray, count: int) -> np.ndarray:
    """The places of the `count` smallest keys; among equal ones the first."""
    last = np.partition(keys, count - 1)[count - 1]
    below = np.flatnonzero(keys < last)
    return np.concatenate([below, np.flatnonzero(keys == last)[: count - len(below)]])
