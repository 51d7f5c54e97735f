"""The table of a regression: standard errors, t, p, intervals, R², F.

With F the triangular factor of the centered data (FᵀF = XᵀX), ν degrees of freedom and σ² = residual sum / ν:

    var(wⱼ) = σ² ‖row j of F⁻¹‖²           var(b) = σ² (1/Σω + ‖F⁻ᵀ x̄‖²)

A weight of two is a row repeated, so ν = Σω − columns − intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidParameter, SurefitError


class NoInference(SurefitError, ValueError):
    """Standard errors do not exist for this fit; the message says why."""


@dataclass(frozen=True)
class Summary:
    """One row for each coefficient, the intercept first. Arrays gain a leading axis when there are several targets."""

    names: tuple[str, ...]
    coef: np.ndarray
    standard_error: np.ndarray
    t: np.ndarray
    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float
    n_observations: float
    degrees_of_freedom: float
    residual_sd: float | np.ndarray
    r_squared: float | np.ndarray
    adjusted_r_squared: float | np.ndarray
    f_statistic: float | np.ndarray
    f_p: float | np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain Python numbers, strings and lists, ready for JSON."""
        return {
            name: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
            for name, value in ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        }

    def _targets(self) -> list[int | tuple[()]]:
        return [()] if self.coef.ndim == 1 else list(range(len(self.coef)))

    def _head(self, k: Any) -> list[str]:
        pick = (lambda value: value) if k == () else (lambda value: value[k])
        columns = len(self.names) - (self.names[0] == "intercept")
        return [
            f"R² {pick(self.r_squared):.6g}   adjusted {pick(self.adjusted_r_squared):.6g}   "
            f"residual sd {pick(self.residual_sd):.6g}",
            f"F({columns}, {self.degrees_of_freedom:g}) {pick(self.f_statistic):.6g}   p {pick(self.f_p):.3g}   "
            f"observations {self.n_observations:g}",
        ]

    def _rows(self, k: Any) -> list[list[str]]:
        per_cent = f"{100 * self.level:g} %"
        rows = [["", "coef", "std error", "t", "p", f"{per_cent} from", "to"]]
        for j, name in enumerate(self.names):
            numbers = [field[k][j] for field in (self.coef, self.standard_error, self.t, self.p, self.low, self.high)]
            texts = [f"{number:.6g}" for number in numbers]
            texts[3] = f"{numbers[3]:.3g}"
            rows.append([name, *texts])
        return rows

    def __str__(self) -> str:
        lines = []
        for k in self._targets():
            rows = self._rows(k)
            widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
            lines += ([] if k == () else [f"target {k}"]) + self._head(k) + [""]
            lines += [
                "  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in cells)
                for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = []
        for k in self._targets():
            rows = self._rows(k)
            title = "" if k == () else f"<strong>target {k}</strong><br>"
            head = "".join(f"<th>{escape(text)}</th>" for text in rows[0])
            body = "".join(
                f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(text)}</td>' for text in row[1:])}</tr>"
                for row in rows[1:]
            )
            caption = "<br>".join(escape(line) for line in self._head(k))
            parts.append(f"<p>{title}{caption}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "".join(parts)


def summarise(model: Any, level: float) -> Summary:
    check_is_fitted(model, "coef_")
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise InvalidParameter(f"summary(level=…) must be a number > 0 and < 1; got {level!r}")
    state = _state_or_refusal(model)
    coef = np.atleast_2d(model.coef_).astype(np.float64)
    d, intercept = coef.shape[1], bool(model.fit_intercept)
    weight, factor = float(state["weight"]), state["factor"]
    dof = weight - d - intercept
    if not dof > 0:
        raise NoInference(
            f"standard errors need more observations than coefficients: {weight:g} observations (the sum of the "
            f"weights) for {d + intercept} coefficients leave {dof:g} degrees of freedom"
        )
    unscaled = _unscaled_variances(factor, state["mean"], weight, intercept)
    rss, tss = state["residual_ss"], state["total_ss"]
    sigma = np.sqrt(rss / dof)
    if intercept:
        coef = np.hstack([np.atleast_1d(model.intercept_).astype(np.float64)[:, None], coef])
    error = sigma[:, None] * np.sqrt(unscaled)
    # no residual and no coefficient: 0/0 is reported as nan, a coefficient without error as infinitely significant
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / error
        r_squared = np.where(tss > 0, 1 - rss / tss, np.nan)
        f = ((tss - rss) / d) / (rss / dof)
    from scipy import stats

    half_width = stats.t.ppf(0.5 + level / 2, dof) * error
    names = getattr(model, "feature_names_in_", None)
    names = [f"x{j}" for j in range(d)] if names is None else [str(name) for name in names]
    single = model.coef_.ndim == 1

    def shaped(value: np.ndarray) -> Any:
        return (float(value[0]) if value.ndim == 1 else value[0]) if single else value

    return Summary(
        names=(*(["intercept"] if intercept else []), *names),
        coef=shaped(coef),
        standard_error=shaped(error),
        t=shaped(t),
        p=shaped(2 * stats.t.sf(np.abs(t), dof)),
        low=shaped(coef - half_width),
        high=shaped(coef + half_width),
        level=float(level),
        n_observations=weight,
        degrees_of_freedom=dof,
        residual_sd=shaped(sigma),
        r_squared=shaped(r_squared),
        adjusted_r_squared=shaped(1 - (1 - r_squared) * (weight - intercept) / dof),
        f_statistic=shaped(f),
        f_p=shaped(stats.f.sf(f, d, dof)),
    )


def _state_or_refusal(model: Any) -> dict[str, Any]:
    state = getattr(model, "_inference", None)
    if state is not None:
        return state
    if model.positive:
        raise NoInference(
            "standard errors do not hold for positive=True: a coefficient held at zero has no normal distribution. "
            "Fit with positive=False for a summary"
        )
    rank = getattr(model, "rank_", None)
    if rank is None:
        raise NoInference("this sparse data was solved by iteration, which gives no covariance; use fewer columns")
    raise NoInference(
        f"the columns of X depend on each other: rank {rank} of {model.n_features_in_}. Single coefficients are not "
        "determined by the data; drop columns (constant, duplicated, or more columns than rows)"
    )


def _unscaled_variances(factor: np.ndarray, mean: np.ndarray, weight: float, intercept: bool) -> np.ndarray:
    """The diagonal of (XᵀX)⁻¹, the intercept first, through columns of unit norm."""
    norms = np.sqrt((factor**2).sum(axis=0))
    inverse = scipy.linalg.solve_triangular(factor / norms, np.eye(len(norms)), check_finite=False)
    variances = ((inverse / norms[:, None]) ** 2).sum(axis=1)
    if not intercept:
        return variances
    lean = (mean / norms) @ inverse
    return np.concatenate([[1 / weight + lean @ lean], variances])
