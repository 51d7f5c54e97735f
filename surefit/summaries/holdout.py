"""Rows held out to judge a fit by, chosen by a hash: the choice depends on the set of weighted rows alone.

Within each class the distinct examples are taken in the order of their hash mixed with the seed, as long as their
weights add up to no more than the asked share of the weight of the class. So equal examples are on the same side,
every class gives its share, and a row of weight two is a row given twice.
"""

from __future__ import annotations

import numpy as np

from surefit._core.arithmetic import exact_sum, rounded_units, whole_weights
from surefit.summaries.canonical import mixed


def held_out(hashes: np.ndarray, y: np.ndarray, w: np.ndarray | None, fraction: float, seed: int) -> np.ndarray:
    """True for the rows held out; `hashes` are those of examples, and rows of no weight are never held out."""
    keys = hold_out_keys(hashes, seed)
    out = np.zeros(len(y), dtype=bool)
    weights = np.ones(len(y), dtype=np.int64) if w is None else whole_weights(w, rounded_units(exact_sum(w)))
    counts = np.ones(len(y), dtype=bool) if w is None else w > 0
    for label in np.unique(y):
        rows = np.flatnonzero((y == label) & counts)
        rows = rows[np.argsort(keys[rows], kind="stable")]
        total = np.cumsum(weights[rows])
        if not len(rows):
            continue
        last = np.append(keys[rows][1:] != keys[rows][:-1], True)
        # the weight of all examples up to and including this one, its repetitions with it
        reached = total[last][np.cumsum(np.append(False, last[:-1]))]
        out[rows[reached <= most_held(fraction, total[-1])]] = True
    return out


def hold_out_keys(hashes: np.ndarray, seed: int) -> np.ndarray:
    """What examples are put in order by."""
    return mixed(hashes ^ mixed(np.array([seed], dtype=np.uint64)))


def most_held(fraction: float, total: int) -> float:
    """The weight of a class that may be held out, of a total of whole weights."""
    return fraction * float(total) * (1 + 1e-12)


def fold_numbers(hashes: np.ndarray, y: np.ndarray, w: np.ndarray | None, folds: int, seed: int = 0) -> np.ndarray:
    """The fold 0 … folds − 1 of every row, by a hash; −1 for rows of no weight.

    The distinct examples stand in the order of their class and then of their hash mixed with the seed. The one in the
    middle of whose weight a share s of all the weight is reached goes to fold ⌊s · number of distinct examples⌋ modulo
    `folds`: neighbors go to different folds, so each class is spread over all of them.
    """
    numbers = np.full(len(y), -1)
    weights = np.ones(len(y)) if w is None else w
    keys = mixed(hashes ^ mixed(np.array([seed], dtype=np.uint64)))
    rows = np.flatnonzero(weights > 0)
    rows = rows[np.lexsort((weights[rows], keys[rows], y[rows]))]
    if not len(rows):
        return numbers
    first = np.append(True, (keys[rows][1:] != keys[rows][:-1]) | (y[rows][1:] != y[rows][:-1]))
    run = np.cumsum(first) - 1
    mass = np.bincount(run, weights=weights[rows])
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    numbers[rows] = (np.floor(middle * len(mass)).astype(np.intp) % folds)[run]
    return numbers
