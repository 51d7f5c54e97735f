"""The seeds of the members of an ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SEEDS = 2**31 - 1


def seeds_of(random_state: Any, n: int, theirs: bool) -> NDArray[np.intp] | None:
    """The seeds of n members where random_state is a whole number, else None."""
    if not isinstance(random_state, (int, np.integer)) or isinstance(random_state, bool):
        return None
    if theirs:
        return np.random.RandomState(int(random_state)).randint(SEEDS, size=n)
    return np.random.default_rng(int(random_state)).integers(0, SEEDS, n)
