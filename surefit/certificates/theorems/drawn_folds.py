"""Folds drawn from a seed."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.theorems.folds import Fold
from surefit.certificates.theorems.hashing import distinct, mixed


def drawn_claim(folds: list[Fold], X: F64, Y: F64, w: F64, count: int, seed: int | None, classes: bool) -> Claim:
    """The folds are those that the seed draws; where it cannot be seen, equal examples are tested on together."""
    if len(folds) != count:
        return refuted("folds", f"folds_ has {len(folds)} folds, cv asks for {count}.")
    number = np.full(len(w), -1, dtype=np.intp)
    for k, (_, test) in enumerate(folds):
        number[test] = k
    examples = distinct(X, Y, w)
    places = np.maximum(examples.owner, 0)
    if seed is None:
        expected = np.where(examples.owner >= 0, number[examples.first][places], 0)
        what = "Equal rows are tested on together (random_state is no number: folds not drawn again)"
    else:
        keys = mixed(examples.hashes ^ mixed(np.array([seed], dtype=np.uint64)))
        labels = Y[examples.first, 0] if classes else np.zeros(len(keys))
        of_example = np.empty(len(keys), dtype=np.intp)
        of_example[np.lexsort((keys, labels))] = np.arange(len(keys)) % count
        expected = np.where(examples.owner >= 0, of_example[places], 0)
        what = "The folds are those that random_state draws from these rows"
    wrong = int(np.count_nonzero(expected != number))
    failure = f"{wrong} rows are in another fold than random_state draws, or were not among the rows fitted."
    return at_most("folds", f"{what}; rows elsewhere.", Grade.EXACT, wrong, 0, failure=failure)
