"""Training rows as a support vector machine sees them: distinct, in canonical order, each with its whole weight.

A row that is given twice is one row of weight two, and a row of weight zero is not there; so the program solved, and
its answer to the last bit, depends on the set of weighted rows alone. What was learnt is handed back to the rows given
in proportion to their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.summaries.canonical import canonical_groups, example_hashes


@dataclass(frozen=True)
class WeightedRows:
    """Row i has target y[i] and weight w[i]; it stands for the given rows members[starts[i]:starts[i + 1]]."""

    X: Any
    places: np.ndarray
    """Which row of X each is (X holds the rows given, or a Gram matrix)."""
    y: np.ndarray
    w: np.ndarray
    members: np.ndarray
    counts: np.ndarray
    member_weight: np.ndarray
    n_given: int

    def __len__(self) -> int:
        return len(self.y)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One number for each row given: a row's value shared out in proportion to weight; zero without weight."""
        shares = self.member_weight / np.repeat(self.w, self.counts)
        everyone = np.zeros(self.n_given)
        everyone[self.members] = np.repeat(values, self.counts) * shares
        return everyone

    def spread_within(self, values: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """The same for values in [−unit·w, unit·w]: what is at its bound is at its bound for every row given."""
        everyone = self.spread(values)
        if not np.isfinite(unit).all():
            return everyone
        bound = np.repeat(unit, self.counts) * self.member_weight
        full = np.repeat(np.abs(values) >= unit * self.w, self.counts)
        everyone[self.members[full]] = (np.sign(np.repeat(values, self.counts)) * bound)[full]
        return everyone


def distinct_rows(X: Any, y: np.ndarray, w: np.ndarray | None) -> WeightedRows:
    """Rows of numbers: equal ones with equal targets are merged, in canonical order."""
    order, starts = canonical_groups(X, w, example_hashes(X, y), y)
    counts = np.diff(np.append(starts, len(order)))
    weights = np.ones(len(order)) if w is None else w[order]
    # the weights of equal rows are added from the smallest to the largest, so that the sum has no order either
    ascending = np.lexsort((weights, np.repeat(np.arange(len(starts)), counts)))
    order, weights = order[ascending], weights[ascending]
    first = order[starts]
    return WeightedRows(X, first, y[first], np.add.reduceat(weights, starts), order, counts, weights, len(y))


def given_rows(X: Any, y: np.ndarray, w: np.ndarray | None) -> WeightedRows:
    """Things that cannot be compared (strings, sets, a Gram matrix): each row by itself, in the order given."""
    weights = np.ones(len(y)) if w is None else w
    places = np.flatnonzero(weights > 0)
    weights = weights[places]
    return WeightedRows(X, places, y[places], weights, places, np.ones(len(places), dtype=int), weights, len(y))
