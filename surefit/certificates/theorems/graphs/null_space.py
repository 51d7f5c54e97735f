"""Null vectors of a Laplacian or of (I − W)ᵀ(I − W): one for each component of the graph, known beforehand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.pairs import Pairs, orthonormal_claim


def null_vectors(component: NDArray, values: F64) -> F64:
    """The values on each component, zero elsewhere, of length one. component: any number for each vertex."""
    _, part = np.unique(component, return_inverse=True)
    N = np.zeros((len(part), int(part.max(initial=0)) + 1))
    N[np.arange(len(part)), part] = values
    return N / np.linalg.norm(N, axis=0)


def joined(pairs: Pairs, N: F64) -> Pairs:
    """The null vectors with the columns that belong to other eigenvalues: of c zeros the first is dropped."""
    zeros = min(pairs.U.shape[1], N.shape[1] - 1)
    U, lam = np.hstack([N, pairs.U[:, zeros:]]), np.append(np.zeros(N.shape[1]), pairs.lam[zeros:])
    return Pairs(U, lam, np.ones(lam.size), np.zeros(lam.size), pairs.eps, pairs.loose)


def null_claim(pairs: Pairs, N: F64, tol: float, rounding: float) -> Claim:
    """The columns of the eigenvalue 0 are null vectors.

    rounding  what the model's precision leaves open of the matrix: it mixes these with small eigenvalues
    """
    count, zeros = N.shape[1], min(pairs.U.shape[1], N.shape[1] - 1)
    U, rest = pairs.U[:, :zeros], pairs.lam[zeros:]
    if count == 1:
        return Claim("components", "The graph is connected.", Grade.EXACT, 1, None, True)
    off = float(np.abs(U - N @ (N.T @ U)).max(initial=0.0))
    return at_most(
        "components",
        f"The graph has {count} connected components, and the first {zeros} columns only tell these from each other "
        "(more neighbors, or a wider kernel, join them); how far a column is from being a null vector.",
        Grade.EXACT, off, max(tol, pairs.loose), error=gamma(len(N) + 8), excuse=_mixing(rest, rounding),
        failure=f"The graph has {count} connected components, but the first {zeros} columns are not null vectors: off "
        f"by {off:.2g}. More neighbors, or a wider kernel, join the components.",
    )  # fmt: skip


def only_null(pairs: Pairs, N: F64) -> Claim | None:
    """Where all columns are null vectors of a matrix ≥ 0 no eigenvalue is smaller; None where some are not."""
    if pairs.U.shape[1] > N.shape[1] - 1:
        return None
    sentence = "No eigenvalue is smaller than zero, that of all columns."
    return at_most("smallest", sentence, Grade.OPTIMAL, 0.0, 0.0)


def right_angles_claim(pairs: Pairs, N: F64, tol: float, rounding: float) -> Claim:
    """UᵀU = I, and right angles to the null vectors."""
    limit, both = max(tol, pairs.loose), joined(pairs, N)
    own = orthonormal_claim(pairs.U, pairs.eps, limit)
    mixing = _mixing(both.lam[N.shape[1] :], rounding)
    return own if not own.holds else orthonormal_claim(both.U, pairs.eps, limit, mixing)


def _mixing(lam: F64, rounding: float) -> float:
    """A change of the matrix by `rounding` turns a null vector by at most that over the smallest other eigenvalue."""
    least = float(np.abs(lam).min(initial=np.inf))
    return min(0.5, rounding / least) if least > 0 else 0.5
