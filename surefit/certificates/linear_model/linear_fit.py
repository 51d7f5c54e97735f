"""The claims on a linear least-squares fit, with a penalty or without: coefficients, intercept and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefit.certificates.attributes import Attributes, bad_attributes
from surefit.certificates.blocks import F64, Blocks
from surefit.certificates.claim import Claim, Grade, at_most, failed
from surefit.certificates.predictions import numbers_claim, sample_rows
from surefit.certificates.rounding import UNIT, epsilon, gamma
from surefit.certificates.search.linear.column_basis import ColumnBases
from surefit.certificates.theorems.least_squares.least_squares_data import Data, predictions, read_data
from surefit.certificates.theorems.least_squares.least_squares_gap import Gap, gap_of
from surefit.certificates.theorems.least_squares.projection import project

EXCUSED = 10.0  # times what storing the coefficients costs in a sum of squares
MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data
RESIDUALS = 10.0  # residuals below this many roundings of their predictions are rounding
SMALLEST_RADIUS = 1.0  # spreads of y: nearly dependent columns must be allowed to move predictions by this much

Penalty = Callable[[Attributes, int], F64 | None]
Combinations = Callable[[Data, F64, F64, F64], F64]  # which columns D are combinations of the columns J, exactly


def none_known(data: Data, J: F64, D: F64, Z: F64) -> F64:
    return np.zeros(D.size, dtype=bool)


def linear_claims(
    model: Any, blocks: Blocks, tol: float, penalty: Penalty, what: str, remedy: str, exact: Combinations = none_known
) -> tuple[list[Claim], str, tuple[Data, F64, Gap] | None]:
    """The claims on coef_, intercept_ and predict, their cost, and what those of the least penalty were found with."""
    attrs = Attributes(model, "coef_")
    data = read_data(blocks, attrs.flag("fit_intercept", True))
    t = data.y_mean.size
    fit, alpha = read_linear(attrs, t, blocks.n_features, data.intercept), penalty(attrs, t)
    if fit is None or alpha is None:
        return [bad_attributes(attrs)], "one pass", None
    (coef, b), positive = fit, attrs.flag("positive", False)
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    bases, claims, optimal, gaps = ColumnBases(data), list[Claim](), list[Claim](), list[Gap]()
    at_zero = np.hstack([np.zeros((t, int(data.intercept)), dtype=bool), positive & (coef == 0)])
    groups = [np.array([j]) for j in range(t)] if positive else [np.flatnonzero(alpha == v) for v in np.unique(alpha)]
    for chosen in groups:
        value, held = float(alpha[chosen[0]]), at_zero[chosen].T if positive else None
        J, T, Z = bases.propose(value, left_out=at_zero[chosen[0]])
        sums = project(data, coef[chosen], b[chosen], value, J, T, chosen)
        gaps.append(gap_of(data, sums, value, exact(data, J, sums.D, Z), held, tol))
        optimal += [optimal_claim(gaps[-1], data, int(j), k, unit, tol, what, remedy) for k, j in enumerate(chosen)]
    if positive:
        least = float(coef.min(initial=0.0))
        failure = f"positive=True, but a coefficient is {least:.3g}."
        claims.append(at_most("feasible", "No coefficient is negative.", Grade.EXACT, -least, 0.0, failure=failure))
    claims.append(max(optimal, key=lambda claim: (not claim.holds, claim.value or 0.0)))
    return [*claims, predict_claim(model, blocks, coef, b)], f"{2 + 2 * len(gaps)} passes", (data, coef, gaps[0])


def read_linear(attrs: Attributes, t: int, d: int, with_intercept: bool) -> tuple[F64, F64] | None:
    """coef_ as (t, d) and intercept_ as (t,), or None with the faults noted."""
    coef = attrs.array("coef_", *([(d,), (1, d)] if t == 1 else [(t, d)]))
    intercept = attrs.array("intercept_", *([(), (1,)] if t == 1 else [(), (t,)]))
    if intercept is not None and not with_intercept and intercept.any():
        attrs.faults.append("intercept_ is not zero although fit_intercept is false")
        return None
    if coef is None or intercept is None:
        return None
    return coef.reshape(t, d), np.broadcast_to(intercept.reshape(-1), (t,)).astype(np.float64)


def optimal_claim(gap: Gap, data: Data, j: int, k: int, unit: float, tol: float, what: str, remedy: str) -> Claim:
    """The distance of target j (the k-th here) from the least value, relative to that."""
    low, high, gap_low, gap_high = (float(v[k]) for v in (gap.low, gap.high, gap.gap_low, gap.gap_high))
    size, least = float(gap.sums.size[k]), low - gap_high
    spread, storing = float(gap.sums.spread[k]) or size, unit**2 * size
    of_y = spread if spread > 0 else 1.0  # where y and the coefficients are zero
    radius = float(gap.radius[k]) / np.sqrt(spread) if spread > 0 else np.inf
    detail = {"objective": high, "gap": gap_high, "gap_at_least": gap_low, "lower_bound": max(0.0, least), "target": j}
    # a least value of zero, or of rounding, is nothing to compare with: the residuals are compared with y
    wide = gap.everything or (len(gap.sums.g) >= data.rows and high <= tol**2 * spread)
    if (wide and spread > 0) or (high <= RESIDUALS**2 * storing and high <= tol * spread):
        return at_most(
            "optimal",
            f"The rows are fitted: the {what}, relative to that of y.",
            Grade.OPTIMAL,
            high / of_y,
            tol**2 if wide else tol,
            {**detail, "gap": high, "lower_bound": 0.0},
            excuse=min(MOST_EXCUSED, RESIDUALS**2 * storing / of_y) if gap.everything else 0.0,
            lower=low / of_y,
            failure=f"There are coefficients that fit every row, and these do not: {remedy}.",
        )
    value, excuse = (gap_high / least, min(MOST_EXCUSED, EXCUSED * storing / least)) if least > 0 else (np.inf, 0.0)
    lower = gap_low / (high - gap_low) if high > gap_low else np.inf
    among, grade = "", Grade.OPTIMAL
    if np.isfinite(radius):
        named = ", ".join(str(c) for c in (gap.bounded - int(data.intercept))[:5]) + ", …" * (gap.bounded.size > 5)
        among = f" for coefficients of columns {named} that move predictions by up to {radius:.0e} spreads of y"
        grade = Grade.BOUNDED
        if radius < SMALLEST_RADIUS and lower <= tol + excuse:
            reason = f"Columns {named} depend on others too closely (or are too many) to bound the {what} from below."
            return failed("optimal", reason, None, tol)
    share, proved = (100 * v / (1 + v) if np.isfinite(v) else 100.0 for v in (value, lower))
    surely = f", by {proved:.3g} % at least" if lower > tol + excuse else ""
    return at_most(
        "optimal",
        f"The {what} is above the least possible{among} by a relative {value:.1e} at most.",
        grade,
        value,
        tol,
        detail,
        excuse=excuse,
        lower=lower,
        failure=f"The {what} could be lower by up to {share:.3g} %{among}{surely}: {remedy}.",
    )


def predict_claim(model: Any, blocks: Blocks, coef: F64, b: F64) -> Claim:
    """predict gives x·w + b, up to the roundings of a sum in the precision of the rows or of the coefficients."""
    X, given = sample_rows(blocks), np.asarray(model.coef_)
    expected, size = predictions(X.astype(np.float64), coef, b)
    u = float(np.finfo(np.float32).eps) / 2 if np.float32 in (X.dtype, given.dtype) else UNIT
    shape = (len(X),) if given.ndim == 1 else expected.shape
    rounding = (gamma(X.shape[1] + 3, u) * size).reshape(shape)
    return numbers_claim(model, "predict", X, expected.astype(np.float64).reshape(shape), rounding)
