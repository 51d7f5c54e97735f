"""Mean and variance of every class and column, with bounds for their rounding.

With any rough means m, N = Σω, s = Σω(x − m)/N and q = Σω(x − m)²/N, the mean is m + s and the variance q − s². The
differences x − m are rounded once and relative to themselves, so an offset costs no digits: s is known to γ √q
(Σω|x − m|/N ≤ √q by Cauchy and Schwarz) and the variance to γ(q + s²), γ that of n + 8 operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.rounding import gamma
from surefit.certificates.theorems.class_statistics.labelled import class_sums, labelled


@dataclass
class Spread:
    classes: F64  # Σω of every class
    base: F64  # m
    shift: F64  # s: the mean is base + shift, or zero where no entry is there
    shift_error: F64
    variance: F64
    variance_error: F64


def class_spread(blocks: Blocks, n_classes: int, missing: bool = False, together: bool = False) -> Spread:
    """Two passes; where values may be missing, NaN is left out. `together` takes all rows as one class."""
    k, d = 1 if together else n_classes, blocks.n_features
    classes, base, shift, q = np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), np.zeros((k, d))
    for _ in range(2):
        base, shift, q, weight, classes = base + shift, 0.0 * base, 0.0 * base, 0.0 * base, 0.0 * classes
        for X, label, omega in labelled(blocks, n_classes, missing):
            code = 0 * label if together else label
            D = dense(X) - base[code]
            there = ~np.isnan(D)
            D = np.where(there, D, 0.0)
            classes += np.bincount(code, weights=omega, minlength=k)
            weight += class_sums(there.astype(np.float64), code, omega, k)
            shift += class_sums(D, code, omega, k)
            q += class_sums(D * D, code, omega, k)
        weight = np.where(weight > 0, weight, 1.0)
        shift, q = shift / weight, q / weight
    g = gamma(blocks.n_rows + 8)
    return Spread(classes, base, shift, g * np.sqrt(q), np.maximum(q - shift**2, 0.0), g * (q + shift**2))
