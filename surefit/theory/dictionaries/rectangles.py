"""Axis-parallel boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit._core.data.plain_numbers import take_whole
from surefit.theory.dictionaries.dictionary import Dictionary


@dataclass(frozen=True)
class AxisRectangles(Dictionary):
    """lⱼ ≤ xⱼ ≤ uⱼ for every coordinate j.   VC dimension 2d;  Sₙ by Sauer's lemma.

    A labeling is given where the smallest box around its yes holds no other point.

    >>> from surefit.theory import AxisRectangles, is_shattered
    >>> is_shattered(AxisRectangles(2), [[0, 1], [1, 0], [0, -1], [-1, 0]])
    True
    """

    n_features: int

    def __post_init__(self) -> None:
        take_whole(self.n_features, "n_features")

    @property
    def vc_dimension(self) -> float:
        return 2 * self.n_features

    def realizes(self, X: NDArray[np.float64], labels: NDArray[np.bool_]) -> bool:
        if not labels.any():
            return True
        low, high = X[labels].min(axis=0), X[labels].max(axis=0)
        inside = ((X >= low) & (X <= high)).all(axis=1)
        return bool((inside == labels).all())
