"""Proposes all eigenvectors of a symmetric matrix. Not trusted."""

from __future__ import annotations

import numpy as np

from surefit.certificates.blocks import F64


def eigen_basis(A: F64) -> tuple[F64, F64]:
    """Eigenvalues in rising order and the eigenvectors as columns."""
    values, vectors = np.linalg.eigh(A)
    return values, vectors
