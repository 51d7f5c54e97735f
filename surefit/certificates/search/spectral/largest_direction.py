"""Proposes a direction of the largest eigenvalue of a symmetric matrix."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def largest_direction(R: F64) -> F64:
    """A unit vector near the eigenvector of the largest eigenvalue."""
    direction: F64 = np.linalg.eigh(R)[1][:, -1]
    return direction
