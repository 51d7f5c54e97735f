"""Checker of RidgeCV: the fit at alpha_ is optimal, and alpha_ is the best of the grid for rows that were left out.

For a penalty α and all columns in J (see `projection`), f − min f is that square; columns D that are not in J add
Σ sⱼ²/λⱼ, s = C_Dᵀ(ρ − U(UᵀU)⁻¹Uᵀρ), λ = α over the scale²: no more is to be gained on a parabola of slope 2s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed, refuted
from surefit.certificates.linear_model.linear_fit import predict_claim, read_linear
from surefit.certificates.linear_model.ridge import read_alpha
from surefit.certificates.rounding import epsilon, gamma
from surefit.certificates.search.linear.column_basis import ColumnBases
from surefit.certificates.theorems.least_squares.least_squares_data import Data, read_data, slices
from surefit.certificates.theorems.least_squares.left_out import left_out
from surefit.certificates.theorems.least_squares.projection import SAFE, Projection, project

EXCUSED = 10.0  # roundings: of stored coefficients, and of deviations from the mean (for folds one of predictions)
MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data
MAX_WORK = 1e12
SCORES = (None, "r2", "neg_mean_squared_error")


class Fit(NamedTuple):
    data: Data
    coef: F64  # (t, d)
    b: F64
    alpha: F64  # of every target
    unit: float  # of the precision that the coefficients are stored in


@checker("coef_", "intercept_", "predict", "alpha_", "best_score_", "cv_results_")
def check_ridge_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes for each penalty of the grid, four for folds."""
    attrs = Attributes(model, "coef_")
    data = read_data(blocks, attrs.flag("fit_intercept", True))
    t = data.y_mean.size
    found, alpha = read_linear(attrs, t, blocks.n_features, data.intercept), read_alpha(attrs, "alpha_", t)
    if found is None or alpha is None:
        return [bad_attributes(attrs)], "one pass"
    grid = attrs.array("alphas")
    if grid is None or grid.ndim > 1 or grid.size == 0 or not (grid >= 0).all():
        return [failed("on_grid", "alphas is not a list of numbers ≥ 0.")], "one pass"
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    fit, bases, grid = Fit(data, *found, alpha, unit), ColumnBases(data), np.unique(grid)
    missing = int(np.count_nonzero(~np.isin(alpha, grid)))
    claims = [_optimal(fit, bases, tol), predict_claim(model, blocks, fit.coef, fit.b)]
    claims.append(at_most("on_grid", "alpha_ is one of alphas; how many are not.", Grade.EXACT, missing, 0))
    reason = _out_of_scope(model, data, grid)
    if reason:
        sentence = f"How alpha_ was chosen, best_score_ and cv_results_ are not checked: {reason}."
        claims.append(Claim("selection", sentence, Grade.UNPROVED, None, None, True))
    elif missing == 0:
        claims += _selection(attrs, fit, bases, grid, tol)
    return claims, f"for each of {grid.size} penalties two passes, or four for folds"


def _optimal(fit: Fit, bases: ColumnBases, tol: float) -> Claim:
    """f − min f relative to min f; where f is next to nothing, and made of roundings, f relative to that of y."""
    claims = []
    for value in np.unique(fit.alpha).tolist():
        chosen = np.flatnonzero(fit.alpha == value)
        sums = project(fit.data, fit.coef[chosen], fit.b[chosen], value, *bases.propose(value)[:2], chosen)
        low, high, above, surely = _bounds(fit.data, sums, value)
        storing, of_y = fit.unit**2 * sums.size, np.where(sums.spread > 0, sums.spread, sums.size)
        fitted = (high <= EXCUSED**2 * storing) & (high <= tol * of_y)
        of_y = np.where(of_y > 0, of_y, 1.0)  # where y and the coefficients are zero
        least, gap = np.where(fitted, of_y, np.maximum(low - above, 0.0)), np.where(fitted, high, above)
        for j in range(chosen.size):
            relative, lower = float(gap[j] / least[j]), float(surely[j] / np.maximum(high[j], least[j]))
            sentence = f"The penalised sum of squares is above the least possible by a relative {relative:.1e} at most."
            failure = "The penalised sum of squares could be lower by up to "
            failure += f"{100 * relative / (1 + relative):.3g} %: fit Ridge(alpha=alpha_) again."
            excuse = min(MOST_EXCUSED, EXCUSED * float(storing[j] / least[j])) if least[j] > 0 else 0.0
            detail = {"objective": float(high[j]), "gap": float(gap[j]), "target": int(chosen[j])}
            claims.append(
                at_most(
                    "optimal", sentence, Grade.OPTIMAL, relative, tol, detail,
                    excuse=excuse, lower=lower, failure=failure,
                )
            )  # fmt: skip
    return max(claims, key=lambda claim: (not claim.holds, claim.value or 0.0))


def _bounds(data: Data, sums: Projection, alpha: float) -> tuple[F64, F64, F64, F64]:
    """Per target: f from below and above, f − min f from above and below, every rounding added."""
    D, eta, q = sums.D, sums.eta, np.linalg.norm(sums.q, axis=0)
    low = np.maximum(sums.rho * (1 - sums.n_sum) - sums.rho_error, 0.0) ** 2
    high = (sums.rho * (1 + sums.n_sum) + sums.rho_error) ** 2
    error = SAFE * sums.norms[D, None] * (3 * sums.q_error + 4 * eta * q + sums.n_sum * sums.rho + sums.rho_error)
    slope = np.abs(sums.g[D] - sums.M @ sums.q) + error
    penalty = np.append(np.zeros(int(data.intercept)), alpha / data.scale**2)[D][:, None]
    rounded = 1 + gamma(4 * len(sums.g) + 16)
    above = ((q + sums.q_error) ** 2 / (1 - eta) + (slope**2 / penalty).sum(axis=0)) * rounded
    return low, high, above, np.maximum(q - sums.q_error, 0.0) ** 2 / (1 + eta) / rounded


def _out_of_scope(model: Any, data: Data, grid: F64) -> str:
    """Why the scores cannot be derived again, or nothing."""
    cv, scoring = getattr(model, "cv", None), getattr(model, "scoring", None)
    weighted, width = any(w is not None for _, _, w in data.blocks), data.scale.size + 1
    if isinstance(cv, (bool, np.bool_)) or not (cv is None or isinstance(cv, (int, np.integer))):
        return "cv is a splitter or a list of splits"
    if not (scoring is None or isinstance(scoring, str)) or scoring not in SCORES:
        return f"scores by scoring={scoring!r} are not derived again"
    if cv is not None and (weighted or not 2 <= cv <= data.blocks.n_rows):
        return f"cv={cv} is no number of folds, or there are weights, of which folds have no one definition"
    if not (grid > 0).all() or grid.size * 4.0 * (data.blocks.n_rows + width) * width**2 > MAX_WORK:
        return "a penalty is zero, or the grid and the data are too large"
    return ""


def _selection(attrs: Attributes, fit: Fit, bases: ColumnBases, grid: F64, tol: float) -> list[Claim]:
    """best_score, best_alpha and stored_errors from the losses of every penalty: scores are constants minus losses."""
    data, coef, b, alpha, unit = fit
    n, t, cv, scoring = data.blocks.n_rows, len(coef), attrs.parameter("cv", 0), getattr(attrs.model, "scoring", None)
    fold = np.repeat(np.arange(cv), [n // cv + (f < n % cv) for f in range(cv)]) if cv else None
    constant, factor = _score_of(data, fold, scoring or ("r2" if cv else None))
    stored = _stored_errors(attrs, n, t) if not cv and scoring is None else {}
    loss, error, excuse, away = np.zeros((4, grid.size, t))
    for i, value in enumerate(grid.tolist()):
        sums = project(data, coef, b, value, *bases.propose(value, all_columns=True)[:2], np.arange(t))
        e, off = left_out(data, coef, b, sums, fold)
        off, length = np.where(sums.D.size, np.nan, off), np.linalg.norm(e, axis=0)
        loss[i] = (factor * e**2).sum(axis=0)
        error[i] = SAFE * factor.max(axis=0) * ((2 * length + off) * off + sums.n_sum * length**2)
        excuse[i] = 2 * unit * (np.sqrt(sums.size) if cv else EXCUSED * np.sqrt(sums.spread)) / length
        differ = np.abs(stored.get(value, np.nan) - e**2).max(axis=0)
        away[i] = (differ + SAFE * (2 * np.abs(e).max(axis=0) + off) * off) * n / length**2
    largest = float(np.nan_to_num(excuse, nan=0.0).max())
    if not (attrs.flag("alpha_per_target", False) and t > 1):
        loss, error, constant, alpha = (v.mean(axis=-1, keepdims=True) for v in (loss, error, constant, alpha[:1]))
    claims = _verdicts(attrs, constant, loss, error, np.searchsorted(grid, alpha), (unit, largest, tol))
    if scoring is None and (attrs.flag("store_cv_results", False) or attrs.has("cv_results_")):
        sentence = "cv_results_ holds the squared errors of left-out rows; largest difference, relative to their mean."
        wrong, value = "cv_results_ does not hold the squared errors of left-out rows.", float(away.max())
        claims.append(at_most("stored_errors", sentence, Grade.EXACT, value, tol, excuse=largest, failure=wrong))
    return claims


def _verdicts(
    attrs: Attributes, constant: F64, loss: F64, error: F64, chosen: F64, limits: tuple[float, float, float]
) -> list[Claim]:
    """best_score_ is the score of alpha_, and no other penalty has a smaller loss, both relative to the loss."""
    (unit, excuse, tol), k = limits, np.arange(chosen.size)
    mine, off = loss[chosen, k], error[chosen, k]
    if not (loss > error).all():
        reason = (
            "Losses on rows left out are no more than rounding: which penalty is best, and its score, are not known."
        )
        return [failed("best_alpha", reason)]
    claimed = attrs.array("best_score_", (chosen.size,), *([()] if chosen.size == 1 else []))
    if claimed is None:
        return [refuted("best_score", f"{attrs.faults[-1]}.")]
    value = float((np.abs(constant - claimed.reshape(-1) - mine) / mine).max())
    storing = excuse + float((EXCUSED * unit * np.abs(claimed.reshape(-1)) / mine).max())
    sentence = "best_score_ is the score of alpha_ on rows left out; difference relative to the loss."
    known, detail = float((off / mine).max()), {"recomputed": (constant - mine).tolist()}
    failure = (
        f"best_score_ is not, or not surely, the score of alpha_ on rows left out: off by up to {value + known:.2g}."
    )
    regret, low = (mine + off) / (loss - error).min(axis=0) - 1, (mine - off) / (loss + error).min(axis=0) - 1
    least = f"No other of {len(loss)} penalties has a smaller loss on rows left out; relative regret."
    other = f"Another penalty has a loss on rows left out that is lower by up to {100 * regret.max():.3g} %."
    return [
        at_most("best_score", sentence, Grade.EXACT, value, tol, detail, error=known, excuse=storing, failure=failure),
        at_most("best_alpha", least, Grade.EXACT, regret.max(), tol, excuse=excuse, lower=low.max(), failure=other),
    ]


def _stored_errors(attrs: Attributes, n: int, t: int) -> dict[float, F64]:
    """The columns of cv_results_, (n, t) for every penalty; nothing where it has another shape."""
    grid = np.asarray(attrs.model.alphas, dtype=np.float64).reshape(-1)
    stored = attrs.array("cv_results_", (n, t, grid.size), *([(n, grid.size)] if t == 1 else []), finite=False)
    return {} if stored is None else dict(zip(grid.tolist(), stored.reshape(n, t, -1).transpose(2, 0, 1), strict=True))


def _score_of(data: Data, fold: F64 | None, scoring: str | None) -> tuple[F64, F64]:
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
