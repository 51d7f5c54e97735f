"""Coordinate descent on a quadratic function with an L1 penalty, in plain Python: what the compiled sweeps do."""

from __future__ import annotations

import numpy as np


def sweeps(H: np.ndarray, r: np.ndarray, z: np.ndarray, t: np.ndarray, most: int, quiet: int) -> int:
    """The best value of each entry in turn; r and z are changed in place."""
    calm = done = 0
    while done < most and calm < quiet:
        settled = True
        for j in range(len(z)):
            aim = H[j, j] * z[j] - r[j]
            new = np.sign(aim) * max(abs(aim) - t[j], 0.0) / H[j, j]
            settled = settled and bool(new == z[j] or t[j] == 0 or new * z[j] > 0)
            r += (new - z[j]) * H[j]
            z[j] = new
        done += 1
        calm = calm + 1 if settled else 0
    return done
