"""Checker of RidgeCV: stationary at alpha_, alpha_ on the grid and best there, leave-one-out by real refits.

Leave-one-out of row i has a closed form. Let h = ωᵢ/Σω + aᵢᵀ(AᵀA + αI)⁻¹aᵢ be the leverage of the weighted, centred
row aᵢ. Without the row, the prediction error is rᵢ/(1 − h); without one unit of its weight, rᵢ/(1 − h/ωᵢ). The two
agree for weights of one. scikit-learn 1.9 leaves the row out and reports the mean over rows of ωᵢ eᵢ².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks, dense
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.linear_model.linear_regression import cost_note
from surefit.certificates.linear_model.ridge import read_alpha, stationary_claims
from surefit.certificates.rounding import epsilon
from surefit.certificates.theorems.least_squares import Moments, affordable, first_pass, fold_qr, two_dimensional

SAMPLE = 8  # rows refitted
AGREE = {False: 1e-5, True: 1e-3}  # relative error accepted for leave-one-out values
DEFINITIONS = ("row", "unit")  # what is left out


@checker()
def check_ridge_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Four passes where leave-one-out is checked (cv is None, d ≤ 2000), two otherwise."""
    attrs = Attributes(model, "coef_")
    moments = first_pass(blocks)
    t = moments.n_targets
    alpha = read_alpha(attrs, "alpha_", t)
    claims, formed = stationary_claims(model, attrs, blocks, moments, alpha)
    if alpha is None:
        return claims, cost_note(False, blocks)
    grid = _grid(attrs)
    claims.append(_on_grid(alpha, grid))
    if attrs.has("cv"):
        return claims, cost_note(formed, blocks) + "; scores of other splits than leave-one-out are not checked"
    if grid is None or not claims[0].holds or not affordable(blocks.n_rows, blocks.n_features):
        return claims, cost_note(formed, blocks) + "; leave-one-out not checked"
    if not (grid > 0).all():
        return claims, cost_note(formed, blocks) + "; leave-one-out not checked for a penalty of zero"
    claims += _leave_one_out(model, attrs, blocks, moments, alpha, grid)
    return claims, cost_note(formed, blocks) + f"; two more passes and {SAMPLE} refits for leave-one-out"


def _grid(attrs: Attributes) -> F64 | None:
    grid = attrs.array("alphas")
    if grid is None or grid.ndim > 1 or grid.size == 0:
        return None
    return grid.reshape(-1)


def _on_grid(alpha: F64, grid: F64 | None) -> Claim:
    if grid is None:
        return failed("on_grid", "alphas is not a list of numbers.")
    away = np.min(np.abs(alpha[:, None] - grid) / np.maximum(np.abs(grid), 1e-300), axis=1)
    return at_most("on_grid", "alpha_ is one of alphas; largest relative distance.", Grade.EXACT, away.max(), 1e-12)


@dataclass
class Spectrum:
    """AᵀA = V Λ Vᵀ from the triangular factor, and the coordinates of y."""

    V: F64  # (d, k)
    lam: F64  # (k,)
    z: F64  # Vᵀ Aᵀ y / 1, shape (k, t)


def _factor(blocks: Blocks, moments: Moments, centred: bool) -> tuple[Spectrum, F64, F64]:
    """One pass: the spectrum, and the shifts of X and y."""
    d = blocks.n_features
    m = moments.x_mean if centred else np.zeros(d)
    ym = moments.y_mean if centred else np.zeros(moments.n_targets)
    R = np.zeros((0, d + moments.n_targets + int(centred)))
    for X, y, w in blocks:
        R = fold_qr(R, _stack(X, y, w, m, ym, centred))
    R = R[1:, 1:] if centred else R
    U, S, Vt = np.linalg.svd(R[:, :d], full_matrices=False)
    return Spectrum(Vt.T, S * S, S[:, None] * (U.T @ R[:, d:])), m, ym


def _stack(X: Any, y: F64 | None, w: F64 | None, m: F64, ym: F64, centred: bool) -> F64:
    root = (np.ones(X.shape[0]) if w is None else np.sqrt(np.asarray(w, dtype=np.float64)))[:, None]
    columns = [(dense(X) - m) * root, (two_dimensional(y) - ym) * root]
    return np.hstack([root, *columns] if centred else columns)


def _leave_one_out(
    model: Any, attrs: Attributes, blocks: Blocks, moments: Moments, alpha: F64, grid: F64
) -> list[Claim]:
    centred, t, n = attrs.flag("fit_intercept", True), moments.n_targets, blocks.n_rows
    eps = epsilon(moments.single, np.asarray(model.coef_))
    agree = AGREE[eps > 1e-10]
    spectrum, m, ym = _factor(blocks, moments, centred)
    stored = _stored(attrs, n, t, grid.size)
    by_error = getattr(model, "scoring", None) is None

    # ω e² summed over rows, for each definition, target and penalty
    totals = np.zeros((2, t, grid.size))
    worst_stored = np.zeros(2)
    sample = np.unique(np.linspace(0, n - 1, min(SAMPLE, n)).astype(int))
    sampled: dict[int, F64] = {}
    row = 0
    for X, y, w in blocks:
        rows = X.shape[0]
        omega = np.ones(rows) if w is None else np.asarray(w, dtype=np.float64)
        errors = _loo_errors(X, two_dimensional(y), omega, spectrum, m, ym, grid, moments, centred)
        squares = omega[None, :, None, None] * errors**2
        totals += squares.sum(axis=1)
        if stored is not None and by_error:
            part = stored[row : row + rows]
            scale = totals[:, None] / (row + rows) + np.abs(part)[None]
            off = np.abs(squares - part[None]) / np.where(scale > 0, scale, 1.0)
            worst_stored = np.maximum(worst_stored, np.nan_to_num(off, nan=np.inf).max(axis=(1, 2, 3)))
        for i in sample[(sample >= row) & (sample < row + rows)]:
            sampled[int(i)] = errors[0, i - row]
        row += rows

    claims = [_refits(blocks, moments, sampled, alpha, grid, m, ym, centred)]
    if not by_error:
        return claims
    scores = np.stack([-totals[0] / n, -totals[1] / moments.total])
    per_target = attrs.flag("alpha_per_target", False) and t > 1
    claims += _scores(attrs, scores, alpha, grid, per_target, agree)
    if stored is not None:
        value = float(worst_stored.min())
        claims.append(
            at_most(
                "stored_errors",
                f"cv_results_ holds the squared leave-one-out errors (one {DEFINITIONS[int(worst_stored.argmin())]} "
                "left out); largest relative error.",
                Grade.EXACT,
                value,
                agree,
            )
        )
    elif attrs.flag("store_cv_results", False):
        claims.append(failed("stored_errors", "cv_results_ is missing or has the wrong shape."))
    return claims


def _stored(attrs: Attributes, n: int, t: int, k: int) -> F64 | None:
    if not attrs.has("cv_results_"):
        return None
    stored = attrs.array("cv_results_", *([(n, k), (n, 1, k)] if t == 1 else [(n, t, k)]), finite=False)
    return None if stored is None else stored.reshape(n, t, k)


def _loo_errors(
    X: Any, y: F64, omega: F64, sp: Spectrum, m: F64, ym: F64, grid: F64, moments: Moments, centred: bool
) -> F64:
    """y − prediction without the row (or a unit of it): shape (2, rows, t, penalties)."""
    Z = (dense(X) - m) @ sp.V
    shrink = 1.0 / (sp.lam[:, None] + grid)
    residual = (y - ym)[:, :, None] - np.einsum("nk,kt,ka->nta", Z, sp.z, shrink, optimize=True)
    unit = (Z * Z) @ shrink + (1.0 / moments.total if centred else 0.0)
    row = 1.0 - omega[:, None] * unit
    return np.stack([residual / row[:, None, :], residual / (1.0 - unit)[:, None, :]])


def _refits(
    blocks: Blocks,
    moments: Moments,
    sampled: dict[int, F64],
    alpha: F64,
    grid: F64,
    m: F64,
    ym: F64,
    centred: bool,
) -> Claim:
    """Leave the sampled rows out one at a time and fit the rest: blocks without them are factorised once."""
    d, t = blocks.n_features, moments.n_targets
    base = np.zeros((0, d + t + int(centred)))
    touched: list[tuple[int, Any, F64 | None, F64 | None]] = []
    row = 0
    for X, y, w in blocks:
        rows = X.shape[0]
        if any(row <= i < row + rows for i in sampled):
            touched.append((row, X, y, w))
        else:
            base = fold_qr(base, _stack(X, y, w, m, ym, centred))
        row += rows
    worst = 0.0
    scale = np.sqrt(sum(float(np.mean(e**2)) for e in sampled.values()) / max(1, len(sampled)))
    at = np.array([int(np.argmin(np.abs(grid - a))) for a in alpha])
    for i, closed in sampled.items():
        R, x, target = base, np.zeros(d), np.zeros(t)
        for first, X, y, w in touched:
            stack = _stack(X, y, w, m, ym, centred)
            if first <= i < first + X.shape[0]:
                stack = np.delete(stack, i - first, axis=0)
                x, target = dense(X[i - first : i - first + 1])[0], two_dimensional(y)[i - first]
            R = fold_qr(R, stack)
        for j in range(t):
            error = target[j] - ym[j] - _predict(R, x - m, j, d, float(grid[at[j]]), centred)
            worst = max(worst, abs(error - closed[j, at[j]]) / (scale + abs(error)) if scale > 0 else 0.0)
    return at_most(
        "leave_one_out",
        f"The closed form of the leave-one-out errors agrees with real refits on the rest of the rows, for "
        f"{len(sampled)} evenly spaced rows; largest relative difference.",
        Grade.EXACT,
        worst,
        1e-6,
        {"rows": list(sampled)},
    )


def _predict(R: F64, x: F64, j: int, d: int, alpha: float, centred: bool) -> float:
    """The ridge fit from a factor of [1, A, y] (or [A, y]), evaluated at a shifted row."""
    off = int(centred)
    penalty = np.hstack([np.zeros((d, off)), np.sqrt(alpha) * np.eye(d)])
    A = np.vstack([R[:, : off + d], penalty])
    rhs = np.concatenate([R[:, off + d + j], np.zeros(d)])
    solution = np.linalg.lstsq(A, rhs, rcond=None)[0]
    return float(x @ solution[off:] + (solution[0] if centred else 0.0))


def _scores(attrs: Attributes, scores: F64, alpha: F64, grid: F64, per_target: bool, agree: float) -> list[Claim]:
    """best_score_ recomputed, and alpha_ the best of the grid. scores: (definition, target, penalty)."""
    table = scores if per_target else scores.mean(axis=1, keepdims=True)
    chosen = alpha if per_target else alpha[:1]
    at = np.array([int(np.argmin(np.abs(grid - a))) for a in chosen])
    mine = np.take_along_axis(table, at[None, :, None], axis=2)[:, :, 0]
    best = table.max(axis=2)
    claimed = attrs.array("best_score_", *([(), (1,)] if not per_target else [(len(at),)]))
    if claimed is None:
        return [failed("best_score", f"{attrs.faults[-1]}.")]
    error = np.abs(mine - claimed.reshape(1, -1)) / np.where(mine != 0, np.abs(mine), 1.0)
    definition = int(np.argmin(np.nan_to_num(error, nan=np.inf).max(axis=1)))
    regret = (best - mine)[definition] / np.where(best[definition] != 0, np.abs(best[definition]), 1.0)
    weighted = {"row": "mean over rows of ω e²", "unit": "weighted mean of e²"}[DEFINITIONS[definition]]
    return [
        at_most(
            "best_score",
            f"best_score_ is minus the {weighted}, e the error with one {DEFINITIONS[definition]} left out; relative "
            "error.",
            Grade.EXACT,
            error[definition].max(),
            agree,
            {"recomputed": mine[definition].tolist()},
        ),
        at_most(
            "best_alpha",
            f"No other of the {grid.size} penalties has a better leave-one-out score; relative regret.",
            Grade.EXACT,
            regret.max(),
            agree,
        ),
    ]
