"""Second derivatives that can be divided by: whole, as a Kronecker product, or only their diagonal.

Parameters of m scores over a row x̃ are a matrix (m, width), flattened row by row.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpotrf, dpotrs


class Whole:
    """H as a matrix, scaled to a unit diagonal and factorised; directions at the level of rounding are cut."""

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
        scaled = g * self.scale
        if self._basis is not None:
            vectors, values = self._basis
            return self.scale * (vectors @ ((vectors.T @ scaled) / values))
        return self.scale * dpotrs(self._factor, scaled, lower=0)[0]

    def null_space(self) -> np.ndarray | None:
        """A basis of the directions that were cut, in the coordinates of H; None when there are none."""
        if self.full:
            return None
        return np.where(self.scale > 0, self.scale, 1.0)[:, None] * self.null

    def inverse(self) -> np.ndarray:
        """H⁻¹, where H has full rank."""
        identity = np.eye(len(self.scale))
        return self.scale[:, None] * dpotrs(self._factor, identity, lower=0)[0] * self.scale


class Kronecker:
    """J ⊗ S + I ⊗ diag(penalty): in the directions of J's eigenvectors, one d×d system for each eigenvalue.

    Eigenvalues within `grain` of each other share a factor. Directions of eigenvalue zero (all scores move together)
    have the penalty alone, and none at all where it is zero.
    """

    def __init__(self, J: np.ndarray, S: np.ndarray, penalty: np.ndarray, grain: float) -> None:
        values, self._vectors = scipy.linalg.eigh(J, check_finite=False)
        top = max(values[-1], np.finfo(float).tiny)
        self._width = len(S)
        self._parts: list[tuple[np.ndarray, Whole | np.ndarray | None]] = []
        positive = values > 1e-10 * top
        if (~positive).any():
            inverse = np.where(penalty > 0, 1.0 / np.where(penalty > 0, penalty, 1.0), 0.0)
            self._parts.append((np.flatnonzero(~positive), inverse))
        rest = np.flatnonzero(positive)
        while len(rest):
            group = rest[values[rest] <= values[rest[0]] * (1 + grain)]
            H = S * np.exp(np.log(values[group]).mean())
            H[np.diag_indices_from(H)] += penalty
            self._parts.append((group, Whole(H)))
            rest = rest[len(group) :]

    def solve(self, g: np.ndarray) -> np.ndarray:
        G = self._vectors.T @ g.reshape(-1, self._width)
        out = np.empty_like(G)
        for rows, part in self._parts:
            for k in rows:
                out[k] = part.solve(G[k]) if isinstance(part, Whole) else G[k] * part
        return (self._vectors @ out).ravel()


class Diagonal:
    def __init__(self, H: np.ndarray) -> None:
        self._inverse = np.where(H > 0, 1.0 / np.where(H > 0, H, 1.0), 0.0)

    def solve(self, g: np.ndarray) -> np.ndarray:
        return self._inverse * g
