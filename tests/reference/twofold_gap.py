"""The gap of least-squares coefficients in twice the precision, written with NumPy: twin of native twofold_gap."""

from __future__ import annotations

import numpy as np

from surefit._core.arithmetic import two_product, two_sum
from surefit.solvers.numerics import twofold
from surefit.solvers.numerics.twofold import Twofold


def gap(X, Y, omega, center, scale, w, b):
    """g and g₀ as `Twofold`, and Σ ω r²; w and b are `Twofold`."""
    n, d = X.shape
    # Scaling by a power of two is exact, and two_sum keeps what the subtraction rounds away.
    A = Twofold(*two_sum(X * scale[:d], np.broadcast_to(-center[:d] * scale[:d], X.shape)))
    targets = Y.shape[1]
    g, g0, residual_ss = twofold.zeros((targets, d)), twofold.zeros(targets), np.zeros(targets)
    for k in range(targets):
        shifted = two_sum(Y[:, k] * scale[d + k], np.broadcast_to(-center[d + k] * scale[d + k], n))
        r = twofold.add(Twofold(*shifted), Twofold(*(np.broadcast_to(-part[k], n) for part in b)))
        terms = twofold.multiply(A, Twofold(-w.high[k], -w.low[k]))
        r = twofold.add(r, twofold.sum_rows(Twofold(terms.high.T, terms.low.T)))
        p, e = two_product(r.high, omega)
        weighted = Twofold(*two_sum(p, e + r.low * omega))
        column = Twofold(weighted.high[:, None], weighted.low[:, None])
        g.high[k], g.low[k] = twofold.sum_rows(twofold.multiply(A, column))
        g0.high[k], g0.low[k] = (part[0] for part in twofold.sum_rows(column))
        residual_ss[k] = weighted.value @ r.value
    return g, g0, residual_ss
