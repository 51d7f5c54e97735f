"""Is there a direction that separates the classes? Then no maximum of the likelihood exists.

A direction v (with an intercept) separates when no row is on the wrong side of another class, and some row is strictly
on the right side of one:

    (v_k − v_j)·x̃ ≥ 0  for every row x̃ of class k and every class j ≠ k,  and  > 0  somewhere.

Along it the likelihood grows for ever. With L the leads, one row for each row of the data and each other class, it is
the shortest vector v = Lᵀφ with φ ≥ 1, by non-negative least squares: there Lv ≥ 0, (φ − 1)·Lv = 0 and v·v = Σ Lv, so
v ≠ 0 separates, and v = 0 shows by φ > 0 that nothing does (Stiemke). Its zeros are then made exact to rounding by a
projection.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from surefit.engine.sources.block import target_columns
from surefit.engine.sources.source import MemorySource, Source

ZERO = 1e-9
"""Share of the sizes added up below which a sum is taken for zero; and a lead, of logits, that is none."""
NOISE = 1e-12
"""Share of the largest number of a direction, for columns of one size, below which another is rounding."""
MOST = 5_000_000
"""Numbers in the leads up to which a direction is looked for."""


def separating_direction(data: Source, m: int, fit_intercept: bool) -> np.ndarray | None:
    """A direction (m, d[+1]) that separates, or None: there is none, or the data is too large to ask."""
    leads = _leads_of(data, m, fit_intercept)
    v = None if leads is None else _direction(leads)
    return None if v is None else v.reshape(m, -1)


def _direction(leads: np.ndarray) -> np.ndarray | None:
    """v with Lv ≥ 0 and > 0 somewhere, its largest number one; None where there is none."""
    scale = np.abs(leads).max(axis=0, initial=0.0)
    scale[scale == 0] = 1.0
    unit = leads / scale
    unit /= np.maximum(np.abs(unit).max(axis=1, keepdims=True), 1e-300)
    v = _shortest(unit)
    if v is None:
        return None
    v = _exact_zeros(unit, v)
    margins = unit @ v
    if margins.min() < -1e-9 * np.abs(v).sum() or margins.max() <= 1e-7:
        return None
    v = np.where(np.abs(v) > NOISE * np.abs(v).max(), v, 0.0) / scale
    return v / np.abs(v).max()


def tied_rows(data: Source, v: np.ndarray, fit_intercept: bool) -> MemorySource | None:
    """The rows that v leaves where they are, if they have all classes.

    None without any, where v parts some of a row's classes only, or where the rows are not at hand.
    """
    leads, m = _leads_of(data, len(v), fit_intercept), len(v)
    if leads is None or data.y is None:
        return None
    w = np.ones(data.n_rows) if data.w is None else data.w
    counted = np.flatnonzero(w > 0)
    codes = target_columns(data.y)[counted, 0].astype(np.intp)
    owner = np.concatenate([np.flatnonzero(codes != other) for other in range(m)]) if m > 1 else np.arange(len(codes))
    tied = np.bincount(owner, _left(leads, v.ravel()), minlength=len(codes))
    if ((tied > 0) & (tied < max(m - 1, 1))).any() or len(np.unique(codes[tied > 0])) < max(m, 2):
        return None
    rows = counted[tied > 0]
    return MemorySource(data.X[rows], data.y[rows], w[rows])


def moved_along(data: Source, v: np.ndarray, theta: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """θ moved along v, with every row that can be brought to its side leading by one there. No loss rises.

    Rows that v leaves where they are may be separated by a second direction, and so on. The last direction goes
    first: the earlier ones do not move its rows.
    """
    leads = _leads_of(data, len(v), fit_intercept)
    return theta if leads is None else _moved(leads, v.ravel(), theta.ravel()).reshape(theta.shape)


def _moved(leads: np.ndarray, v: np.ndarray, theta: np.ndarray) -> np.ndarray:
    along, left = leads @ v, _left(leads, v)
    following = _direction(leads[left]) if left.any() else None
    if following is not None:
        theta = _moved(leads[left], following, theta)
    now = leads @ theta
    behind = (now <= ZERO) & ~left
    return theta + ((1.0 - now[behind]) / along[behind]).max(initial=0.0) * v


def _left(leads: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Which leads v does not change."""
    return leads @ v <= ZERO * np.abs(leads) @ np.abs(v)


def _leads_of(data: Source, m: int, fit_intercept: bool) -> np.ndarray | None:
    """The leads of all rows that weigh something; None where they are not at hand, or too many."""
    if not data.resident:
        return None
    counted = np.ones(data.n_rows, dtype=bool) if data.w is None else data.w > 0
    X = data.X[counted].toarray() if sp.issparse(data.X) else data.X[counted]
    codes = target_columns(data.y)[counted, 0].astype(np.intp)
    X = np.asarray(X, dtype=np.float64)
    rows = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    return None if rows.size * (max(m, 2) - 1) * min(m, 2) > MOST else _leads(rows, codes, m)


def _shortest(L: np.ndarray) -> np.ndarray | None:
    """Lᵀφ of least length with φ ≥ 1, its largest number one; None where it is zero to rounding, or not found."""
    total = L.sum(axis=0)
    try:
        above, _ = nnls(L.T, -total, maxiter=30 * L.shape[1] + 300)
    except RuntimeError:  # nearly dependent rows: nothing is claimed
        return None
    v = total + L.T @ above
    size = float(np.abs(v).max())
    rounding = ZERO * float((np.abs(L).T @ (1.0 + above)).max())
    return v / size if size > rounding else None


def _leads(rows: np.ndarray, codes: np.ndarray, m: int) -> np.ndarray:
    """One row for each row of the data and each other class: its product with v (flattened) is the lead."""
    if m == 1:
        return np.where(codes == 1, 1.0, -1.0)[:, None] * rows
    width = rows.shape[1]
    blocks = []
    for other in range(m):
        picked = np.flatnonzero(codes != other)
        block = np.zeros((len(picked), m, width))
        block[np.arange(len(picked)), codes[picked]] = rows[picked]
        block[:, other] = -rows[picked]
        blocks.append(block.reshape(len(picked), m * width))
    return np.vstack(blocks)


def _exact_zeros(unit: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v projected on the directions that leave the rows of (nearly) no lead where they are."""
    ties = unit[np.abs(unit @ v) <= 1e-7 * np.abs(v).max()]
    if not len(ties):
        return v
    _, values, vectors = np.linalg.svd(ties.T @ ties)
    basis = vectors[values > 1e-12 * max(values[0], 1e-300)]
    for _ in range(2):
        v = v - basis.T @ (basis @ v)
    return v
