"""Principal components in feature space: leading eigenpairs of the centered Gram matrix.

    √ω K_c √ω v = λ v          aᵢ = vᵢ/√ωᵢ          the projection of xᵢ on the component is  √λ aᵢ

so Σ ωᵢ aᵢ² = 1 and Σ ωᵢ aᵢ = 0: rows of weight two have the a of two equal rows. Few components of many rows are found
by Lanczos in blocks, others by LAPACK. New points are projected with α = ω a/√λ:

    Σᵢ K_c(x, xᵢ) αᵢ  =  Σᵢ k(x, xᵢ) αᵢ − Σᵢ r(xᵢ) αᵢ          r(x) the mean of k(x, xⱼ); the rest vanishes as Σ αᵢ = 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from surefit._core.errors import InvalidData
from surefit.solvers.numerics.eigen_basis import fix_signs
from surefit.solvers.spectral.block_lanczos import Leading, block_lanczos
from surefit.solvers.spectral.centered_gram import CenteredGram

FEW_ROWS = 500
"""Up to this size LAPACK is quicker."""
SHARE = 20
"""More than this part of all components is left to LAPACK."""
PASSES = 300
# What scikit-learn's kernel PCA calls zero or negative, in double and in single precision.
ZERO = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 2e-7}
NEGATIVE = {np.dtype(np.float64): (1e-5, 1e-10), np.dtype(np.float32): (5e-3, 1e-6)}


class Components(NamedTuple):
    values: np.ndarray
    """λ, largest first; those that are rounding are zero."""
    a: np.ndarray
    """(rows, components)"""
    rel_residual: float
    """The largest ‖A v − λ v‖ that was left, relative to the largest λ; zero for LAPACK."""
    converged: bool


def kernel_components(
    gram: CenteredGram, k: int, *, iterate: bool | None, tol: float, max_iter: int | None, dtype: np.dtype
) -> Components:
    """The k leading components. `iterate`: by Lanczos, or not; None chooses."""
    n = gram.n
    if iterate is None:
        iterate = n > FEW_ROWS and k * SHARE <= n
    found = None
    if iterate:
        stream = np.random.default_rng(0)
        found = block_lanczos(gram.apply, n, k, tol=tol, max_passes=max_iter or PASSES, stream=stream)
    if found is None or (not found.converged and max_iter is None):
        found = _by_lapack(gram, k)
    values = judged(found.values, dtype)
    a = np.ascontiguousarray((found.vectors / gram.root[:, None]).T)
    fix_signs(a)
    largest = float(values.max(initial=0.0))
    residual = float(found.residuals.max(initial=0.0)) / largest if largest > 0 else 0.0
    return Components(values, a.T, residual, found.converged)


def _by_lapack(gram: CenteredGram, k: int) -> Leading:
    n = gram.n
    values, V = scipy.linalg.eigh(gram.centered(), subset_by_index=(n - k, n - 1), check_finite=False)
    return Leading(values[::-1], V[:, ::-1], np.zeros(k), 0, True)


def judged(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Eigenvalues that are rounding become zero; an error where some are negative beyond it."""
    largest, smallest = float(values.max(initial=0.0)), float(values.min(initial=0.0))
    share, size = NEGATIVE[dtype]
    what_to_do = (
        "The kernel is not positive semidefinite on these rows, so there is no feature space whose components these "
        "could be. Ask for fewer components (those with positive eigenvalues), or take a kernel that is: for the "
        "polynomial one gamma ≥ 0 and coef0 ≥ 0, in place of the sigmoid the Gaussian ('rbf')."
    )
    if len(values) and values.max() < 0 and -smallest > size:
        raise InvalidData(f"All eigenvalues are negative (maximum is {values.max():g}). {what_to_do}")
    if -smallest > max(share * largest, size):
        raise InvalidData(
            f"There are significant negative eigenvalues ({-smallest / largest if largest else np.inf:g} of the "
            f"maximum positive). {what_to_do}"
        )
    return np.where(values <= ZERO[dtype] * largest, 0.0, values)
