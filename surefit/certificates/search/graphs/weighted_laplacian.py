"""Proposes the solution of V X = R for the Laplacian V of weights, with columns that add up to zero. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def solve_laplacian(V: F64, R: F64) -> F64:
    """V + c 11ᵀ is regular for connected weights, and 11ᵀ X = 0."""
    n = len(V)
    shift = float(np.trace(V)) / n**2 or 1.0
    solution: F64 = np.linalg.lstsq(V + shift, R, rcond=None)[0]
    return solution
