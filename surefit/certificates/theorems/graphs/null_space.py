"""Null vectors of a Laplacian or of (I − W)ᵀ(I − W): one for each component of the graph, known beforehand.

With c components the first c − 1 columns of an embedding only tell these from each other: they are null vectors too.
The null vectors N and the columns after them are eigenvectors at right angles.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim
from surefit.certificates.theorems.spectral.pairs import MOST_EXCUSED, Pairs, orthonormal_claim, outermost_claim


def null_vectors(component: NDArray, values: F64) -> F64:
    """The values on each component 0, 1, …, zero elsewhere, of length one."""
    N = np.where(component[:, None] == np.arange(component.max() + 1), values[:, None], 0.0)
    return N / np.linalg.norm(N, axis=0)


def bottom_claims(pairs: Pairs, N: F64, tol: float, most: float = 0.0) -> list[Claim]:
    """Right angles, also to the null vectors, and no smaller eigenvalue.

    Rounding mixes null vectors with a column of eigenvalue λ by its share of λ.
    """
    c = N.shape[1]
    zeros = min(len(pairs.lam), c - 1)
    lam = np.append(np.zeros(c), pairs.lam[zeros:])
    bottom = replace(pairs, U=np.hstack([N, pairs.U[:, zeros:]]), lam=lam)
    named = replace(bottom, name=f"{pairs.name} and its null vectors, one for each of {c} connected components,")
    least, last = float(np.abs(lam[c:]).min(initial=np.inf)), int(pairs.lam.argmax())
    mixing = min(MOST_EXCUSED, pairs.rounding / least) if least > 0 else MOST_EXCUSED
    unit, excuse = float(pairs.unit[last]), float(pairs.excuse[last])
    return [
        orthonormal_claim(pairs, tol),
        orthonormal_claim(named, tol, 1.0, "components", mixing),
        outermost_claim(bottom, tol, smallest=True, last=float(lam.max()), unit=unit, excuse=excuse, most=most),
    ]
