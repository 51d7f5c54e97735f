"""Members of an ensemble: which are looked at, what each answers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import BadData

MEMBERS, ALL = 24, 1 << 23  # most trees of a boosted model that are looked at, and rows × features of them all


def spread(n: int, most: int) -> list[int]:
    """Members spread evenly, the first and the last with them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int)).tolist()


def looked_at(X: NDArray, n_trees: int) -> list[int]:
    """The trees of a boosted model that are looked at: as many as the work allows, two at least."""
    return spread(n_trees, int(np.clip(ALL / max(X.size, 1), 2, MEMBERS)))


def answers_of(member: Any, X: NDArray) -> NDArray:
    """What the member predicts for rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = np.asarray(member.predict(X))
    if out.shape != (len(X),):
        raise BadData(f"a member predicts an array of shape {out.shape}, not {(len(X),)}")
    return out
