"""The batch perceptron: updates on rows of the wrong side until there are none, or a proof that there always are."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.threads import thread_count
from surefit.linear_model.two_classes import TwoClassClassifier, TwoClasses, least_violations
from surefit.solvers.linear_program.linear_program import Solution
from surefit.solvers.margin.batch_perceptron import MOST_WORK, SEPARATED, STEP_WORK, BatchPerceptronVisit
from surefit.solvers.margin.farkas import farkas_vector
from surefit.solvers.margin.max_margin import shortest_separator
from surefit.solvers.margin.signed_rows import SignedRows
from surefit.summaries.canonical import canonical_rows, example_hashes


class BatchPerceptron(TwoClassClassifier):
    """(w, b) ← (w, b) + σᵢ (xᵢ, 1)  on a row with  σᵢ (xᵢ·w + b) ≤ 0 ,  σᵢ = ±1 , from zero, until there is none.

    By Novikoff's theorem at most (R·B)² updates are made where a hyperplane separates the classes. Where none does the
    updates would never end: they are broken off, a Farkas vector proves it, and the answer has the smallest sum of
    violations, as that of `LinearProgramClassifier`.

    Distinct rows are visited in an order that depends on their contents alone; weights matter only as zero or not zero
    while the classes are separable.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    separable_ : bool or None
        True where every row is on its side of the hyperplane, False where `farkas_` proves that none can do that, None
        where the updates were stopped before either was known of these coefficients.
    n_updates_ : int
    bound_ : float
        (R·B)²: R the largest ‖(x, 1)‖, B the least ‖(w, b)‖ with all σᵢ (xᵢ·w + b) ≥ 1. NaN where the classes are not
        separable, and where B is lost in rounding (R·B beyond about 10⁷).
    margin_ : float or None
        min σᵢ (xᵢ·w + b) / ‖w‖ where the hyperplane separates.
    farkas_ : ndarray of shape (n_samples,) or None
        Where the classes are not separable: φ ≥ 0 with Σ φ = 1, Σ φᵢ σᵢ xᵢ = 0 and (with an intercept) Σ φᵢ σᵢ = 0.
    n_iter_ : int
        Passes over the rows.
    history_ : ndarray of shape (n_iter_,)
        Updates made in each pass.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import BatchPerceptron
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])
    >>> model = BatchPerceptron().fit(X, y)
    >>> model.separable_, model.predict(X), round(model.bound_, 9)
    (True, array([0, 0, 0, 1]), 51.0)
    """

    n_iter_: int
    n_updates_: int
    bound_: float
    history_: np.ndarray

    farkas_: np.ndarray | None

    def __init__(
        self,
        *,
        fit_intercept: Annotated[bool, "Whether the hyperplane may miss the origin."] = True,
        max_updates: Annotated[
            int,
            Range(1, hint="For no limit take a large number."),
            "Updates after which the fit stops with a warning.",
        ] = 1_000_000,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_updates = max_updates

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and two labels y; a row of weight zero does not count at all."""
        p = self._checked()
        data = _distinct(self._two_classes(X, y, sample_weight))
        rows = SignedRows(data.X, data.sign, p.fit_intercept)
        visit = BatchPerceptronVisit(rows)
        progress = Progress(self, None, X, y)
        end, stopped = self._update(visit, p.max_updates, visit.first_work, progress)
        program: Solution | None = None
        if end != SEPARATED:
            program = least_violations(data.X, data.sign, data.w, p.fit_intercept, any_separator=True)
            if not rows.certain(rows.in_own_units(program.coef, program.intercept)):
                farkas = farkas_vector(program.dual, rows, data.w)
                if farkas is not None:
                    progress.end()
                    return self._not_separable(visit, data, program, farkas)
        if end == MOST_WORK and not stopped:
            end, _ = self._update(visit, p.max_updates, None, progress)
        progress.end()
        return self._ended(visit, data, program, end)

    def _update(
        self, visit: BatchPerceptronVisit, most_updates: int, work: int | None, progress: Progress
    ) -> tuple[int, bool]:
        """Updates until an end, or until so much work is done: how it ended, and whether a callback asked to stop."""
        end, done, stopped = MOST_WORK, 0, False
        while end == MOST_WORK and not stopped and (work is None or done < work):
            share = STEP_WORK if work is None else min(STEP_WORK, work - done)
            end = visit.run(most_updates, share)
            done += share
            stopped = progress.step(lambda: self._reconstruction(visit))
        return end, stopped

    def _reconstruction(self, visit: BatchPerceptronVisit) -> dict[str, Any]:
        coef, intercept = visit.rows.in_users_units(visit.theta)
        return {"coef_": coef[None], "intercept_": np.array([intercept]), "n_updates_": visit.updates}

    def _count(self, visit: BatchPerceptronVisit) -> None:
        self.n_updates_ = visit.updates
        self.history_ = visit.passes
        self.n_iter_ = len(self.history_)

    def _not_separable(
        self, visit: BatchPerceptronVisit, data: TwoClasses, program: Solution, farkas: np.ndarray
    ) -> BatchPerceptron:
        self._count(visit)
        self._learn(visit.rows, program.coef, program.intercept, data)
        self.separable_, self.margin_, self.bound_ = False, None, np.nan
        self.farkas_ = data.to_all_rows(farkas)
        warnings.warn(
            "the classes are not linearly separable: farkas_ proves it. Updates would never end and were broken off "
            f"after {self.n_updates_}; predictions come from the smallest sum of violations",
            stacklevel=5,
        )
        return self

    def _ended(
        self, visit: BatchPerceptronVisit, data: TwoClasses, program: Solution | None, end: int
    ) -> BatchPerceptron:
        """All rows are right, or the updates were stopped; B is found from what separates."""
        rows = visit.rows
        self._count(visit)
        theta = visit.theta
        self.separable_ = True if self._learn(rows, *rows.in_users_units(theta), data) else None
        self.farkas_ = None
        if end != SEPARATED and program is not None:
            theta = rows.in_own_units(program.coef, program.intercept)
        shortest = shortest_separator(rows, theta)
        self.bound_ = np.nan if shortest is None else float((visit.norms.max() * shortest.length) ** 2)
        if self.separable_ is None:
            wrong = int((rows.margins(visit.theta) <= 0).sum())
            enough = "" if np.isnan(self.bound_) else f"; {self.bound_:.4g} updates are always enough"
            warnings.warn(
                f"stopped after {self.n_updates_} updates with {wrong} of {rows.n} distinct rows on the wrong side"
                f"{enough}. Scale the columns, raise max_updates, or take LinearProgramClassifier",
                ConvergenceWarning,
                stacklevel=5,
            )
        return self


def _distinct(data: TwoClasses) -> TwoClasses:
    """The distinct rows of each class in canonical order, weights added: what follows is free of the order of rows."""
    numbers = data.X.nnz if hasattr(data.X, "nnz") else data.X.size
    refuse_beyond_memory(float(numbers) * data.X.dtype.itemsize, "a copy of the rows", "Fit a sample of the rows.")
    found = canonical_rows(data.X, data.w, example_hashes(data.X, data.sign, thread_count()), y=data.sign)
    order = found.order
    weights = np.ones(len(order)) if found.w is None else found.w
    return data._replace(X=data.X[order], sign=data.sign[order], w=weights, places=data.places[order])
