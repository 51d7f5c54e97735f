"""Score and curvature of a function of a few parameters by differences, in natural units.

Each parameter is measured in units in which the function bends by about one (for a log-likelihood: its standard error
with the others known). There central differences with Richardson's extrapolation lose hardly a digit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Function = Callable[[NDArray], float]
STEP = 0.05
UNSMOOTH = 0.05
"""A relative difference of second differences beyond this is a kink, not a curvature."""


def natural_units(f: Function, theta: NDArray, first: NDArray) -> NDArray[np.float64]:
    """1/√(−∂²f/∂θⱼ²), by a difference over the steps `first`; `first` where f does not bend down there."""
    here, units = f(theta), first.copy()
    for j, h in enumerate(first):
        up, down = theta.copy(), theta.copy()
        up[j] += h
        down[j] -= h
        bend = (2 * here - f(up) - f(down)) / h**2
        if np.isfinite(bend) and bend > 0:
            units[j] = min(bend**-0.5, 100 * h)
    return units


def score_and_hessian(f: Function, theta: NDArray, units: NDArray) -> tuple[NDArray, NDArray, bool]:
    """Gradient and Hessian of z ↦ f(θ + units·z) at z = 0, and whether f is smooth there.

    Not finite where f is not, beside θ. Smooth: second differences over two widths agree.
    """
    k, here = len(theta), f(theta)

    def at(*moves: tuple[int, float]) -> float:
        z = np.zeros(k)
        for j, step in moves:
            z[j] += step
        return f(theta + units * z)

    score, hessian, smooth = np.empty(k), np.empty((k, k)), True
    with np.errstate(invalid="ignore"):
        for j in range(k):
            near, far = (at((j, STEP)), at((j, -STEP))), (at((j, 2 * STEP)), at((j, -2 * STEP)))
            score[j] = (4 * (near[0] - near[1]) / (2 * STEP) - (far[0] - far[1]) / (4 * STEP)) / 3
            narrow, wide = ((a - 2 * here + b) / h**2 for (a, b), h in ((near, STEP), (far, 2 * STEP)))
            hessian[j, j] = (4 * narrow - wide) / 3
            smooth = bool(smooth and abs(narrow - wide) <= UNSMOOTH * abs(wide))
            for i in range(j):
                both = at((i, STEP), (j, STEP)) + at((i, -STEP), (j, -STEP))
                cross = at((i, STEP), (j, -STEP)) + at((i, -STEP), (j, STEP))
                hessian[i, j] = hessian[j, i] = (both - cross) / (4 * STEP**2)
    return score, hessian, smooth
