"""The table of a logistic regression: standard errors, z, p, intervals, deviance.

At the maximum the inverse of the second derivative H of the negative log-likelihood estimates the covariance of the
coefficients, so var(wⱼ) = (H⁻¹)ⱼⱼ and z = wⱼ / √var is standard normal for large samples when wⱼ is truly zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.utils.validation import check_is_fitted

from surefit._core.errors import InvalidParameter
from surefit.linear_model.summary import NoInference


@dataclass(frozen=True)
class LogisticSummary:
    """One row for each coefficient, the intercept first; one leading axis for the classes when there are several."""

    names: tuple[str, ...]
    classes: tuple[Any, ...]
    """The class each table speaks for."""
    coef: np.ndarray
    standard_error: np.ndarray
    z: np.ndarray
    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float
    n_observations: float
    log_likelihood: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python numbers, strings and lists, ready for JSON."""
        return {
            name: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
            for name, value in ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        }

    def _rows(self, k: int) -> list[list[str]]:
        per_cent = f"{100 * self.level:g} %"
        rows = [["", "coef", "std error", "z", "p", f"{per_cent} from", "to"]]
        for j, name in enumerate(self.names):
            numbers = [f[k, j] for f in (self.coef, self.standard_error, self.z, self.p, self.low, self.high)]
            texts = [f"{number:.6g}" for number in numbers]
            texts[2], texts[3] = f"{numbers[2]:.3g}", f"{numbers[3]:.3g}"
            rows.append([name, *texts])
        return rows

    def _head(self) -> str:
        return f"log-likelihood {self.log_likelihood:.6g}   observations {self.n_observations:g}"

    def __str__(self) -> str:
        lines = [self._head()]
        for k, label in enumerate(self.classes):
            rows = self._rows(k)
            widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
            lines += ["", f"class {label}"]
            lines += [
                "  ".join(
                    t.ljust(w) if i == 0 else t.rjust(w) for i, (t, w) in enumerate(zip(row, widths, strict=True))
                )
                for row in rows
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(self._head())}</p>"]
        for k, label in enumerate(self.classes):
            rows = self._rows(k)
            head = "".join(f"<th>{escape(text)}</th>" for text in rows[0])
            body = "".join(
                f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(text)}</td>' for text in row[1:])}</tr>"
                for row in rows[1:]
            )
            parts.append(
                f"<p><strong>class {escape(str(label))}</strong></p>"
                f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            )
        return "".join(parts)


def summarise_logistic(model: Any, level: float) -> LogisticSummary:
    check_is_fitted(model, "coef_")
    if not 0 < level < 1:
        raise InvalidParameter(f"summary(level=…) must be a number > 0 and < 1; got {level!r}.")
    if not math.isinf(model.C) and model.penalty is not None:
        raise NoInference("standard errors are those of a fit without a penalty: use LogisticRegression(C=inf)")
    if model.separation_ is not None:
        raise NoInference("the classes are separated: the likelihood has no maximum, and there are no standard errors")
    if model._inference is None:
        raise NoInference(
            "columns depend on each other (or the fit is not finished, or has very many parameters): there are no "
            "standard errors"
        )
    with_intercept = bool(model.fit_intercept)
    errors = model._inference["errors"]
    coef = np.asarray(model.coef_, dtype=np.float64)
    columns = getattr(model, "feature_names_in_", [f"x{j}" for j in range(coef.shape[1])])
    names = tuple(str(name) for name in columns)
    if with_intercept:
        coef = np.hstack([np.asarray(model.intercept_, dtype=np.float64)[:, None], coef])
        errors = np.hstack([errors[:, -1:], errors[:, :-1]])
        names = ("intercept", *names)
    z = coef / errors
    reach = float(ndtri(0.5 + level / 2)) * errors
    labels = model.classes_[1:] if len(coef) == 1 else model.classes_
    return LogisticSummary(
        names,
        tuple(label.item() if isinstance(label, np.generic) else label for label in labels),
        coef,
        errors,
        z,
        2 * ndtr(-np.abs(z)),
        coef - reach,
        coef + reach,
        level,
        float(model._inference["weight"]),
        -float(model.history_[-1]),
    )
