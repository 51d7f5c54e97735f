"""Mean and variance of every class and column, with bounds for their rounding.

With any rough means m, N = Σω, s = Σω(x − m)/N and q = Σω(x − m)²/N, the mean is m + s and the variance q − s². The
differences x − m are rounded once and relative to themselves, so an offset costs no digits: s is known to γ √q
(Σω|x − m|/N ≤ √q by Cauchy and Schwarz) and the variance to γ(q + s²), γ that of n + 8 operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefit.certificates.blocks import F64, BadData, Blocks
from surefit.certificates.claim import gamma
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled


@dataclass
class Spread:
    classes: F64  # Σω of every class
    weight: F64  # Σω of the entries that are there, (K, d)
    base: F64  # m
    shift: F64  # s: the mean is base + shift
    shift_error: F64
    variance: F64
    variance_error: F64


def class_spread(
    blocks: Blocks,
    n_classes: int,
    columns: NDArray[np.intp] | None = None,
    *,
    missing: bool = False,
    merged: bool = False,
    weighted: bool = True,
) -> Spread:
    """Two passes. `merged`: all rows are one class; not `weighted`: each counts once; `missing`: NaN is left out."""
    k, d = 1 if merged else n_classes, blocks.n_features if columns is None else len(columns)
    classes, base, q = np.zeros(k), np.zeros((k, d)), np.zeros((k, d))
    weight, shift = np.zeros((k, d)), np.zeros((k, d))
    for exact in (False, True):
        weight, shift = np.zeros((k, d)), np.zeros((k, d))
        for block in labelled(blocks, n_classes, missing):
            for A, code, omega in block.slices():
                A = A if columns is None else A[:, columns]
                code = np.zeros_like(code) if merged else code
                omega = omega if weighted else np.ones_like(omega)
                there = ~np.isnan(A)
                D = np.where(there, A - base[code], 0.0)
                weight += class_sums(there.astype(np.float64), code, omega, k)
                shift += class_sums(D, code, omega, k)
                if exact:
                    q += class_sums(D * D, code, omega, k)
                    classes += np.bincount(code, weights=omega, minlength=k)
        shift /= np.where(weight > 0, weight, 1.0)
        base = base if exact else shift
    q /= np.where(weight > 0, weight, 1.0)
    if not (np.isfinite(q).all() and np.isfinite(base).all()):
        raise BadData("sums over the data overflow")
    g = gamma(blocks.n_rows + 8)
    return Spread(classes, weight, base, shift, g * np.sqrt(q), np.maximum(q - shift**2, 0.0), g * (q + shift**2))
