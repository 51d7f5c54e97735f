"""Bounds for rounding: the checker's own, and what a solver in a given precision cannot avoid.

Notation of Higham, Accuracy and Stability of Numerical Algorithms, chapter 3: u is half the distance from 1 to the
next number, and n operations in a row commit a relative error of at most γₙ = n u / (1 − n u).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

UNIT = float(np.finfo(np.float64).eps) / 2


def gamma(n: float, u: float = UNIT) -> float:
    """γₙ = n u / (1 − n u); infinite where n u ≥ 1 and nothing can be said."""
    nu = float(n) * u
    return nu / (1.0 - nu) if nu < 1.0 else math.inf


def epsilon(single_data: bool, *attributes: NDArray) -> float:
    """The machine epsilon a model was fitted in: that of float32 if the data or an attribute are float32."""
    single = single_data or any(a.dtype == np.float32 for a in attributes)
    return float(np.finfo(np.float32 if single else np.float64).eps)
