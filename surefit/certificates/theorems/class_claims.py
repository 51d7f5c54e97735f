"""Claims that classifiers with a model of every class share: prior probabilities and class means."""

from __future__ import annotations

import numpy as np

from surefit.certificates.attributes import Attributes
from surefit.certificates.blocks import F64
from surefit.certificates.claim import Claim, Grade, at_most
from surefit.certificates.rounding import typical

SUM_TO_ONE = 1e-5  # how far given priors may be from one before they are divided by their sum


def read_numbers(attrs: Attributes, name: str, n: int) -> F64 | None:
    """A parameter that is None or n numbers that are not negative; a fault for anything else."""
    given = getattr(attrs.model, name, None)
    if given is None:
        return None
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # ragged lists
        array = np.asarray("")
    if array.dtype.kind not in "biuf" or array.shape != (n,) or not (np.isfinite(array) & (array >= 0)).all():
        attrs.faults.append(f"{name} is neither None nor {n} numbers that are not negative")
        return None
    return array.astype(np.float64)


def prior_options(given: F64 | None, share: F64, normalise: bool) -> list[F64]:
    """What the priors may be: the shares of the weights, or those given, divided by their sum where that is not one."""
    if given is None:
        return [share]
    total = float(given.sum())
    if not normalise or not total > 0:
        return [given]
    return [given / total] if abs(total - 1.0) > 2 * SUM_TO_ONE else [given, given / total]


def priors_claim(name: str, stated: F64, options: list[F64], n_rows: int, eps: float) -> Claim:
    errors = [float(np.abs(stated - option).max()) for option in options]
    return at_most(
        name,
        f"{name} are the shares of the rows' weights, or the ones given as a parameter; largest error.",
        Grade.EXACT,
        min(errors),
        32.0 * typical(n_rows, eps),
    )


def means_claim(name: str, stated: F64, means: F64, size: F64, n_rows: int, eps: float) -> Claim:
    off = np.abs(stated - means) / np.where(size > 0, size, 1.0)
    return at_most(
        name,
        f"{name} are the means of every class; largest error relative to the column's size.",
        Grade.EXACT,
        off.max(initial=0.0),
        32.0 * typical(n_rows, eps),
    )


def counts_claim(name: str, stated: F64, truth: F64, n_rows: int, eps: float, size: F64 | None = None) -> Claim:
    """Sums of weights (or of what is counted), relative to their size."""
    size = np.abs(truth) if size is None else size
    off = np.abs(stated - truth) / np.where(size > 0, size, 1.0)
    return at_most(
        name,
        f"{name} is what a recount of the rows gives; largest relative error.",
        Grade.EXACT,
        off.max(initial=0.0),
        32.0 * typical(n_rows, eps),
    )


def logs_claim(name: str, sentence: str, stated: F64, truth: F64, n_rows: int, eps: float) -> Claim:
    """Logarithms of probabilities: a difference is a relative error of the probability. −∞ must be −∞."""
    same = stated == truth
    off = np.where(same, 0.0, np.abs(stated - np.where(same, 0.0, truth)) / (1.0 + np.abs(truth)))
    off = np.where(np.isinf(truth) & ~same, np.inf, off)
    return at_most(name, f"{sentence}; largest error.", Grade.EXACT, off.max(initial=0.0), 64.0 * typical(n_rows, eps))


def log_prior_claim(attrs: Attributes, stated: F64, given: F64 | None, weight: F64, n_rows: int, eps: float) -> Claim:
    """class_log_prior_: the ones given, the shares of the weights, or all alike."""
    k = len(weight)
    if given is not None:
        truth = np.log(given)
    elif attrs.flag("fit_prior", True):
        truth = np.log(weight) - np.log(weight.sum())
    else:
        truth = np.full(k, -np.log(k))
    sentence = "class_log_prior_ are the logarithms of the shares of the classes, of the priors given, or all alike"
    return logs_claim("class_log_prior_", sentence, stated, truth, n_rows, eps)


def read_alpha(attrs: Attributes, n: int | None) -> F64 | None:
    """The smoothing, one number (or n of them where n is given), raised to 1e-10 unless `force_alpha`."""
    try:
        alpha = np.asarray(attrs.parameter("alpha", 1.0))
    except (TypeError, ValueError):  # ragged lists
        alpha = np.asarray("")
    shapes = [()] if n is None else [(), (n,)]
    if alpha.dtype.kind not in "biuf" or alpha.shape not in shapes or not (np.isfinite(alpha) & (alpha >= 0)).all():
        attrs.faults.append("alpha is not a number from 0 up, or one per column")
        return None
    alpha = alpha.astype(np.float64)
    return alpha if attrs.flag("force_alpha", True) else np.maximum(alpha, 1e-10)
