"""Proposes labels' centers and the rotation between two bases. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def rotation(A: F64, B: F64) -> F64:
    """The orthogonal Q for which AQ is nearest to B."""
    left, _, right = np.linalg.svd(A.T @ B)
    turn: F64 = left @ right
    return turn
