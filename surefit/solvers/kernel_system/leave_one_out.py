"""Leave-one-out errors of kernel ridge regression in closed form, for a whole path of penalties.

With (A + αI) c = W^½ y and G = (A + αI)⁻¹ the fit without row i misses it by

    yᵢ − f₋ᵢ(xᵢ) = cᵢ / (Gᵢᵢ √ωᵢ) .

One decomposition of A serves all penalties. A row of weight ω is left out as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from surefit.solvers.kernel_system.path import inverse_diagonals, penalty_path, solve_each
from surefit.solvers.kernel_system.system import KernelSystem


class LeftOut(NamedTuple):
    """For n rows, t targets and A penalties."""

    errors: np.ndarray
    """yᵢ − f₋ᵢ(xᵢ), (n, t, A)"""
    coefficients: np.ndarray
    """a of all rows, (n, t, A)"""


def leave_one_out(system: KernelSystem, alphas: np.ndarray, Y: np.ndarray) -> LeftOut:
    """The errors of every row for every penalty; Y (n, t) are the targets themselves."""
    path = penalty_path(system, alphas)
    c = solve_each(path, alphas, system.scaled(Y))
    errors = c / inverse_diagonals(path, alphas).T[:, None, :]
    if system.roots is not None:
        errors /= system.roots[:, None, None]
        c *= system.roots[:, None, None]
    return LeftOut(errors, c)
