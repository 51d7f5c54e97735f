"""Second derivatives that can be divided by: whole, as a KroneckerMetric product, or only their diagonal.

Parameters of m scores over a row x̃ are a matrix (m, width), flattened row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpotrf, dpotrs

MOST_EIGENVALUES = 1200
"""Columns up to which a matrix without Cholesky's factor is taken apart by its eigenvalues."""
SHIFTS = (1e-10, 1e-7, 1e-4, 1e-1, 1e2, 1e5)


class FullMetric:
    """H, scaled to a unit diagonal and factorized; directions at the level of rounding are cut."""

    exact = True

    def __init__(self, H: np.ndarray) -> None:
        diagonal = np.diagonal(H).copy()
        self.scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        C = H * self.scale[:, None] * self.scale
        np.fill_diagonal(C, 1.0)
        self.rank = int((self.scale > 0).sum())
        self._basis: tuple[np.ndarray, np.ndarray] | None = None
        self._factor, fault = dpotrf(C, lower=0, clean=0)
        pivots = np.diagonal(self._factor)
        if fault or pivots.min(initial=1.0) ** 2 < 1e-13 * len(H) or self.rank < len(H):
            values, vectors = scipy.linalg.eigh(C * (self.scale > 0) * (self.scale > 0)[:, None], check_finite=False)
            keep = values > 1e-12 * len(H) * max(values[-1], 0.0)
            self._basis = vectors[:, keep], values[keep]
            self.null = vectors[:, ~keep]
            self.rank = int(keep.sum())
        self.full = self._basis is None

    def solve(self, g: np.ndarray) -> np.ndarray:
        """H⁻¹g for a vector, or for the columns of a matrix."""
        scaled = (g.T * self.scale).T
        if self._basis is not None:
            vectors, values = self._basis
            found = vectors @ ((vectors.T @ scaled).T / values).T
        else:
            found = dpotrs(self._factor, scaled, lower=0)[0]
        return (found.T * self.scale).T

    def null_space(self) -> np.ndarray | None:
        """A basis of the directions that were cut, in the coordinates of H; None when there are none."""
        if self.full:
            return None
        return np.where(self.scale > 0, self.scale, 1.0)[:, None] * self.null

    def inverse(self) -> np.ndarray:
        """H⁻¹, where H has full rank."""
        identity = np.eye(len(self.scale))
        return self.scale[:, None] * dpotrs(self._factor, identity, lower=0)[0] * self.scale


class ShiftedMetric:
    """H, scaled to a unit diagonal, plus as much of the identity as Cholesky's factor needs: no eigenvalues, so that
    thousands of columns take a second where they would take a minute in one call that nothing interrupts."""

    exact = False

    def __init__(self, H: np.ndarray) -> None:
        diagonal = np.diagonal(H)
        self.scale = np.where(diagonal > 0, 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        C = H * self.scale[:, None] * self.scale
        for shift in SHIFTS:
            np.fill_diagonal(C, 1.0 + shift)
            self._factor, fault = dpotrf(C, lower=0, clean=0)
            if not fault and np.diagonal(self._factor).min() ** 2 >= 0.1 * shift:
                break

    def solve(self, g: np.ndarray) -> np.ndarray:
        return (dpotrs(self._factor, (g.T * self.scale).T, lower=0)[0].T * self.scale).T


class PerScoreMetric:
    """One matrix for each of m scores, coupled only by what they must share.

    Softmax does not notice a number added to all scores, so of a step that moves all of them alike there is the penalty
    alone, and none at all where it is zero; the rest of a step sums to zero over the scores.
    """

    def __init__(self, blocks: Sequence[tuple[np.ndarray, FullMetric | ShiftedMetric]], penalty: np.ndarray) -> None:
        """`blocks`: which scores, and their matrix."""
        self._blocks = blocks
        self._m = sum(len(scores) for scores, _ in blocks)
        self.exact = self._m == 1 and blocks[0][1].exact
        self._inverse_penalty = np.where(penalty > 0, 1.0 / np.where(penalty > 0, penalty, 1.0), 0.0)

    def solve(self, g: np.ndarray) -> np.ndarray:
        if self._m == 1:
            return self._blocks[0][1].solve(g)
        width = len(self._inverse_penalty)
        G = np.moveaxis(g.reshape(self._m, width, -1), 1, 0)  # (width, m, vectors)
        shared = G.mean(axis=1, keepdims=True)
        rest = G - shared
        out = np.empty_like(rest)
        for scores, block in self._blocks:
            out[:, scores] = block.solve(rest[:, scores].reshape(width, -1)).reshape(width, len(scores), -1)
        out += shared * self._inverse_penalty[:, None, None] - out.mean(axis=1, keepdims=True)
        return np.moveaxis(out, 0, 1).reshape(g.shape)


def kronecker_metric(curvatures: np.ndarray, S: np.ndarray, penalty: np.ndarray, grain: float) -> PerScoreMetric:
    """Blocks cₖ S + diag(penalty); curvatures within a factor 1 + `grain` of each other share a matrix."""
    order = np.argsort(curvatures, kind="stable")
    blocks: list[tuple[np.ndarray, FullMetric | ShiftedMetric]] = []
    kind = FullMetric if len(S) <= MOST_EIGENVALUES else ShiftedMetric
    while len(order):
        group = order[curvatures[order] <= curvatures[order[0]] * (1 + grain)]
        H = S * np.exp(np.log(curvatures[group]).mean())
        H[np.diag_indices_from(H)] += penalty
        blocks.append((group, kind(H)))
        order = order[len(group) :]
    return PerScoreMetric(blocks, penalty)


class DiagonalMetric:
    exact = False

    def __init__(self, H: np.ndarray) -> None:
        self._inverse = np.where(H > 0, 1.0 / np.where(H > 0, H, 1.0), 0.0)

    def solve(self, g: np.ndarray) -> np.ndarray:
        return (g.T * self._inverse).T
