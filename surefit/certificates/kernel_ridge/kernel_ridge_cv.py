"""Checker of KernelRidgeCV: the fit at alpha_ and gamma_ is optimal, and these predict left-out rows best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, refuted
from surefit.certificates.kernel_ridge.kernel_ridge import ridge_claims
from surefit.certificates.rounding import epsilon
from surefit.certificates.search.machines.kernel_system import inverses
from surefit.certificates.theorems.kernel_machine.kernels import Kernel
from surefit.certificates.theorems.kernel_machine.left_out import left_out
from surefit.certificates.theorems.kernel_machine.ridge import System
from surefit.certificates.theorems.kernel_machine.weighted_gram import weighted_gram

EXCUSED, MOST_EXCUSED = 10.0, 0.1  # roundings of K, relative to alpha
MAX_WORK = 2e11


class Chosen:
    """The model as KernelRidge with the gamma that was chosen."""

    def __init__(self, model: Any) -> None:
        self.model = model
        if getattr(model, "gammas", None) is not None:
            self.gamma = getattr(model, "gamma_", None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


@dataclass
class Losses:
    """(gammas, penalties, targets): means of ω·error² over the rows, bounds of their errors, what rounding excuses."""

    loss: F64
    error: F64
    excuse: float
    stored: float | None = None  # the largest difference to cv_results_, relative to the mean


@checker("dual_coef_", "X_fit_", "gamma_", "alpha_", "best_score_", "path_scores_", "cv_results_", "predict")
def check_kernel_ridge_cv(model: Any, blocks: Blocks, tol: float) -> Findings:
    """KernelRidge's Gram matrix, and for every gamma one, a spectrum of it and a product for every penalty."""
    claims, cost, found = ridge_claims(Chosen(model), blocks, tol, "alpha_")
    if found is None:
        return claims, cost
    attrs, kernel, t = Attributes(model, "dual_coef_"), found.kernel, found.y.shape[1]
    grid, widths = attrs.array("alphas"), attrs.array("gammas") if attrs.has("gammas") else np.array([kernel.gamma])
    alpha = attrs.array("alpha_", (), (1,), (t,))
    if grid is None or widths is None or alpha is None or grid.ndim != 1 or widths.ndim != 1 or not (grid > 0).all():
        return [*claims, refuted("on_grid", "alphas or gammas are not lists of numbers above zero.")], cost
    alpha = np.broadcast_to(alpha.reshape(-1), (t,))
    wrong = int((~np.isin(alpha, grid)).sum()) + int(not np.isin(kernel.gamma, widths))
    sentence, failure = (
        "alpha_ and gamma_ are among those to try; how many are not.",
        "alpha_ or gamma_ is not on the grid.",
    )
    claims.append(at_most("on_grid", sentence, Grade.EXACT, wrong, 0, failure=failure))
    reason = _out_of_scope(model, kernel, len(found.X), grid.size * widths.size)
    if reason or wrong:
        sentence = f"How alpha_ and gamma_ were chosen and their scores are not checked: {reason or 'see on_grid'}."
        return [*claims, Claim("selection", sentence, Grade.UNPROVED, None, None, not wrong)], cost
    losses = _losses(attrs, found, grid, widths)
    chosen = (int(np.flatnonzero(widths == kernel.gamma)[0]), np.array([np.flatnonzero(grid == a)[0] for a in alpha]))
    return claims + _verdicts(attrs, losses, chosen, tol), f"{cost}; {grid.size * widths.size} products of that order"


def _out_of_scope(model: Any, kernel: Kernel, n: int, points: int) -> str:
    if getattr(model, "cv", None) is not None or getattr(model, "scoring", None) is not None:
        return "folds and other scores than the squared error are not derived again"
    if not kernel.positive:
        return "the kernel is not known to be positive semi-definite"
    return "the grid and the data are too large" if (2.0 * points + 10) * n**3 > MAX_WORK else ""


def _losses(attrs: Attributes, system: System, grid: F64, widths: F64) -> Losses:
    kernel, X, Y, omega = system.kernel, system.X, system.y, system.omega
    both = np.hstack([X, Y])[omega > 0]
    distinct, owner = np.unique(both, axis=0, return_inverse=True)
    weight, n, t = np.bincount(owner.reshape(-1), weights=omega[omega > 0]), len(Y), Y.shape[1]
    Z, y = distinct[:, : X.shape[1]], np.sqrt(weight)[:, None] * distinct[:, X.shape[1] :]
    stored = attrs.array("cv_results_") if attrs.has("cv_results_") else None
    stored = stored.reshape(n, t, -1) if stored is not None and stored.size == n * t * grid.size else None
    found = Losses(np.zeros((widths.size, grid.size, t)), np.zeros((widths.size, grid.size, t)), 0.0)
    eps = epsilon(False, np.asarray(attrs.model.dual_coef_))
    for g, width in enumerate(widths):
        S, e_S = weighted_gram(replace(kernel, gamma=float(width)), Z, weight)
        propose, size = inverses(S), float(np.linalg.norm(S))
        for k, alpha in enumerate(grid):
            e, off = left_out(S, e_S, y, float(alpha), propose(float(alpha)))
            found.loss[g, k], found.error[g, k] = (e * e).sum(axis=0) / n, (off * (2 * np.abs(e) + off)).sum(axis=0) / n
            found.excuse = max(found.excuse, EXCUSED * eps * (1 + size / float(alpha)))
            if stored is not None and width == kernel.gamma:
                rows, rows_off, kept = np.zeros((n, t)), np.zeros((n, t)), omega > 0
                share = (omega[kept] / weight[owner.reshape(-1)])[:, None]
                rows[kept] = (e * e)[owner.reshape(-1)] * share
                rows_off[kept] = (off * (2 * np.abs(e) + off))[owner.reshape(-1)] * share
                away = (np.abs(stored[:, :, k] - rows) + rows_off).max(axis=0) / found.loss[g, k]
                found.stored = max(found.stored or 0.0, float(away.max()))
    found.excuse = min(MOST_EXCUSED, found.excuse)
    if attrs.has("cv_results_") and stored is None:
        found.stored = np.inf
    return found


def _verdicts(attrs: Attributes, losses: Losses, chosen: tuple[int, F64], tol: float) -> list[Claim]:
    """best_score_ and path_scores_ are minus these losses, and no other pair has a smaller one."""
    loss, error, (g, k) = losses.loss, losses.error, chosen
    if not attrs.flag("alpha_per_target", False) or loss.shape[2] == 1:
        loss, error, k = loss.mean(axis=2, keepdims=True), error.mean(axis=2, keepdims=True), k[:1]
    t = np.arange(k.size)
    mine, off = loss[g, k, t], error[g, k, t]
    best, path = attrs.array("best_score_", *([(), (1,)] if k.size == 1 else [(k.size,)])), attrs.array("path_scores_")
    if best is None or path is None or path.size != loss.size:
        return [refuted("scores", f"{attrs.faults[-1] if attrs.faults else 'path_scores_ has another size'}.")]
    wrong = max(
        float((np.abs(best.reshape(-1) + mine) / mine).max()),
        float((np.abs(path.reshape(loss.shape) + loss) / loss).max()),
    )
    relative, low, high = float((error / loss).max()), loss - error, loss + error
    by_gamma_low, by_gamma_high = low.min(axis=1).mean(axis=1).min(), high.min(axis=1).mean(axis=1).min()
    regret = max(float(((mine + off) / low[g].min(axis=0)).max()), float((mine + off).mean() / by_gamma_low)) - 1
    least = max(float(((mine - off) / high[g].min(axis=0)).max()), float((mine - off).mean() / by_gamma_high)) - 1
    claims = [
        at_most(
            "scores",
            "best_score_ and path_scores_ are minus the means of ω·error² on rows left out, each relative to itself.",
            Grade.EXACT, wrong, tol, {"recomputed": (-loss).tolist()}, error=relative, excuse=losses.excuse,
            failure="best_score_ or path_scores_ are not the scores on rows left out.",
        ),
        at_most(
            "best",
            f"No other of {loss[:, :, 0].size} pairs of alpha and gamma has a smaller loss on rows left out; relative "
            "regret.",
            Grade.EXACT, regret, tol, excuse=losses.excuse, lower=least,
            failure=f"Another alpha or gamma has a smaller loss on rows left out, by up to {100 * regret:.3g} %.",
        ),
    ]  # fmt: skip
    if losses.stored is not None:
        sentence = "cv_results_ are ω·error² of rows left out; largest difference, relative to their mean."
        wrong, failure = losses.stored, "cv_results_ are not the squared errors of rows left out."
        claims.append(
            at_most("stored_errors", sentence, Grade.EXACT, wrong, tol, excuse=losses.excuse, failure=failure)
        )
    return claims
