"""How far a linear fit is from the least value of  f(w, b) = Σ ωᵢ (yᵢ − xᵢ·w − b)² + α ‖w‖² , per target.

With the notation of `least_squares`, stack √α I under A and −√α w under r: f = ‖r‖², and by Pythagoras
f(w) − f* = ‖P r‖², P the projection on the columns. Signs: the half gradient is −Aᵀr, so g = Aᵀr points downhill.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.certificates.blocks import F64
from surefit.certificates.rounding import gamma, typical
from surefit.certificates.theorems.least_squares import Projection, Residuals, fold_qr, project

GAP = {False: 1e-9, True: 1e-6}  # relative gap accepted, in float64 and in float32
ROUNDINGS = 1000.0  # a solver may commit this many rounding errors of the size of its data


@dataclass
class Optimality:
    """Numbers per target; `projections` per distinct penalty, None where no factor was formed."""

    limit: float  # for `relative_gap`
    f: F64
    gap: F64  # an upper bound for f − f*; infinite where none is known
    relative_gap: F64  # gap / (f + floor²/limit)
    cosine: F64  # the largest |aⱼᵀr| / (‖aⱼ‖ (‖r‖ + floor/√limit))
    backward: F64  # the smallest relative change of A or y that makes w exact, an upper bound
    floor: F64  # the size of residuals that is rounding
    projections: list[Projection | None]
    proved: bool  # gap is finite by a theorem

    @property
    def precision_note(self) -> str:
        return "" if self.limit <= 1e-9 else " (float32 fit)"


def optimality(res: Residuals, coef: F64, alpha: F64, eps: float, *, positive: bool, n_rows: int) -> Optimality:
    """Evaluate coef (t, d) with one penalty per target."""
    t, d = coef.shape
    single = eps > 1e-10
    limit = GAP[single]
    rank_limit, noise = thresholds(res, n_rows, eps)
    constant = res.column_norm <= noise
    w_sq = np.einsum("ij,ij->i", coef, coef)
    f = res.r_norm**2 + alpha * w_sq
    # what a solver cannot avoid, and what the checker itself commits in forming r
    floor = (ROUNDINGS * eps + gamma(d + 3)) * np.sqrt(res.scale**2 + alpha * w_sq)
    gradient = np.where(constant[:, None], 0.0, res.gradient) - alpha * coef.T

    gap, backward = np.full(t, np.inf), np.full(t, np.inf)
    projections: list[Projection | None] = []
    for value in dict.fromkeys(alpha.tolist()):
        at = np.flatnonzero(alpha == value)
        view = _project(res, coef[at], value, at, rank_limit, noise)
        projections.append(view)
        for k, j in enumerate(at):
            gap[j] = res.r_mean[j] ** 2 + _gap(view, k, gradient[:, j], coef[j], value, positive)
            backward[j] = _backward(res, view, k, int(j), gradient[:, j], coef[j], value)

    # cosine between the residual and each column; for constrained fits only the half that matters
    norm = np.hypot(res.column_norm[:, None], np.sqrt(alpha))
    room = np.sqrt(f) + floor / np.sqrt(limit)
    room = np.where(room > 0, room, 1.0)
    cosine = np.abs(gradient) / np.where(norm > 0, norm, 1.0) / room
    if positive:
        slack = np.minimum(cosine, np.maximum(coef.T, 0.0) * norm / room)
        cosine = np.where(gradient > 0, cosine, slack)
    worst = np.maximum(cosine.max(axis=0, initial=0.0), np.abs(res.r_mean) / room)
    scale = f + floor**2 / limit
    relative = np.where(gap == 0, 0.0, gap / np.where(scale > 0, scale, 1.0))
    return Optimality(limit, f, gap, relative, worst, backward, floor, projections, bool(np.isfinite(gap).all()))


def thresholds(res: Residuals, n_rows: int, eps: float) -> tuple[float, F64]:
    """Below what a singular value (relative to the largest) and a column norm are rounding in a precision."""
    rank_limit = 32.0 * typical(n_rows + res.x_mean.size, eps / 2)
    return rank_limit, 32.0 * eps * np.sqrt(res.total) * np.abs(res.x_mean)


def _project(res: Residuals, coef: F64, alpha: float, at: F64, rank_limit: float, noise: F64) -> Projection | None:
    if res.factor is None or res.projected is None:
        return None
    factor, projected, d = res.factor, res.projected[:, at], coef.shape[1]
    if alpha > 0:
        root = np.sqrt(alpha)
        factor = np.where(np.sqrt((factor**2).sum(axis=0)) > noise, factor, 0.0)
        stacked = np.vstack([np.hstack([factor, projected]), np.hstack([root * np.eye(d), -root * coef.T])])
        R = fold_qr(None, stacked)
        return project(R[:, :d], R[:, d:], rank_limit, np.zeros(d))
    return project(factor, projected, rank_limit, noise)


def _gap(view: Projection | None, k: int, g: F64, w: F64, alpha: float, positive: bool) -> float:
    """f(w) − f* in the centred problem: exact for a free fit, an upper bound for a non-negative one.

    For v ≥ 0: f(w) − f(v) = 2 gᵀ(v − w) − ‖A(v − w)‖². Split g = q + l with l ≤ 0: then 2 lᵀ(v − w) ≤ 2 |l|ᵀw, and
    2 qᵀz − ‖Az‖² ≤ qᵀ(AᵀA)⁺q for every z. Any split is valid; each gⱼ < 0 goes where it costs less.
    """
    if not positive and view is not None:
        p = view.coordinates[:, k]
        return float(p @ p)
    if view is None and not alpha > 0:
        return np.inf
    norms = view.norms if view is not None else np.full(g.size, np.sqrt(alpha))
    linear = (g < 0) & (np.abs(g) > 2.0 * w * norms**2) if positive else np.zeros(g.size, dtype=bool)
    q = np.where(linear, 0.0, g)
    boundary = 2.0 * float(np.abs(g[linear]) @ np.maximum(w[linear], 0.0))
    if view is None:  # AᵀA ⪰ αI
        return boundary + float(q @ q) / alpha
    scaled = np.where(norms > 0, q / np.where(norms > 0, norms, 1.0), 0.0)
    z = (view.right.T @ scaled) / view.singular[: view.rank]
    return boundary + float(z @ z)


def _backward(res: Residuals, view: Projection | None, k: int, j: int, g: F64, w: F64, alpha: float) -> float:
    """The smallest of four changes of the data that each make w exact, relative to what is changed.

    Columns scaled to norm one, √d is the norm of A. (1) A − r(Aᵀr)ᵀ/‖r‖² is orthogonal to r. (2) A + (Pr)wᵀ/‖w‖²
    has the residual r − Pr, orthogonal to A and to itself. (3) y − Pr has that residual too. (4) y − r has none.
    """
    if alpha > 0:
        return 0.0
    norms, r, y = res.column_norm, float(res.r_norm[j]), float(res.y_norm[j])
    root_d = np.sqrt(max(1, norms.size))
    scaled_g = np.where(norms > 0, g / np.where(norms > 0, norms, 1.0), 0.0)
    if not scaled_g.any():
        return 0.0
    changes = [np.linalg.norm(scaled_g) / r / root_d if r > 0 else 0.0, r / y if y > 0 else np.inf]
    if view is not None:
        p, w_norm = float(np.linalg.norm(view.coordinates[:, k])), float(np.linalg.norm(norms * w))
        changes += [p / w_norm / root_d if w_norm > 0 else np.inf, p / y if y > 0 else np.inf]
    return float(min(changes))
