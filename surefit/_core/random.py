"""Random streams: every source of randomness a user may hand in becomes one NumPy Generator."""

from __future__ import annotations

from numbers import Integral
from typing import TypeAlias

import numpy as np

RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | np.random.SeedSequence | None


def random_stream(random_state: RandomStateLike) -> np.random.Generator:
    """A Generator from an int, None, RandomState, Generator or SeedSequence.

    An int gives the same stream each time. A RandomState or Generator is advanced by one draw, so that two fits in a
    row differ, as with scikit-learn.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(0, 2**63, size=2))
    if random_state is np.random:  # type: ignore[comparison-overlap]
        return np.random.default_rng(np.random.randint(0, 2**31, size=4))
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.default_rng(np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key))
    if random_state is None or (isinstance(random_state, Integral) and not isinstance(random_state, bool)):
        return np.random.default_rng(None if random_state is None else int(random_state))
    raise ValueError(
        "random_state must be an int, None, numpy RandomState, Generator or SeedSequence; "
        f"got {random_state!r} ({type(random_state).__name__})"
    )
