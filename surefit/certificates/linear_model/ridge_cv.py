"""Checker of RidgeCV: the fit at alpha_ is optimal, and alpha_ is the best of the grid for rows that were left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.linear_model.linear_fit import linear_claims
from surefit.certificates.linear_model.ridge import read_alpha
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.linear.column_basis import ColumnBases
from surefit.certificates.theorems.least_squares.least_squares_data import Data, slices
from surefit.certificates.theorems.least_squares.least_squares_gap import SAFE, project
from surefit.certificates.theorems.least_squares.left_out import left_out

EXCUSED = 10.0  # roundings of deviations from the mean (one of predictions, for folds), in squares of left-out errors
MAX_WORK = 1e12
SCORES = (None, "r2", "neg_mean_squared_error")
Fit = tuple[Data, F64, F64]


@checker("coef_", "intercept_", "predict", "alpha_", "best_score_", "cv_results_")
def check_ridge_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Ridge's passes, and two for each penalty of the grid (three for folds)."""
    remedy = "fit Ridge(alpha=alpha_) again"
    claims, cost, found = linear_claims(
        model, blocks, tol, lambda attrs, t: read_alpha(attrs, "alpha_", t), "penalised sum of squares", remedy
    )
    if found is None:
        return claims, cost
    attrs, (data, coef, _) = Attributes(model, "coef_"), found
    grid, alpha = attrs.array("alphas"), read_alpha(attrs, "alpha_", len(coef))
    if grid is None or alpha is None or grid.ndim > 1 or grid.size == 0 or not (grid >= 0).all():
        return [*claims, failed("on_grid", "alphas is not a list of numbers ≥ 0.")], cost
    grid = np.unique(grid)
    claims.append(on_grid(alpha, grid))
    if not claims[-1].holds:
        return claims, cost
    reason = out_of_scope(model, data, grid)
    if reason:
        sentence = f"How alpha_ was chosen, best_score_ and cv_results_ are not checked: {reason}."
        return [*claims, Claim("selection", sentence, Grade.UNPROVED, None, None, True)], cost
    b = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).reshape(-1), (len(coef),))
    more = selection(model, attrs, (data, coef, b), alpha, grid, tol)
    return claims + more, f"{cost}, and for each of {grid.size} penalties two passes, or four for folds"


def on_grid(alpha: F64, grid: F64) -> Claim:
    wrong = int(np.count_nonzero(~np.isin(alpha, grid)))
    failure = "alpha_ is not one of alphas."
    return at_most("on_grid", "alpha_ is one of alphas; how many are not.", Grade.EXACT, wrong, 0, failure=failure)


def out_of_scope(model: Any, data: Data, grid: F64) -> str:
    """Why the scores cannot be derived again, or nothing."""
    cv, scoring = getattr(model, "cv", None), getattr(model, "scoring", None)
    weighted = any(w is not None for _, _, w in data.blocks)
    if isinstance(cv, (bool, np.bool_)) or not (cv is None or isinstance(cv, (int, np.integer))):
        return "cv is a splitter or a list of splits"
    if not (scoring is None or isinstance(scoring, str)) or scoring not in SCORES:
        return f"scores by scoring={scoring!r} are not derived again"
    if cv is not None and (weighted or not 2 <= cv <= data.blocks.n_rows):
        return "folds with weights have no one definition" if weighted else f"cv={cv} is no number of folds"
    width = data.scale.size + 1
    if not (grid > 0).all():
        return "a penalty is zero"
    if grid.size * 4.0 * (data.blocks.n_rows + width) * width**2 > MAX_WORK:
        return "the grid and the data are too large"
    return ""


def selection(model: Any, attrs: Attributes, fit: Fit, alpha: F64, grid: F64, tol: float) -> list[Claim]:
    """best_score, best_alpha and stored_errors from the losses of every penalty: scores are constants minus losses."""
    data, coef, b = fit
    n, t, cv, scoring = data.blocks.n_rows, len(coef), getattr(model, "cv", None), getattr(model, "scoring", None)
    fold = None if cv is None else np.repeat(np.arange(cv), [n // cv + (f < n % cv) for f in range(cv)])
    constant, factor = score_of(data, fold, scoring or ("r2" if cv is not None else None))
    stored = read_stored(attrs, model, n, t) if cv is None and scoring is None else None
    loss, error, excuse, away = (np.zeros((grid.size, t)) for _ in range(4))
    unit, bases = epsilon(False, np.asarray(model.coef_)) / 2, ColumnBases(data)
    for i, value in enumerate(grid.tolist()):
        J, T, _ = bases.propose(value, all_columns=True)
        sums = project(data, coef, b, value, J, T, np.arange(t))
        e, off = left_out(data, coef, b, sums, fold)
        off, length = np.where(sums.D.size, np.nan, off), np.linalg.norm(e, axis=0)
        loss[i] = (factor * e**2).sum(axis=0)
        error[i] = SAFE * factor.max(axis=0) * ((2 * length + off) * off + sums.n_sum * length**2)
        excuse[i] = 2 * unit * (EXCUSED * np.sqrt(sums.spread) if cv is None else np.sqrt(sums.size)) / length
        if stored is not None:
            differ = np.abs(stored[:, :, np.flatnonzero(fit_grid(model) == value)[0]] - e**2)
            away[i] = (differ.max(axis=0) + SAFE * (2 * np.abs(e).max(axis=0) + off) * off) * n / length**2
    largest = float(np.nan_to_num(excuse, nan=0.0).max())
    if not (attrs.flag("alpha_per_target", False) and t > 1):
        loss, error, constant, alpha = (v.mean(axis=-1, keepdims=True) for v in (loss, error, constant, alpha[:1]))
    claims = verdicts(attrs, constant, loss, error, np.searchsorted(grid, alpha), unit, largest, tol)
    if scoring is None and (attrs.flag("store_cv_results", False) or attrs.has("cv_results_")):
        sentence = "cv_results_ holds the squared errors of left-out rows; largest difference, relative to their mean."
        value = float(np.nan_to_num(away, nan=np.inf).max()) if stored is not None else np.inf
        wrong = "cv_results_ does not hold the squared errors of left-out rows."
        claims.append(at_most("stored_errors", sentence, Grade.EXACT, value, tol, excuse=largest, failure=wrong))
    return claims


def verdicts(
    attrs: Attributes, constant: F64, loss: F64, error: F64, chosen: F64, unit: float, excuse: float, tol: float
) -> list[Claim]:
    """best_score_ is the score of alpha_, and no other penalty has a smaller loss, both relative to the loss."""
    k = np.arange(chosen.size)
    mine, off = loss[chosen, k], error[chosen, k]
    claimed = attrs.array("best_score_", *([(), (1,)] if chosen.size == 1 else [(chosen.size,)]))
    if claimed is None:
        return [refuted("best_score", f"{attrs.faults[-1]}.")]
    given, storing = constant - claimed.reshape(-1), EXCUSED * unit * np.abs(claimed.reshape(-1)) / mine
    score = at_most(
        "best_score",
        "best_score_ is the score of alpha_ on rows left out; difference relative to the loss.",
        Grade.EXACT,
        float((np.abs(given - mine) / mine).max()),
        tol,
        {"recomputed": (constant - mine).tolist()},
        error=float((off / mine).max()),
        excuse=excuse + float(storing.max()),
        failure="best_score_ is not the score of alpha_ on rows left out.",
    )
    regret, low = (mine + off) / (loss - error).min(axis=0) - 1, (mine - off) / (loss + error).min(axis=0) - 1
    best = at_most(
        "best_alpha",
        f"No other of {len(loss)} penalties has a smaller loss on rows left out; relative regret.",
        Grade.EXACT,
        float(regret.max()),
        tol,
        excuse=excuse,
        lower=float(low.max()),
        failure=f"Another penalty has a loss on rows left out that is lower by up to {100 * regret.max():.3g} %.",
    )
    return [score, best]


def fit_grid(model: Any) -> F64:
    return np.asarray(model.alphas, dtype=np.float64).reshape(-1)


def read_stored(attrs: Attributes, model: Any, n: int, t: int) -> F64 | None:
    k = fit_grid(model).size
    shapes = [(n, k), (n, 1, k)] if t == 1 else [(n, t, k)]
    stored = attrs.array("cv_results_", *shapes, finite=False) if attrs.has("cv_results_") else None
    return None if stored is None else stored.reshape(n, t, k)


def score_of(data: Data, fold: F64 | None, scoring: str | None) -> tuple[F64, F64]:
    """constant (t,) and factor (n, t): score = constant − Σ factor ωe², the mean over folds."""
    parts = list(slices(data.blocks))
    y, omega = np.vstack([p[1] for p in parts]), np.concatenate([p[2] for p in parts])
    fold = np.zeros(len(y), dtype=int) if fold is None else fold
    folds = [fold == f for f in range(int(fold.max()) + 1)]
    if scoring == "r2":  # of a fold with one value of y, zero
        spread = np.array([omega[f] @ (y[f] - np.average(y[f], axis=0, weights=omega[f])) ** 2 for f in folds])
        varies = np.array([np.ptp(y[f], axis=0) > 0 for f in folds])
        return varies.mean(axis=0), np.divide(1.0 / len(folds), spread, out=0 * spread, where=varies)[fold]
    count = np.array([f.sum() if scoring is None else omega[f].sum() for f in folds])
    return np.zeros(y.shape[1]), np.repeat(1.0 / count[fold, None] / len(folds), y.shape[1], axis=1)
