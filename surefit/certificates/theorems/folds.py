"""Folds: pairs of training and test rows. Disjoint: no row is in both. Covering: together they are all rows, and every
row is tested on equally often.

Folds of ours are drawn among the distinct examples (x, y) of positive weight: in the order of their class (one for
numbers) and then of mixed(hash xor mixed(seed)), the example at place r is in fold r modulo the number of folds; rows
of weight zero are in the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.claim import Claim, Grade, at_most

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def read_folds(value: Any, n: int) -> list[Fold] | None:
    """The folds as row numbers; None where they are no lists of rows 0 … n − 1."""
    folds = list[Fold]()
    try:
        for train, test in value:
            parts = [np.asarray(part).ravel() for part in (train, test)]
            if any(part.dtype.kind not in "iu" and part.size for part in parts):
                return None
            if any(part.size and not (0 <= part.min() and part.max() < n) for part in parts):
                return None
            folds.append((parts[0].astype(np.intp), parts[1].astype(np.intp)))
    except (TypeError, ValueError):
        return None
    return folds


def disjoint_claim(folds: list[Fold], n: int) -> Claim:
    """No fold tests on a row it trains on, and none holds a row twice."""
    seen = 0
    for train, test in folds:
        count = np.bincount(np.concatenate([train, test]), minlength=n)
        seen += int(np.count_nonzero(count > 1))
    return at_most(
        "disjoint",
        f"In none of {len(folds)} folds is a row both trained and tested on; rows that are.",
        Grade.EXACT,
        seen,
        0,
        failure=f"{seen} rows are tested on by a model that was trained on them, or stand in a fold twice.",
    )


def covering_claim(folds: list[Fold], n: int, *, partition: bool) -> Claim:
    """Every row is tested on equally often; with `partition` each fold also trains on all it does not test on."""
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=n) if folds else np.zeros(n)
    often = int(times[0]) if n and partition else int(times.min(initial=0))
    uneven = int(np.count_nonzero(times != often)) if partition else int(np.count_nonzero(times == 0))
    unused = sum(n - len(np.unique(np.concatenate(fold))) for fold in folds) if partition else 0
    if not partition:
        sentence = f"Rows that no fold tests on: {uneven} of {n}."
        return Claim("covering", sentence, Grade.EXACT, float(uneven), None, True)
    wrong = uneven + unused + (often == 0) * n
    return at_most(
        "covering",
        f"Every row is tested on {often} times, and each fold trains on all others; rows of which this is not true.",
        Grade.EXACT,
        wrong,
        0,
        failure=f"{uneven} rows are tested on more or less often than others, and {unused} are in no part of a fold.",
    )
