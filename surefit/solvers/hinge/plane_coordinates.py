"""A hyperplane as v = (w, β), β = b + m·w its score at the point m, the mean of the rows.

The penalty ½ ‖u‖², u = (w, b/s) = (w, (β − m·w)/s), has in v the gradient (w − m u_b/s, u_b/s). For columns whose
offsets are large next to their spread (more than FAR times) passes are made over rows less m: their scores
(x − m)·w + β have no digits to lose. Without an intercept m = 0 and v = u = w.
"""

from __future__ import annotations

import numpy as np

from surefit.engine.sources.block import Block
from surefit.summaries.moments import Moments

FAR = 1e3


class PlaneCoordinates:
    def __init__(self, center: np.ndarray, intercept_scale: float, shifted: bool = False) -> None:
        self.center, self.scale, self.d = center, intercept_scale, len(center)
        self.width = self.d + (intercept_scale > 0)
        self.shift = center if shifted else None
        """What is taken from rows before a pass, if anything is."""
        self.row_center = np.zeros(self.d) if shifted else center
        """m as the rows of a pass have it."""

    def of_pass(self, v: np.ndarray) -> np.ndarray:
        """(w, intercept) for the rows of a pass."""
        if not self.scale:
            return np.append(v, 0.0)
        return v if self.shift is not None else self.outer(v)

    def outer(self, v: np.ndarray) -> np.ndarray:
        """(w, b)"""
        return np.append(v[: self.d], v[-1] - self.center @ v[:-1] if self.scale else 0.0)

    def inner(self, theta: np.ndarray) -> np.ndarray:
        """v of (w, b)."""
        w, b = theta[:-1], theta[-1]
        return np.append(w, b + self.center @ w) if self.scale else w.copy()

    def penalized(self, v: np.ndarray) -> np.ndarray:
        """u"""
        return np.append(v[:-1], (v[-1] - self.center @ v[:-1]) / self.scale) if self.scale else v

    def gradients(self, v: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of ½ ‖u‖² less the loss's pull `sums` (of a pass), in v and in u."""
        if not self.scale:
            g = v - sums[: self.d]
            return g, g
        u = self.penalized(v)
        last = u[-1] / self.scale - sums[-1]
        in_v = np.append(u[:-1] - self.center * (u[-1] / self.scale) - (sums[:-1] - self.row_center * sums[-1]), last)
        return in_v, np.append(in_v[:-1] + self.center * last, self.scale * last)


def coordinates_for(moments: Moments, intercept_scale: float, dense: bool) -> PlaneCoordinates:
    """About the mean of rows with these moments."""
    d = len(moments.mean)
    if not intercept_scale or moments.weight == 0:
        return PlaneCoordinates(np.zeros(d), intercept_scale)
    spread = np.sqrt(np.maximum(np.diagonal(moments.products), 0.0) / moments.weight)
    far = dense and bool((np.abs(moments.mean) > FAR * spread)[spread > 0].any())
    return PlaneCoordinates(moments.mean, intercept_scale, far)


def about(block: Block, shift: np.ndarray | None) -> Block:
    """The block with `shift` taken from its rows; kept where the source keeps its rows."""
    if shift is None:
        return block
    kept = None if block.scratch is None else block.scratch.get("about")
    if kept is None or not np.array_equal(kept[0], shift):
        kept = shift, np.subtract(block.X, shift, dtype=np.float64)
        if block.scratch is not None:
            block.scratch["about"] = kept
    return Block(kept[1], block.y, block.w, block.start, block.leaf_rows)
