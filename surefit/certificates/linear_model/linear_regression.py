"""Checker of LinearRegression: is this the least-squares fit, and how well is it determined?"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.checker import Findings, checker
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.rounding import UNIT, epsilon
from surefit.certificates.theorems.least_squares import Moments, Projection, Residuals, first_pass, project, second_pass
from surefit.certificates.theorems.optimality import Optimality, optimality, thresholds

BACKWARD = {False: 1e-5, True: 1e-3}
NULL_SPACE = {False: 1e-6, True: 1e-3}


@checker()
def check_linear_regression(model: Any, blocks: Blocks, tol: float) -> Findings:
    """Two passes over the data; one factorisation of d + 1 + t columns where d ≤ 2000."""
    attrs = Attributes(model, "coef_")
    centred, positive = attrs.flag("fit_intercept", True), attrs.flag("positive", False)
    moments = first_pass(blocks)
    coef, intercept = read_linear(attrs, moments, blocks.n_features, centred)
    if coef is None or intercept is None:
        return [bad_attributes(attrs)], "one pass"
    eps = epsilon(moments.single, np.asarray(model.coef_))
    res = second_pass(blocks, moments, coef, intercept, centred)
    if not (np.isfinite(res.scale).all() and np.isfinite(res.gradient).all()):
        return [failed("finite", "The residuals overflow: coefficients of this size fit nothing.")], "two passes"
    opt = optimality(res, coef, np.zeros(len(coef)), eps, positive=positive, n_rows=blocks.n_rows)
    claims = [feasible(coef)] if positive else []
    claims += optimal_claims(opt, "sum of squared residuals", positive)
    if not positive:
        claims.append(
            at_most(
                "backward_error",
                f"The coefficients are the exact answer for data changed by a relative {opt.backward.max():.1e} "
                "at most.",
                Grade.OPTIMAL if opt.proved else Grade.STATIONARY,
                opt.backward.max(),
                BACKWARD[eps > 1e-10],
            )
        )
    view = opt.projections[0]
    if view is not None:
        claims.append(condition(view, coef.shape[1]))
        if view.rank < coef.shape[1] and not positive:
            claims += minimum_norm(res, coef, eps, blocks.n_rows)
        if res.factor is not None and attrs.has("singular_") and not positive:
            claims.append(singular_values(attrs, res.factor, eps))
    return claims, cost_note(view is not None, blocks)


def read_linear(attrs: Attributes, moments: Moments, d: int, centred: bool) -> tuple[F64 | None, F64 | None]:
    """coef_ as (t, d) and intercept_ as (t,), or None with the faults noted."""
    t = moments.n_targets
    coef = attrs.array("coef_", *([(d,), (1, d)] if t == 1 else [(t, d)]))
    intercept = attrs.array("intercept_", *([(), (1,)] if t == 1 else [(), (t,)]))
    if intercept is not None and not centred and intercept.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
        return None, None
    if coef is None or intercept is None:
        return None, None
    return coef.reshape(t, d), np.broadcast_to(intercept.reshape(-1), (t,)).astype(np.float64)


def feasible(coef: F64) -> Claim:
    return at_most(
        "feasible",
        "No coefficient is negative.",
        Grade.EXACT,
        max(0.0, -float(coef.min(initial=0.0))),
        0.0,
        {"negative": int(np.count_nonzero(coef < 0))},
    )


def optimal_claims(opt: Optimality, what: str, positive: bool) -> list[Claim]:
    """The gap where it is proved, and the gradient, column by column."""
    claims = []
    among = " with non-negative coefficients" if positive else ""
    if opt.proved:
        j = int(np.argmax(opt.relative_gap))
        claims.append(
            at_most(
                "optimal",
                f"No coefficients{among} have a {what} lower by more than a relative "
                f"{opt.relative_gap[j]:.1e}{opt.precision_note}.",
                Grade.OPTIMAL,
                opt.relative_gap[j],
                opt.limit,
                {
                    "objective": float(opt.f[j]),
                    "gap": float(opt.gap[j]),
                    "lower_bound": max(0.0, float(opt.f[j] - opt.gap[j])),
                    "rounding": float(opt.floor[j] ** 2),
                    "target": j,
                },
            )
        )
    sentence = (
        "Moving any coefficient (or the intercept) in an allowed direction does not lower the objective: "
        "largest slope, relative to column and residual."
        if positive
        else "The gradient vanishes: residuals (and penalty) are orthogonal to every column and to the intercept; "
        "largest cosine."
    )
    grade = Grade.OPTIMAL if opt.proved else Grade.STATIONARY
    claims.append(at_most("orthogonal", sentence, grade, opt.cosine.max(), np.sqrt(opt.limit)))
    return claims


def condition(view: Projection, d: int, penalty: float = 0.0) -> Claim:
    """The ratio of the largest to the smallest singular value that is not zero, columns scaled to norm one."""
    if not view.rank:
        return Claim(
            "condition",
            f"Rank 0 of {d}: every column is constant to working precision.",
            Grade.BOUNDED,
            1.0,
            None,
            True,
            {"rank": 0},
        )
    kappa = float(view.singular[0] / view.singular[view.rank - 1])
    lost = max(0.0, float(np.log10(kappa)))
    with_penalty = f" with the penalty {penalty:.3g}" if penalty > 0 else ""
    rank = "full rank" if view.rank == d else f"rank {view.rank} of {d}"
    return Claim(
        "condition",
        f"Condition number of the centred and scaled columns{with_penalty} ({rank}): up to {lost:.0f} of the "
        "16 digits of the data are lost in the coefficients.",
        Grade.BOUNDED,
        kappa,
        None,
        True,
        {"rank": view.rank, "digits_lost": lost},
    )


def minimum_norm(res: Residuals, coef: F64, eps: float, n_rows: int) -> list[Claim]:
    """w lies in the row space of A: among all minimisers it is then the shortest (Pythagoras).

    The row space is that of float64, whatever the fit's precision. Directions that may or may not be rounding belong to
    it: they are nobody's claim.
    """
    if res.factor is None or res.projected is None:
        return []
    limit, noise = thresholds(res, n_rows, 2 * UNIT)
    view = project(res.factor, res.projected, limit / 32, noise)
    if view.rank == coef.shape[1]:
        return []
    basis = np.linalg.qr(view.norms[:, None] * view.right)[0]
    outside = coef - (coef @ basis) @ basis.T
    norms = np.linalg.norm(coef, axis=1)
    share = np.linalg.norm(outside, axis=1) / np.where(norms > 0, norms, 1.0)
    claim = at_most(
        "minimum_norm",
        f"Columns are dependent (rank {view.rank} of {coef.shape[1]}); of all best fits this is the shortest: share "
        "of the coefficients outside the row space.",
        Grade.OPTIMAL,
        share.max(),
        NULL_SPACE[eps > 1e-10],
        {"rank": view.rank},
    )
    return [claim]


def singular_values(attrs: Attributes, factor: F64, eps: float) -> Claim:
    claimed = attrs.array("singular_")
    truth = np.linalg.svd(factor, compute_uv=False)
    if claimed is None:
        return failed("singular_values", f"{'; '.join(attrs.faults)}.")
    if claimed.ndim != 1 or claimed.size > max(factor.shape):
        return failed("singular_values", f"singular_ has shape {claimed.shape}.")
    size = max(claimed.size, truth.size)
    a, b = np.zeros(size), np.zeros(size)
    a[: claimed.size], b[: truth.size] = claimed, truth
    top = float(truth[0]) if truth.size and truth[0] > 0 else 1.0
    return at_most(
        "singular_values",
        "singular_ holds the singular values of the centred data; largest error relative to the first.",
        Grade.EXACT,
        np.abs(a - b).max(initial=0.0) / top,
        4000 * eps,
    )


def cost_note(formed: bool, blocks: Blocks) -> str:
    n, d = blocks.n_rows, blocks.n_features
    if formed:
        return f"two passes over the rows, {2.0 * n * d * d:.1e} operations, memory of {d} × {d}"
    return f"two passes over the rows, {8.0 * n * d:.1e} operations; {d} columns are too many for a factor"
