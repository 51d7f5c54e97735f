"""What every route to principal axes ends with: a full basis, and signs that do not depend on the route."""

from __future__ import annotations

import numpy as np

NEAR_TIE = 1e-8
ENOUGH_ROOM = 0.37


def complete_basis(V: np.ndarray, n_good: int) -> None:
    """Fill the rows V[n_good:] so that all rows are orthonormal; the first n_good are so already.

    Directions in which the data does not vary are not determined by it. To be the same for every route, and for a
    weighted row as for a repeated one, they are a function of the space that the first rows span alone: the unit
    vectors e₀, e₁, … less their part in the span, each taken if enough of it is left. The squared lengths of what is
    left of all e_j add up to d − i when i rows are filled, so one of them has at least (d − i)/d.
    """
    k, d = V.shape
    if n_good >= k:
        return
    in_span = np.einsum("ij,ij->j", V[:n_good], V[:n_good])
    for i in range(n_good, k):
        j = int(np.argmax(1.0 - in_span >= ENOUGH_ROOM * (d - i) / d))
        v = -(V[:i, j] @ V[:i])
        v[j] += 1.0
        for _ in range(2):
            v -= (V[:i] @ v) @ V[:i]
            v /= np.linalg.norm(v)
        V[i] = v
        in_span += v * v


def fix_signs(V: np.ndarray) -> None:
    """Turn each row so that its entry of largest size is positive; among equals, to rounding, the first decides."""
    for v in V:
        size = np.abs(v)
        j = int(size.argmax())
        j = int((size[: j + 1] >= size[j] * (1.0 - NEAR_TIE)).argmax())
        if v[j] < 0:
            np.negative(v, out=v)


def orthonormalize(V: np.ndarray) -> None:
    """Rows that are nearly orthonormal are made so, each by what stands before it: V Vᵀ = L Lᵀ, V ← L⁻¹ V.

    In order, as Gram and Schmidt have it, because the first rows are the most accurate ones: a symmetric correction
    would share the errors of the last with them.
    """
    L = np.linalg.cholesky(V @ V.T)
    V[:] = np.linalg.inv(L) @ V
