"""Radial functions φ(r) of the distance r = ‖x − c‖, with a width σ where they have one.

    gaussian              exp(−r²/(2σ²))          positive definite
    inverse_multiquadric  1/√(r² + σ²)            positive definite
    multiquadric          √(r² + σ²)              −φ is positive definite on weights that sum to zero
    linear                r                       −φ the same
    thin_plate_spline     r² log r                positive definite on weights orthogonal to polynomials of degree 1
    cubic                 r³                      the same

Where φ is positive definite only on weights orthogonal to polynomials (conditionally), these polynomials are added to
the interpolant: with them it is unique.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from surefit._core.errors import InvalidData
from surefit.kernels import FromFunction, Gaussian, GramRows, InverseMultiquadric, Kernel, Multiquadric, gram_blocks

WithWidth = Literal["gaussian", "multiquadric", "inverse_multiquadric"]
RadialName = Literal["gaussian", "multiquadric", "inverse_multiquadric", "thin_plate_spline", "linear", "cubic"]
BLOCK_BYTES = 2**24


class Kind(NamedTuple):
    sign: int
    """sign · φ is (conditionally) positive definite; 0 where nobody knows."""
    degree: int
    """Of the polynomials that are needed; −1 for none."""
    has_width: bool


KINDS = {
    "gaussian": Kind(1, -1, True),
    "inverse_multiquadric": Kind(1, -1, True),
    "multiquadric": Kind(-1, 0, True),
    "linear": Kind(-1, 0, False),
    "thin_plate_spline": Kind(1, 1, False),
    "cubic": Kind(1, 1, False),
}


def kind_of_kernel(kernel: Any) -> Kind:
    if isinstance(kernel, str):
        return KINDS[kernel]
    return Kind(1 if isinstance(kernel, Kernel) and kernel.positive_definite else 0, -1, False)


class Radial:
    """φ(‖x − c‖) for rows x and centers c. Distances are measured in widths, so that no square leaves the range."""

    def __init__(self, kernel: Any, centers: np.ndarray, width: float | None) -> None:
        self._unit = 1.0 if width is None else width
        self._finish = _finishes(kernel, self._unit)
        expression = kernel if isinstance(kernel, Kernel) else _expression(kernel)
        self._gram = GramRows(expression, np.asarray(centers, dtype=np.float64) / self._unit)

    def __call__(self, rows: Any) -> np.ndarray:
        """(rows, centers)"""
        out = np.empty((rows.shape[0], self._gram.n))
        dense = rows.toarray() if sp.issparse(rows) else rows
        for places, block in self._gram.cross(np.divide(dense, self._unit, dtype=np.float64), BLOCK_BYTES):
            out[places] = self._finish(block)
        return out


def _expression(kernel: Any) -> Kernel:
    """In units of the width; polyharmonic functions start from r itself."""
    if callable(kernel):
        return FromFunction(kernel, "matrices")
    return {
        "gaussian": Gaussian(0.5),
        "multiquadric": Multiquadric(1.0),
        "inverse_multiquadric": InverseMultiquadric(),
    }.get(kernel, Multiquadric(0.0))


def _finishes(kernel: Any, width: float) -> Callable[[np.ndarray], np.ndarray]:
    if not isinstance(kernel, str) or kernel in ("gaussian", "linear"):
        return lambda block: block
    if kernel == "multiquadric":
        return lambda block: block * width
    if kernel == "inverse_multiquadric":
        return lambda block: block / width
    if kernel == "cubic":
        return lambda r: r**3
    return lambda r: r * r * np.log(np.where(r > 0, r, 1.0))


def nearest_distance(X: np.ndarray) -> float:
    """The mean distance of a row to the nearest other row; 1 for a single row."""
    if len(X) < 2:
        return 1.0
    center = X[0].astype(np.float64)
    size = float(np.abs(X - center).max()) or 1.0
    scaled = np.subtract(X, center, dtype=np.float64) / size
    total = 0.0
    for places, block in gram_blocks(Multiquadric(0.0), scaled, bytes=BLOCK_BYTES):
        block[np.arange(len(block)), np.arange(places.start, places.stop)] = np.inf
        total += float(block.min(axis=1).sum())
    return total / len(X) * size


def spread_width(centers: np.ndarray, rows_scale: float) -> float:
    """The mean distance between two centers; for one center, or equal ones, `rows_scale` or else 1."""
    center = centers[0].astype(np.float64)
    size = float(np.abs(centers - center).max()) if len(centers) > 1 else 0.0
    if size == 0:
        return rows_scale if rows_scale > 0 else 1.0
    scaled = np.subtract(centers, center, dtype=np.float64) / size
    total = sum(float(block.sum()) for _, block in gram_blocks(Multiquadric(0.0), scaled, bytes=BLOCK_BYTES))
    width = total / (len(centers) * (len(centers) - 1)) * size
    if not np.isfinite(width) or width == 0:
        raise InvalidData("the distances between rows left the range of floating-point numbers: rescale the columns")
    return width
