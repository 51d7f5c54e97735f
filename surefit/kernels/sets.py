"""The kernel of sets: how many sets lie in both.

k(A, B) = 2^|A ∩ B| is the number of subsets of A that are subsets of B: φ(A)·φ(B) with one feature for every set U, 1
if U ⊆ A and 0 otherwise. So it is positive definite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit._core.errors import InvalidData
from surefit.kernels.blocks import product_block
from surefit.kernels.kernel import POWER, Kernel
from surefit.kernels.rows import Rows
from surefit.kernels.vocabulary import count_matrix, features_of

MOST_SHARED = 1023
"""2^1024 is beyond double precision."""


class SetIntersection(Kernel):
    """k(A, B) = 2^|A ∩ B| for finite sets (or lists, tuples …: repetitions count once)

    >>> from surefit.kernels import SetIntersection
    >>> k = SetIntersection()
    >>> print(k)
    2^|x ∩ x'|
    >>> k([{"a", "b", "c"}, {"b"}, set()])
    array([[8., 2., 1.],
           [2., 2., 1.],
           [1., 1., 1.]])
    """

    domain = "objects"

    def __init__(self) -> None:
        pass

    @property
    def positive_definite(self) -> bool:
        return True

    def formula(self, x: str, y: str) -> tuple[str, int]:
        return f"2^|{x} ∩ {y}|", POWER

    def block(self, A: Rows, B: Rows, out: np.ndarray | None = None) -> np.ndarray:
        shared = product_block(self._members(A), self._members(B), out)
        if shared.size and shared.max() > MOST_SHARED:
            raise InvalidData(f"two sets share {shared.max():.0f} elements: 2 to that power is beyond floating point")
        return np.exp2(shared, out=shared)

    def self_values(self, A: Rows) -> np.ndarray:
        sizes = A.kept((SetIntersection, "sizes"), self._sizes)
        return np.exp2(sizes)

    @staticmethod
    def _members(rows: Rows) -> Any:
        return count_matrix(rows, SetIntersection, set, "a set, or something to make one of")

    @staticmethod
    def _sizes(rows: Rows) -> np.ndarray:
        sizes = [len(counter) for counter in features_of(rows, set, "a set, or something to make one of")]
        if max(sizes) > MOST_SHARED:
            raise InvalidData(f"a set has {max(sizes)} elements: 2 to that power is beyond floating point")
        return np.array(sizes, dtype=rows.dtype)
