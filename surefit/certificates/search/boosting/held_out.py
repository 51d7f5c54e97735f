"""The rows that our models keep for validation, from their contents and the seed.

Within each class (one for a regression) the distinct examples (x, y) of positive weight are taken in rising order of
mixed(hash xor mixed(seed)), as long as their weights add up to no more than the asked share of the weight of the class.
The hash of an example is mixed(hash of x + G · hash of y).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.theorems.hashing import G, mixed, row_hashes


def held_out(X: F64, y: F64, w: F64, label: F64, share: float, seed: int) -> NDArray[np.bool_]:
    """True for the rows kept; `label` says which class a row belongs to."""
    with np.errstate(over="ignore"):
        hashes = mixed(row_hashes(X + 0.0) + np.uint64(G) * row_hashes(y[:, None] + 0.0))  # −0 is 0
    keys, kept = mixed(hashes ^ mixed(np.array([seed % 2**64], dtype=np.uint64))), np.zeros(len(y), dtype=bool)
    for value in np.unique(label[w > 0]):
        own = np.flatnonzero((label == value) & (w > 0))
        own = own[np.argsort(keys[own], kind="stable")]
        total = np.cumsum(w[own])[np.searchsorted(keys[own], keys[own], side="right") - 1]  # with equal examples
        kept[own[total <= share * total[-1] * (1 + 1e-12)]] = True
    return kept
