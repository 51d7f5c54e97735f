"""Checker of KernelRidgeCV: the fit at alpha_ and gamma_ is optimal, and these predict left-out rows best."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, real
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.kernel_ridge.kernel_ridge import ridge_claims
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.machines.kernel_system import inverses
from surefit.certificates.theorems.kernel_machine.above_least import EXCUSED, MOST_EXCUSED
from surefit.certificates.theorems.kernel_machine.left_out import left_out
from surefit.certificates.theorems.kernel_machine.ridge import System
from surefit.certificates.theorems.kernel_machine.weighted_gram import weighted_gram

MAX_WORK = 2e11


@checker("dual_coef_", "X_fit_", "gamma_", "alpha_", "best_score_", "path_scores_", "cv_results_", "predict")
def check_kernel_ridge_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """KernelRidge's Gram matrix, and for every gamma one, a spectrum of it and a product for every penalty."""
    wide = getattr(model, "gammas", None) is not None
    claims, cost, system = ridge_claims(model, blocks, tol, "alpha_", real(model.gamma_) if wide else None)
    if system is None:
        return claims, cost
    attrs, gamma = Attributes(model, "dual_coef_"), system.kernel.gamma
    grid, widths = attrs.array("alphas"), attrs.array("gammas") if wide else np.array([gamma])
    if grid is None or widths is None or grid.ndim != 1 or widths.ndim != 1 or not (grid > 0).all():
        return [*claims, refuted("on_grid", "alphas or gammas are not lists of numbers above zero.")], cost
    wrong, points = int((~np.isin(system.alpha, grid)).sum()) + int(gamma not in widths), grid.size * widths.size
    said = "alpha_ and gamma_ are among those to try; how many are not."
    claims.append(at_most("on_grid", said, Grade.EXACT, wrong, 0))
    other, large = attrs.has("cv") or attrs.has("scoring"), (2.0 * points + 10) * len(system.X) ** 3 > MAX_WORK
    if wrong or other or large or not system.kernel.positive:
        reason = "see on_grid" if wrong else "folds or another score" if other else "much work, or no positive kernel"
        sentence = f"How alpha_ and gamma_ were chosen and their scores are not checked: {reason}."
        return [*claims, Claim("selection", sentence, Grade.UNPROVED, None, None, not wrong)], cost
    chosen = int(np.argmax(widths == gamma)), [int(np.argmax(grid == a)) for a in system.alpha]
    found = scores(system, grid, widths, epsilon(False, np.asarray(model.dual_coef_)))
    return claims + verdicts(attrs, *found, chosen, tol), f"{cost}; {points} products of that order"


def scores(system: System, grid: F64, widths: F64, eps: float) -> tuple[F64, F64, float]:
    """ω·error² of every row and target, left out of the fit with every gamma and alpha; its error, and the excuse."""
    (n, t), kernel, kept = system.y.shape, system.kernel, system.omega > 0
    both, omega = np.hstack([system.X, system.y])[kept], system.omega[kept]
    distinct, owner = np.unique(both, axis=0, return_inverse=True)
    weight, owner = np.bincount(owner.reshape(-1), weights=omega), owner.reshape(-1)
    Z, y, share = distinct[:, :-t], np.sqrt(weight)[:, None] * distinct[:, -t:], (omega / weight[owner])[:, None]
    squares, errors = np.zeros((2, widths.size, grid.size, n, t))
    largest = 0.0  # ‖S‖/alpha
    for g, width in enumerate(widths):
        S, e_S = weighted_gram(replace(kernel, gamma=float(width)), Z, weight)
        propose = inverses(S)
        for k, alpha in enumerate(grid):
            e, off = left_out(S, e_S, y, float(alpha), propose(float(alpha)))
            squares[g, k, kept] = (e * e)[owner] * share
            errors[g, k, kept] = (off * (2 * np.abs(e) + off))[owner] * share
            largest = max(largest, float(np.linalg.norm(S)) / float(alpha))
    return squares, errors, min(MOST_EXCUSED, EXCUSED * eps * (1 + largest))


def verdicts(attrs: Attributes, squares: F64, errors: F64, excuse: float, chosen: Any, tol: float) -> list[Claim]:
    """best_score_ and path_scores_ are minus the means of the squares, and those of the pair chosen are the smallest.

    With `alpha_per_target` each target has its own penalty, and the mean over targets decides on gamma.
    """
    loss, error, (n, t), (at, k) = squares.mean(axis=2), errors.mean(axis=2), squares.shape[2:], chosen
    if not attrs.flag("alpha_per_target", False):
        loss, error, k = loss.mean(axis=2, keepdims=True), error.mean(axis=2, keepdims=True), k[:1]
    mine, off = (part[at, k, np.arange(len(k))] for part in (loss, error))
    best, path = attrs.array("best_score_", *([(), (1,)] if len(k) == 1 else [(len(k),)])), attrs.array("path_scores_")
    if best is None or path is None or path.size != loss.size:
        return [refuted("scores", f"{attrs.faults[-1] if attrs.faults else 'path_scores_ has another size'}.")]
    wrong = max(float(np.abs(best / mine + 1).max()), float(np.abs(path.reshape(loss.shape) / loss + 1).max()))
    least, most = ((loss + side * error).min(axis=1).mean(axis=1).min() for side in (-1, 1))
    regret = float((mine + off).mean() / least) - 1
    claims = [
        at_most(
            "scores",
            "best_score_ and path_scores_ are minus the means of ω·error² on rows left out, each relative to itself.",
            Grade.EXACT, wrong, tol, {"recomputed": (-loss).tolist()}, error=float((error / loss).max()), excuse=excuse,
            failure="best_score_ or path_scores_ are not the scores on rows left out.",
        ),
        at_most(
            "best",
            "No other alpha and gamma to try has a smaller loss on rows left out; relative regret.",
            Grade.EXACT, regret, tol, excuse=excuse, lower=float((mine - off).mean() / most) - 1,
            failure=f"Another alpha or gamma has a smaller loss on rows left out, by up to {100 * regret:.3g} %.",
        ),
    ]  # fmt: skip
    if attrs.has("cv_results_"):
        stored, mean = attrs.array("cv_results_"), squares[at].mean(axis=1, keepdims=True)
        away: Any = np.inf
        if stored is not None and stored.size == squares[at].size:
            away = np.abs(stored.reshape(n, t, -1).transpose(2, 0, 1) - squares[at]) + errors[at]
        said = "cv_results_ are ω·error² of rows left out; largest difference, relative to their mean."
        claims.append(at_most("stored_errors", said, Grade.EXACT, float((away / mean).max()), tol, excuse=excuse))
    return claims
