"""L Lᵀ = A for a symmetric positive-definite A of which only one half is stored, in place, on several threads.

The lower triangle is kept as panels: panel k holds the columns k b … (k+1) b − 1 from the diagonal down, n²/2 numbers
in all. For k = 0, 1, …

    L_kk L_kkᵀ = A_kk ,      L_ik = A_ik L_kk⁻ᵀ ,      A_ij ← A_ij − L_ik L_jkᵀ   (i ≥ j > k)

Tiles are of a fixed size and a tile is always updated in the order of k, so the bits do not depend on the threads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import threads_for
from surefit.engine.leaves import fold_tree
from surefit.solvers.numerics.blas import add_product, add_square, cholesky, divide_left, divide_right

WIDTH = 512
"""Columns of a panel: products with so many terms run at full speed, and the diagonal tile is soon done."""
TILE_ROWS = 1024

Block = Callable[[slice, slice], np.ndarray]
"""The entries of a matrix in these rows and columns, as float64."""


def half_bytes(n: int) -> int:
    """What the lower triangle of n rows needs."""
    return 4 * n * (n + min(n, WIDTH)) + 8 * n * min(n, WIDTH)


class HalfMatrix:
    """The lower triangle of a symmetric matrix, panel by panel; `factorize` turns it into L."""

    def __init__(self, n: int, block: Block, shift: float = 0.0) -> None:
        """block(rows, columns) + shift · I."""
        self.n = n
        starts = range(0, n, WIDTH)
        self.panels = [block(slice(s, n), slice(s, min(s + WIDTH, n))) for s in starts]
        for panel in self.panels:
            width = panel.shape[1]
            panel[np.arange(width), np.arange(width)] += shift
        self.largest = max(float(np.abs(np.diagonal(panel)).max()) for panel in self.panels)
        """The largest entry of the diagonal."""

    def factorize(self) -> bool:
        """A becomes L. False where A is not positive definite, or a pivot is no more than rounding; A is then gone.

        Each entry of A carries a rounding of u times the largest, so a pivot below n u times that says nothing.
        """
        n_threads = threads_for(self.n**3 / 3)
        least = (self.n * np.finfo(np.float64).eps * self.largest) ** 0.5
        for k, panel in enumerate(self.panels):
            width = panel.shape[1]
            corner = panel[:width]
            if not cholesky(corner) or not np.diagonal(corner).min() > least:
                return False
            self._divide(panel, n_threads)
            self._update(k, n_threads)
        return True

    def _divide(self, panel: np.ndarray, n_threads: int) -> None:
        width = panel.shape[1]
        corner, below = panel[:width], panel[width:]
        tasks = [below[s : s + TILE_ROWS] for s in range(0, len(below), TILE_ROWS)]
        fold_tree(len(tasks), lambda i: divide_right(tasks[i], corner), _nothing, n_threads) if tasks else None

    def _update(self, k: int, n_threads: int) -> None:
        """Panels after k lose L_ik L_jkᵀ; the tasks are tiles, those of the next panel first."""
        L = self.panels[k]
        tiles: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
        for j in range(k + 1, len(self.panels)):
            target, offset = self.panels[j], (j - k) * WIDTH
            top = L[offset : offset + target.shape[1]]
            tiles.append((target[: len(top)], top, None))
            for s in range(len(top), len(target), TILE_ROWS):
                tiles.append((target[s : s + TILE_ROWS], top, L[offset + s : offset + s + TILE_ROWS]))

        def task(i: int) -> None:
            tile, right, left = tiles[i]
            if left is None:
                add_square(tile, right, -1.0)
            else:
                add_product(tile, left, right, -1.0, transpose_B=True)

        if tiles:
            fold_tree(len(tiles), task, _nothing, n_threads)

    def solve(self, Y: np.ndarray) -> np.ndarray:
        """A⁻¹ Y, once A has become L."""
        R = np.array(Y, dtype=np.float64, order="C")
        for k, panel in enumerate(self.panels):
            width, s = panel.shape[1], k * WIDTH
            divide_left(panel[:width], R[s : s + width])
            R[s + width :] -= panel[width:] @ R[s : s + width]
        for k in range(len(self.panels) - 1, -1, -1):
            panel = self.panels[k]
            width, s = panel.shape[1], k * WIDTH
            R[s : s + width] -= panel[width:].T @ R[s + width :]
            divide_left(panel[:width], R[s : s + width], transpose=True)
        return R


def solve_positive_definite(n: int, block: Block, shift: float, Y: np.ndarray) -> np.ndarray | None:
    """(A + shift I)⁻¹ Y for Y (n, t); None where A + shift I is not positive definite beyond rounding."""
    refuse_beyond_memory(
        half_bytes(n),
        f"half of a Gram matrix of {n} rows",
        "Use solver='nystrom_cg', which does not store it.",
    )
    half = HalfMatrix(n, block, shift)
    return half.solve(Y) if half.factorize() else None


def _nothing(left: None, right: None) -> None:
    return None
