"""The proof that no hyperplane separates two classes: a weighted mean of one is a weighted mean of the other.

φ ≥ 0 ,   Σ φᵢ = 1 ,   Σ φᵢ σᵢ xᵢ = 0 ,   Σ φᵢ σᵢ = 0  (with an intercept)
"""

from __future__ import annotations

import numpy as np

from surefit.solvers.margin.signed_rows import SignedRows

DUST = 1e-12
"""Numbers of the dual below this part of the largest may be rounding."""

BALANCED = 1e-9
"""Σ φᵢ σᵢ xᵢ counts as zero below this part of Σ φᵢ |xᵢ|, column by column."""


def farkas_vector(dual: np.ndarray, rows: SignedRows, w: np.ndarray) -> np.ndarray | None:
    """φ = a / Σ a; None where the program found no violation, or rounding leaves nothing proved.

    Where several vertices of the dual coincide, a holds numbers that are zero but for rounding: without them is tried
    too, and what balances better is taken. 1/Σ a is cut to 48 bits: its product with small whole weights is then exact,
    so that most rows, whose dual is at its bound, add no rounding to Σ φᵢ σᵢ xᵢ = 0.
    """
    best, least = None, BALANCED
    for a in (dual, np.where(dual > DUST * dual.max(initial=0.0), dual, 0.0)):
        total = float(a.sum())
        if not total > 0:
            continue
        part, exponent = np.frexp(1.0 / total)
        phi = a * float(np.ldexp(np.round(np.ldexp(part, 48)), int(exponent) - 48))
        left = rows.imbalance(phi, w)
        if left < least:
            best, least = phi, left
    return best
