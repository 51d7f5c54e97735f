"""Null vectors of a Laplacian or of (I − W)ᵀ(I − W): one for each component of the graph, known beforehand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.pairs import MOST_EXCUSED, ROUNDINGS, Pairs


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
    """With c components the first c − 1 columns are null vectors, and the others have right angles to all of these.

    rounding  what the model's precision leaves open of the matrix: over the smallest eigenvalue it mixes the two
    """
    (n, count), k = N.shape, pairs.U.shape[1]
    zeros = min(k, count - 1)
    inside = N @ (N.T @ pairs.U) - np.where(np.arange(k) < zeros, pairs.U, 0.0)
    off, least = float(np.linalg.norm(inside, axis=0).max()), float(np.abs(pairs.lam[zeros:]).min(initial=np.inf))
    mixing = min(MOST_EXCUSED, rounding / least) if least > 0 else MOST_EXCUSED
    what = f"The graph has {count} connected components: the first {zeros} columns only tell these from each other "
    what += "(more neighbors, or a wider kernel, join them), and the others"
    return at_most(
        "components",
        f"{'The graph is connected: the columns' if count == 1 else what} add up to zero on each component, in the "
        "weights of the matrix; how far a column is from that.",
        Grade.EXACT, off, max(tol, pairs.loose), error=gamma(len(N) + 8),
        excuse=mixing + ROUNDINGS * pairs.eps * np.sqrt(n),
        failure=f"The graph has {count} connected components, but the first {zeros} columns are not those that tell "
        f"these from each other, or other columns do not add up to zero on each: off by {off:.2g}.",
    )  # fmt: skip
