"""Null vectors of a Laplacian or of (I − W)ᵀ(I − W): one for each component of the graph, known beforehand.

Of c null vectors N an embedding leaves out one, that of the constants; its other columns have right angles to N. So
‖NᵀU‖² is c − 1 (or the number of columns), or less where as many columns are null vectors that are not known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.spectral.pairs import MOST_EXCUSED, Pairs, orthonormal_claim, outermost_claim


def null_vectors(component: NDArray, values: F64) -> F64:
    """The values on each component 0, 1, …, zero elsewhere, of length one."""
    N = np.where(component[:, None] == np.arange(component.max() + 1), values[:, None], 0.0)
    return N / np.linalg.norm(N, axis=0)


def bottom_claims(pairs: Pairs, N: F64, tol: float, most: float = 0.0) -> list[Claim]:
    """Right angles, all null vectors but one, rising eigenvalues, none smaller at right angles to N and the columns."""
    c, lam, last = N.shape[1], np.abs(pairs.lam), int(pairs.lam.argmax())
    zeros, held = min(len(lam), c - 1), float(((N.T @ pairs.U) ** 2).sum())
    fall = float(((np.maximum.accumulate(pairs.lam) - pairs.lam) / pairs.unit - pairs.excuse).max())
    short = (zeros - held) * (np.count_nonzero(lam <= pairs.rounding) < zeros)
    mixed = pairs.rounding / np.maximum(np.sort(lam)[zeros:], 1e-300)  # null vectors in a column, by rounding
    together = replace(pairs, U=np.hstack([N, pairs.U]), lam=np.append(np.zeros(c), pairs.lam))
    return [
        orthonormal_claim(pairs, tol),
        at_most(
            "components", f"Each of {c} connected components has a vector of eigenvalue zero; the columns hold {zeros} "
            "of these, measured by squares; difference.",
            Grade.EXACT, max(held - zeros, short), max(tol, pairs.loose), error=gamma(4 * len(N)) * len(lam),
            excuse=min(MOST_EXCUSED, float((mixed**2).sum())),
            failure=f"The columns hold {held:.3g} of the vectors of eigenvalue zero, expected {zeros}.",
        ),
        at_most(
            "order", "The columns come by rising eigenvalue; largest fall beyond rounding, as a share.",
            Grade.EXACT, max(0.0, fall), max(tol, pairs.loose),
        ),
        outermost_claim(together, tol, smallest=True, last=float(pairs.lam[last]), unit=float(pairs.unit[last]),
                        excuse=float(pairs.excuse[last]), most=most),
    ]  # fmt: skip
