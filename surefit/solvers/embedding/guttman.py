"""Stress and its majorizer (de Leeuw, 1977).

    σ(X) = Σ_{i<j} w_ij (δ_ij − d_ij)²          d_ij = ‖x_i − x_j‖

Since ‖x‖‖y‖ ≥ x·y, for every Y:   σ(X) ≤ c + tr XᵀVX − 2 tr XᵀB(Y)Y   with equality at X = Y,  where V is the Laplacian
of the weights and (B(Y)Y)_i = Σ_j w_ij (δ_ij/d_ij(Y)) (y_i − y_j). The least of the right side is the Guttman transform

    Γ(Y) = V⁺ B(Y) Y       so      σ(Γ(Y)) ≤ σ(Y) − ‖Y − Γ(Y)‖²_V

and V⁺ is 1/n on centered configurations when all weights are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from surefit import _native
from surefit._core.arithmetic import power_of_two
from surefit._core.errors import InvalidData
from surefit._core.memory import refuse_beyond_memory
from surefit._core.threads import thread_count
from surefit.graphs import connected_components
from surefit.solvers.embedding.disparities import MonotoneRegression
from surefit.solvers.embedding.dissimilarities import condensed


class Look(NamedTuple):
    """A configuration as SMACOF sees it."""

    X: np.ndarray
    stress: float
    sq_dist: float
    """Σ w d²"""
    transform: np.ndarray
    """Γ(X)"""
    gain: float
    """‖X − Γ(X)‖²_V: the stress falls at least so much in one step."""


class Stress:
    """σ for dissimilarities δ (n × n) and weights (n × n or None); with `nonmetric`, of the best disparities for δ."""

    def __init__(
        self, D: np.ndarray, weights: np.ndarray | None = None, nonmetric: bool = False, n_jobs: int | None = None
    ) -> None:
        self.n = len(D)
        self._threads = thread_count(n_jobs)
        refuse_beyond_memory(
            8.0 * self.n**2 * (0.5 + nonmetric + 1.5 * (weights is not None)),
            f"SMACOF with all pairs of {self.n} rows",
            "Use ClassicalMDS with `landmarks`, or a sample of the rows.",
        )
        self.delta = condensed(D)
        self.unit = 1.0 if nonmetric else power_of_two(float(self.delta.max(initial=0.0)))
        """δ and configurations are divided by this power of two; the size of disparities is their own."""
        if not nonmetric:
            self.delta /= self.unit
        self._w = None if weights is None else condensed(weights)
        self._factor = None if weights is None else _laplacian_factor(weights)
        self._weights = weights
        self._regression = MonotoneRegression(self.delta, self._w) if nonmetric else None
        self.restart()

    def restart(self) -> None:
        """Forget the disparities of an earlier run."""
        if self._regression is not None:
            self.delta = self._regression.start

    def look(self, X: np.ndarray, *, first: bool = False) -> Look:
        """`first`: there are no disparities yet but the dissimilarities."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        G = np.empty_like(X)
        if self._regression is not None and not first:
            distances = np.empty_like(self.delta)
            _native.smacof_look(X, self.delta, self._w, distances, G, self._threads)
            self.delta = self._regression.of(distances)
        stress, sq_dist = _native.smacof_look(X, self.delta, self._w, None, G, self._threads)
        transform = self._transform(G)
        return Look(X, stress, sq_dist, transform, self._sq_norm(X - transform))

    def _transform(self, G: np.ndarray) -> np.ndarray:
        return G / self.n if self._factor is None else scipy.linalg.cho_solve(self._factor, G, check_finite=False)

    def _sq_norm(self, step: np.ndarray) -> float:
        """tr SᵀVS, of a step that may move the mean."""
        if self._weights is None:
            step = step - step.mean(axis=0)
            return self.n * float(np.einsum("ij,ij->", step, step))
        return float(np.einsum("ij,ij->", step, self._weights.sum(axis=1)[:, None] * step - self._weights @ step))


def _laplacian_factor(weights: np.ndarray) -> tuple[np.ndarray, bool]:
    """Cholesky's factor of V + s 11ᵀ, which has the same inverse as V on centered configurations."""
    n = len(weights)
    count, _ = connected_components(weights)
    if count > 1:
        raise InvalidData(
            f"the pairs of positive weight join the rows into {count} groups, and no pair says how these lie to each "
            "other. Give weight to pairs between them, or scale each group by itself."
        )
    V = np.diag(weights.sum(axis=1)) - weights
    V += V.trace() / n**2
    return scipy.linalg.cho_factor(V, overwrite_a=True, check_finite=False)
