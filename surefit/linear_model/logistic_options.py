"""Which penalty a set of scikit-learn's parameters means, and what the user is told, in scikit-learn's words."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.solvers.logistic.fit import Fit
from surefit.solvers.logistic.logistic import Penalty

_LEVEL = 5  # from here through fit and its frame to the caller


def penalty_of(p: Any) -> Penalty:
    """(1 − l1_ratio)/C and l1_ratio/C, or nothing; liblinear penalises b / intercept_scaling like a slope."""
    kind = _kind(p)
    _check_solver(p.solver, kind, p.dual)
    if kind != "elasticnet" and p.l1_ratio is not None and 0 < p.l1_ratio < 1:
        _warn(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})")
    if (p.penalty == "l2" and p.l1_ratio != 0) or (p.penalty == "l1" and p.l1_ratio != 1):
        _warn(
            f"Inconsistent values: penalty={p.penalty} with l1_ratio={p.l1_ratio}. penalty is deprecated. "
            "Please use l1_ratio only."
        )
    if kind == "elasticnet" and p.l1_ratio is None:
        raise InvalidParameter("l1_ratio must be specified when penalty is elasticnet.")
    if p.penalty is None and p.C != 1.0:
        _warn("Setting penalty=None will ignore the C and l1_ratio parameters")
    if kind is None or math.isinf(p.C):
        return Penalty(0.0, 0.0, 0.0, 0.0)
    ratio = {"l2": 0.0, "l1": 1.0}.get(kind, p.l1_ratio)
    ridge, lasso = (1.0 - ratio) / float(p.C), ratio / float(p.C)
    share = 1.0 / float(p.intercept_scaling) if p.solver == "liblinear" and p.fit_intercept else 0.0
    return Penalty(ridge, lasso, ridge * share**2, lasso * share)


def _kind(p: Any) -> str | None:
    if p.penalty != "deprecated":
        _warn(
            "'penalty' was deprecated in version 1.8 and will be removed in 1.10. To avoid this warning, leave "
            "'penalty' set to its default value and use 'l1_ratio' or 'C' instead. Use l1_ratio=0 instead of "
            "penalty='l2', l1_ratio=1 instead of penalty='l1', l1_ratio set to a float between 0 and 1 instead of "
            "penalty='elasticnet', and C=np.inf instead of penalty=None.",
            FutureWarning,
        )
        return p.penalty
    if p.l1_ratio is None:
        _warn(
            "'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10. "
            "Use 0<=l1_ratio<=1 instead.",
            FutureWarning,
        )
    if math.isinf(p.C):
        return None
    return "l2" if not p.l1_ratio else "l1" if p.l1_ratio == 1 else "elasticnet"


def _check_solver(solver: str, kind: str | None, dual: bool) -> None:
    if solver not in ("liblinear", "saga") and kind not in ("l2", None):
        raise InvalidParameter(f"Solver {solver} supports only 'l2' or None penalties, got {kind} penalty.")
    if solver != "liblinear" and dual:
        raise InvalidParameter(f"Solver {solver} supports only dual=False, got dual={dual}")
    if kind == "elasticnet" and solver != "saga":
        raise InvalidParameter(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}.")
    if solver == "liblinear" and kind is None:
        raise InvalidParameter("C=np.inf as well as penalty=None is not supported for the liblinear solver")


def refuse_wide_indices(X: Any, solver: str, penalty: Penalty) -> None:
    """scikit-learn's refusal, where another name of the solver has the same answer and takes the rows."""
    if solver not in ("liblinear", "sag", "saga") or penalty.lasso or not sp.issparse(X):
        return
    index = {name: getattr(X, name) for name in ("indices", "indptr", "row", "col") if hasattr(X, name)}
    wide = [name for name, numbers in index.items() if getattr(numbers, "dtype", None) == np.int64]
    if wide:
        raise InvalidData(
            f"Only sparse matrices with 32-bit integer indices are accepted by solver={solver!r}; {wide[0]} has int64 "
            "integer indices. Use solver='lbfgs', which takes them."
        )


def too_few_classes(classes: np.ndarray, solver: str) -> None:
    if solver == "liblinear" and len(classes) > 2:
        raise InvalidParameter(
            "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use another "
            "solver or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest scheme. Only "
            "binary classification is supported. The type of the target is multiclass."
        )
    if len(classes) < 2:
        raise InvalidData(
            "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{classes[0]!r}"
        )


def _warn(message: str, category: type[Warning] = UserWarning) -> None:
    warnings.warn(message, category, stacklevel=_LEVEL + (category is FutureWarning))


_FAILED = {
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "newton-cholesky": "Newton solver did not converge after {n} iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge.",
    "saga": "The max_iter was reached which means the coef_ did not converge.",
}


def warnings_of(fit: Fit, solver: str, max_iter: int, target: float) -> Iterator[tuple[str, type[Warning]]]:
    """What the user must be told."""
    if fit.separation is not None:
        yield (
            "the classes can be separated and there is no penalty, so the likelihood has no maximum: coefficients "
            f"grow for ever (stopped after {fit.n_iter} iterations; separation_ holds the direction that proves "
            "it). Use a penalty (a finite C) for coefficients that mean something.",
            ConvergenceWarning,
        )
    elif fit.at_rounding:
        yield (
            f"stopped after {fit.n_iter} iterations at a relative gap of {fit.rel_gap:.1e} (tol {target:.0e}): "
            "rounding hides what is left. Columns of similar size, or a smaller C, leave less.",
            ConvergenceWarning,
        )
    elif not fit.finished:
        lead = _FAILED.get(solver, f"{solver} failed to converge. Increase the number of iterations.")
        lead = lead.format(n=fit.n_iter)
        missing = "unknown" if math.isnan(fit.rel_gap) else f"{fit.rel_gap:.1e}"
        yield (
            f"{lead} It stopped after {fit.n_iter} iterations at a relative gap of {missing} (tol {target:.0e}); "
            f"max_iter={max_iter}.",
            ConvergenceWarning,
        )
