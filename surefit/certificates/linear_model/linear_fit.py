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
from surefit.certificates.search.column_basis import ColumnBases
from surefit.certificates.theorems.least_squares.least_squares_data import Data, predictions, read_data
from surefit.certificates.theorems.least_squares.least_squares_gap import Gap, basis_of, gap_of

EXCUSED = 10.0  # times what storing the coefficients costs in a sum of squares
MOST_EXCUSED = 0.1  # beyond, the precision does not suit the data
RESIDUALS = 10.0  # residuals below this many roundings of their predictions are rounding
SMALLEST_RADIUS = 1.0  # spreads of y: nearly dependent columns must be allowed to move predictions by this much
MOST_SINGULAR = 1000  # columns, for a condition number

Penalty = Callable[[Attributes, int], F64 | None]


def no_penalty(attrs: Attributes, t: int) -> F64:
    return np.zeros(t)


def linear_claims(
    model: Any, blocks: Blocks, tol: float, penalty: Penalty, what: str, remedy: str
) -> tuple[list[Claim], str, tuple[Data, F64, Gap] | None]:
    """The claims on coef_, intercept_ and predict, their cost, and what those of the first penalty were found with."""
    attrs = Attributes(model, "coef_")
    data = read_data(blocks, attrs.flag("fit_intercept", True))
    t = data.y_mean.size
    fit, alpha = read_linear(attrs, t, blocks.n_features, data.intercept), penalty(attrs, t)
    if fit is None or alpha is None:
        return [bad_attributes(attrs)], "one pass", None
    (coef, b), positive = fit, attrs.flag("positive", False)
    unit = epsilon(False, np.asarray(model.coef_), np.asarray(model.intercept_)) / 2
    bases = ColumnBases(data)
    claims = [feasible(coef)] if positive else []
    optimal: list[Claim] = []
    gaps: list[Gap] = []
    for value in dict.fromkeys(alpha.tolist()):
        chosen = np.flatnonzero(alpha == value)
        basis = basis_of(data, bases.propose(value), value, positive)
        gaps.append(gap_of(data.only(chosen), coef[chosen], b[chosen], value, positive, basis, tol))
        optimal += [optimal_claim(gaps[-1], data, int(j), k, unit, tol, what, remedy) for k, j in enumerate(chosen)]
    claims.append(max(optimal, key=lambda claim: (not claim.holds, claim.value or 0.0)))
    claims += [predict_claim(model, blocks, coef, b), *condition(gaps[0], data)]
    return claims, f"{2 + 2 * len(gaps)} passes over the rows", (data, coef, gaps[0])


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


def feasible(coef: F64) -> Claim:
    least = float(coef.min(initial=0.0))
    failure = f"positive=True, but a coefficient is {least:.3g}."
    return at_most("feasible", "No coefficient is negative.", Grade.EXACT, -least, 0.0, failure=failure)


def optimal_claim(gap: Gap, data: Data, j: int, k: int, unit: float, tol: float, what: str, remedy: str) -> Claim:
    """The distance of target j (the k-th here) from the least value, relative to that."""
    low, high, gap_low, gap_high = (float(v[k]) for v in (gap.low, gap.high, gap.gap_low, gap.gap_high))
    square, storing = float(data.y_scale[j]) ** 2, unit**2 * float(gap.sums.size[k])
    spread = float(gap.sums.spread[k]) or float(gap.sums.size[k])
    detail = {"objective": high * square, "gap": gap_high * square, "gap_at_least": gap_low * square, "target": j}
    detail["lower_bound"] = max(0.0, low - gap_high) * square
    radius = float(gap.radius[k]) / np.sqrt(spread) if spread > 0 else np.inf
    # a least value of zero, or of rounding, is nothing to compare with: the residuals are compared with y
    wide = gap.basis.J.size + gap.basis.D.size >= data.rows and high <= tol**2 * spread
    exact = gap.basis.everything and np.isfinite(gap.sums.eta)
    rounding = high <= RESIDUALS**2 * storing and high <= tol * spread
    if rounding or ((wide or exact) and spread > 0):
        sentence = "The residuals are roundings of the predictions"
        sentence = "There are coefficients that fit every row" if exact else "The rows are fitted" if wide else sentence
        if np.isfinite(radius):  # the bounds are those of some coefficients only
            detail |= {"gap": detail["objective"], "lower_bound": 0.0}
        return at_most(
            "optimal",
            f"{sentence}: the {what}, relative to that of y.",
            Grade.OPTIMAL,
            high / spread if spread > 0 else 0.0,
            tol**2 if wide or exact else tol,
            detail,
            excuse=min(MOST_EXCUSED, RESIDUALS**2 * storing / spread) if exact else 0.0,
            lower=low / spread if spread > 0 else 0.0,
            failure=f"{sentence}, and these do not: {remedy}.",
        )
    value = gap_high / (low - gap_high) if low > gap_high else np.inf
    lower = gap_low / (high - gap_low) if high > gap_low else np.inf
    excuse = min(MOST_EXCUSED, EXCUSED * storing / (low - gap_high)) if low > gap_high else 0.0
    share, proved = (100 * v / (1 + v) if np.isfinite(v) else 100.0 for v in (value, lower))
    among, grade, failure = "", Grade.OPTIMAL, f"could be lower by up to {share:.3g} %"
    if np.isfinite(radius):
        columns, grade = gap.bounded - int(data.intercept), Grade.BOUNDED
        named = ", ".join(str(c) for c in columns[:5]) + (", …" if columns.size > 5 else "")
        among = f" for coefficients of columns {named} that move predictions by up to {radius:.0e} spreads of y"
        failure = f"could be lower{among}"
        if radius < SMALLEST_RADIUS and lower <= tol + excuse:
            reason = f"Columns {named} depend on others too closely (or are too many) to bound the {what} from below."
            return failed("optimal", reason, None, tol)
    failure += f", by {proved:.3g} % at least" if lower > tol + excuse else ""
    return at_most(
        "optimal",
        f"The {what} is above the least possible{among} by a relative {value:.1e} at most.",
        grade,
        value,
        tol,
        detail,
        excuse=excuse,
        lower=lower,
        failure=f"The {what} {failure}: {remedy}.",
    )


def predict_claim(model: Any, blocks: Blocks, coef: F64, b: F64) -> Claim:
    """predict gives x·w + b, up to the roundings of a sum in the precision of the rows or of the coefficients."""
    X, given = sample_rows(blocks), np.asarray(model.coef_)
    expected, size = predictions(X, np.ascontiguousarray(coef.T), b)
    u = float(np.finfo(np.float32).eps) / 2 if np.float32 in (X.dtype, given.dtype) else UNIT
    shape = (len(X),) if given.ndim == 1 else expected.shape
    rounding = (gamma(X.shape[1] + 3, u) * size).reshape(shape)
    return numbers_claim(model, "predict", X, expected.astype(np.float64).reshape(shape), rounding)


def condition(gap: Gap, data: Data) -> list[Claim]:
    """Information: the condition number of the independent columns, centered and scaled to norm one: that of T."""
    inner = gap.basis.J >= int(data.intercept)
    rank, d = int(inner.sum()), data.scale.size
    if not 0 < rank <= MOST_SINGULAR or not np.isfinite(gap.sums.eta):
        return []
    scaled = gap.sums.norms[gap.basis.J[inner]][:, None] * gap.basis.T[np.ix_(inner, inner)]
    value = float(np.linalg.cond(scaled))
    sentence = (
        f"Condition number of the centered and scaled columns (rank {rank} of {d}): up to {np.log10(value):.0f} of the "
        "16 digits of the data are missing in the coefficients."
    )
    return [Claim("condition", sentence, Grade.BOUNDED, value, None, True, {"rank": rank})]
