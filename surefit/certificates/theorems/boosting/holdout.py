"""The rows that our models keep for validation, from their contents and the seed.

Within each class (one for a regression) the distinct examples (x, y) of positive weight are taken in rising order of
mixed(hash xor mixed(seed)), as long as their weights add up to no more than the asked share of the weight of the class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.hashing import distinct, mixed


def held_out(X: F64, y: F64, w: F64, label: F64, share: float, seed: int) -> NDArray[np.bool_]:
    """True for the rows kept; `label` says which class a row belongs to."""
    examples = distinct(X, y[:, None], w)
    keys = mixed(examples.hashes ^ mixed(np.array([seed], dtype=np.uint64)))
    kept = np.zeros(len(keys), dtype=bool)
    for value in np.unique(label[w > 0]):
        own = np.flatnonzero(label[examples.first] == value)
        own = own[np.argsort(keys[own], kind="stable")]
        total = np.cumsum(examples.weights[own])
        kept[own[total <= share * total[-1] * (1 + 1e-12)]] = True
    return (examples.owner >= 0) & kept[examples.owner]
