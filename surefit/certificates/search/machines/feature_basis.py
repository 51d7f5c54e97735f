"""Proposes R with RᵀAR ≈ I for A = Σ ω ψψᵀ + diag(s): the inverse of the triangle of √ω ψ and √s. Not trusted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from surefit.certificates.blocks import F64


def orthonormal_basis(parts: Iterable[Any], s: F64) -> F64:
    triangle: Any = np.diag(np.sqrt(s))
    for part in parts:
        rows = np.sqrt(part.w)[:, None] * part.psi.value.astype(np.float64)
        triangle = np.linalg.qr(np.vstack([triangle, rows]), mode="r")
    unit = np.linalg.norm(triangle, axis=0)
    unit = np.where(unit > 0, unit, 1.0)
    try:
        return np.linalg.inv(triangle / unit) / unit[:, None]
    except np.linalg.LinAlgError:
        return np.linalg.pinv(triangle / unit) / unit[:, None]
