"""Leave-one-out without n fits: what each row is answered by the model of all other rows, in closed form.

* Least squares and ridge, with leverages hᵢ:  yᵢ − ŷ₋ᵢ = rᵢ / (1 − hᵢ), r the residuals of the one fit.
* Kernel ridge, with G = (K + α W⁻¹)⁻¹:  yᵢ − ŷ₋ᵢ = (G y)ᵢ / Gᵢᵢ.
* Neighbors: those of a row among the other rows.

A row of weight ω is left out as a whole; one of weight zero is answered by the fit of all. Where a closed form does
not hold (coefficients that must be positive, columns that depend on each other, a class of one row) there is none, and
the caller fits n times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.base import clone

from surefit._core.base import Estimator
from surefit._core.data.intake import take_weights
from surefit._core.threads import single_threaded_blas
from surefit.engine.open import open_data
from surefit.kernel_ridge import KernelRidge
from surefit.kernels.gram import GramRows
from surefit.solvers.kernel_system.leave_one_out import leave_one_out as kernel_leave_one_out
from surefit.solvers.kernel_system.system import KernelSystem
from surefit.solvers.least_squares.leave_one_out import leave_one_out as ridge_leave_one_out

DENSE = 5 * 10**7
"""Entries of a sparse matrix that may be filled in."""
DEPENDENT = 1e-7
"""Columns (of length one) whose smallest singular value is below this are too near to dependent."""
DECIDES = 1e-6
"""Where 1 − hᵢ is smaller the row decides a coefficient alone: it is left out by fitting again."""
OF_THE_DATA = ("seuclidean", "mahalanobis")
"""Metrics that are learnt from the rows, and change when one is left out."""


class LeftOut(NamedTuple):
    """What every row is answered when it is left out."""

    predict: np.ndarray
    predict_proba: np.ndarray | None = None
    classes: np.ndarray | None = None


class _Reader(Estimator):
    """Stands in for the model while its data is opened."""


Form = Callable[[Any, Any, Any, np.ndarray | None], LeftOut | None]


def left_out(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> LeftOut | None:
    """The answers in closed form; None where this estimator has none for these data."""
    form = closed_form_of(estimator)
    if form is None or y is None:
        return None
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or X.shape[0] < 3:
        return None
    with single_threaded_blas():
        return form(estimator, X, y, take_weights(sample_weight, X.shape[0]))


def closed_form_of(estimator: Any) -> Form | None:
    """By the class itself, surefit's or scikit-learn's; a class derived from it may do anything."""
    cls = type(estimator)
    return FORMS.get(cls.__name__) if cls.__module__.partition(".")[0] in ("surefit", "sklearn") else None


def _fitted(model: Any, X: Any, y: Any, w: np.ndarray | None) -> Any:
    model = clone(model)
    return model.fit(X, y) if w is None else model.fit(X, y, sample_weight=w)


def least_squares(model: Any, X: Any, y: Any, w: np.ndarray | None) -> LeftOut | None:
    """r / (1 − h) with the leverages from an orthogonal factor of the centered columns."""
    n, d = X.shape
    if model.positive or n <= d + 1 or (sp.issparse(X) and n * d > DENSE):
        return None
    full = _fitted(model, X, y, w)
    left = _leverage_gaps(X, np.ones(n) if w is None else w, model.fit_intercept)
    if left is None:
        return None
    Y, answers = np.asarray(y, dtype=np.float64), np.asarray(full.predict(X), dtype=np.float64)
    alone = np.flatnonzero(left < DECIDES)
    gaps = np.where(left < DECIDES, 1.0, left)
    found = Y - ((Y - answers).T / gaps).T
    for i in alone.tolist():
        others = np.flatnonzero(np.arange(n) != i)
        again = _fitted(model, X[others], Y[others], None if w is None else w[others])
        found[i] = again.predict(X[[i]])[0]
    return LeftOut(found)


def _leverage_gaps(X: Any, w: np.ndarray, centered: bool) -> np.ndarray | None:
    """1 − hᵢ of every row; None where the columns depend on each other."""
    A = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    A = A - (w @ A / w.sum() if centered else 0.0)
    A *= np.sqrt(w)[:, None]
    size = np.linalg.norm(A, axis=0)
    A = A[:, size > 1e-12 * size.max(initial=0.0)]
    A /= np.linalg.norm(A, axis=0)
    gaps = 1.0 - w / w.sum() if centered else np.ones(len(w))
    if not A.shape[1]:
        return gaps
    Q, R = scipy.linalg.qr(A, mode="economic", check_finite=False)
    if scipy.linalg.svdvals(R, check_finite=False)[-1] < DEPENDENT:
        return None
    return gaps - np.einsum("ij,ij->i", Q, Q)


def ridge(model: Any, X: Any, y: Any, w: np.ndarray | None) -> LeftOut | None:
    """One eigendecomposition of the products of columns (or rows, where there are fewer)."""
    alphas = np.atleast_1d(np.asarray(model.alpha, dtype=np.float64))
    if model.positive or not (alphas > 0).all():
        return least_squares(model, X, y, w) if not model.positive and not alphas.any() else None
    full = _fitted(model, X, y, w)  # for its refusals, and the shape of its answers
    data = open_data(_Reader(), X, y, w, target=True)
    if full.predict(X[[0]]).reshape(1, -1).shape[1] != data.n_targets or len(alphas) not in (1, data.n_targets):
        return None
    errors = ridge_leave_one_out(data, np.unique(alphas), fit_intercept=bool(model.fit_intercept)).errors()
    return LeftOut(_answers(errors, alphas, y)) if np.isfinite(errors).all() else None


def kernel_ridge(model: Any, X: Any, y: Any, w: np.ndarray | None) -> LeftOut | None:
    """(G y)ᵢ / Gᵢᵢ, from one decomposition of the Gram matrix."""
    alphas = np.atleast_1d(np.asarray(model.alpha, dtype=np.float64))
    if not (alphas > 0).all():
        return None
    ours = KernelRidge(**{name: value for name, value in model.get_params(deep=False).items() if name != "solver"})
    full = _fitted(ours, X, y, w)
    kept = np.arange(X.shape[0]) if w is None else np.flatnonzero(w > 0)
    Y = np.asarray(y, dtype=np.float64).reshape(X.shape[0], -1)
    rows = full.X_fit_
    if full.kernel_.reads_pairs:
        gram, inputs = GramRows(full.kernel_, rows, dtype=np.float64).subset(kept), None
    else:
        inputs = rows[kept]
        gram = GramRows(full.kernel_, inputs, dtype=np.float64)
    system = KernelSystem(gram, inputs, None if w is None else w[kept])
    errors = np.empty((*Y.shape, len(np.unique(alphas))))
    errors[kept] = kernel_leave_one_out(system, np.unique(alphas), Y[kept]).errors
    found = _answers(errors, alphas, y)
    without = np.setdiff1d(np.arange(X.shape[0]), kept)
    if len(without):
        found[without] = full.predict(X[without])
    return LeftOut(found) if np.isfinite(found).all() else None


def _answers(errors: np.ndarray, alphas: np.ndarray, y: Any) -> np.ndarray:
    """y − e in the shape of y; errors are (n, t, A) for the distinct penalties in rising order."""
    targets = np.asarray(y, dtype=np.float64)
    places = np.broadcast_to(np.searchsorted(np.unique(alphas), alphas), (errors.shape[1],))
    chosen = errors[:, np.arange(errors.shape[1]), places]
    return targets - chosen.reshape(targets.shape)


def neighbors(model: Any, X: Any, y: Any, w: np.ndarray | None) -> LeftOut | None:
    """The neighbors of a row that was fitted, itself left out; equal distances are decided as in a fit without it."""
    y = np.asarray(y)
    if w is not None or model.metric in OF_THE_DATA or not _fits_without_one(model, X.shape[0]):
        return None
    classifier = hasattr(model, "predict_proba")
    if classifier and (y.ndim != 1 or np.unique(y, return_counts=True)[1].min() < 2):
        return None
    full = _fitted(model, X, y, None)
    if not classifier:
        return LeftOut(np.asarray(full.predict(None)))
    return LeftOut(np.asarray(full.predict(None)), np.asarray(full.predict_proba(None)), full.classes_)


def _fits_without_one(model: Any, n_rows: int) -> bool:
    return isinstance(model.n_neighbors, (int, np.integer)) and int(model.n_neighbors) < n_rows


FORMS: dict[str, Form] = {
    "LinearRegression": least_squares,
    "Ridge": ridge,
    "KernelRidge": kernel_ridge,
    "KNeighborsClassifier": neighbors,
    "KNeighborsRegressor": neighbors,
}
