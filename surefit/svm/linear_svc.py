"""The linear support vector machine for classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import CannotStream, InvalidData, InvalidParameter
from surefit._core.params import Range
from surefit._core.precision import narrowed
from surefit._core.random import RandomStateLike
from surefit.engine.linear_classifier import LinearClassifier, given_class_weight
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.solvers.hinge.crammer_singer import solve_crammer_singer
from surefit.solvers.hinge.fit import MAX_COLUMNS, fit_side, sides, streams
from surefit.solvers.hinge.solution import Solution
from surefit.solvers.logistic.overview import OverviewStep


class LinearSVC(LinearClassifier):
    """min over w, b of  ½ ‖w‖² + ½ (b/s)² + C Σ ωᵢ ℓ(yᵢ (xᵢ·w + b)) ,  yᵢ = ±1 : a wide margin between two classes.

    ℓ(z) = max(0, 1 − z)² or max(0, 1 − z); with penalty='l1' the first two terms are ‖w‖₁ + |b|/s. As in liblinear the
    intercept is penalized: s is `intercept_scaling`, and a large one leaves it almost free. For more than two classes
    there is one such problem for each class against the rest; or one for all of them together, Crammer and Singer's.
    The fit stops when the gap between the objective and its minimum, which a dual point bounds, is at most `tol`/100 of
    the objective: the answer depends neither on `dual` nor on `random_state`.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0 without an intercept
    n_iter_ : int
        Iterations; with several problems the most that one of them took.
    rel_gap_ : float
        The solver's bound for (objective − minimum) / objective, of the problem for which it is largest. It is right in
        exact arithmetic; the rounding of the passes it is computed from is not in it (`certify` adds its own).
    history_ : list of ndarray
        The objective of each problem, before the first iteration and as it went on.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from surefit.svm import LinearSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearSVC().fit(X, y)
    >>> bool(model.rel_gap_ < 1e-6), round(model.score(X, y), 3)
    (True, 0.963)
    """

    n_iter_: int
    rel_gap_: float
    history_: list[np.ndarray]

    def __init__(
        self,
        penalty: Annotated[Literal["l1", "l2"], "'l1' makes coefficients exactly zero (squared hinge only)."] = "l2",
        loss: Annotated[Literal["hinge", "squared_hinge"], "What a row inside the margin costs."] = "squared_hinge",
        *,
        dual: Annotated[
            bool | Literal["auto"],
            "liblinear's problem; here the method is chosen from the data and the answer is the same. What liblinear "
            "refuses is refused.",
        ] = "auto",
        tol: Annotated[float, Range(0, open="low"), "The fit stops at a relative gap of at most `tol` / 100."] = 1e-4,
        C: Annotated[float, Range(0, open="both"), "What a unit of loss costs."] = 1.0,
        multi_class: Annotated[
            Literal["ovr", "crammer_singer"],
            "More than two classes: each against the rest, or Crammer and Singer's joint problem (hinge loss and L2 "
            "penalty, whatever `loss` and `penalty` say).",
        ] = "ovr",
        fit_intercept: Annotated[bool, "Whether to learn b."] = True,
        intercept_scaling: Annotated[float, Range(0, open="low"), "s: the larger, the freer the intercept."] = 1,
        class_weight: Annotated[
            dict | Literal["balanced"] | None,
            "Factors {label: factor} of C for the rows of a class; 'balanced' gives every class the same total.",
        ] = None,
        verbose: Annotated[int | bool, Range(0), "Above 0 prints objective and gap after each iteration."] = 0,
        random_state: Annotated[RandomStateLike, "Accepted for compatibility: nothing is random."] = None,
        max_iter: Annotated[
            int,
            Range(0),
            "Most iterations: steps of Newton's method, or (more than 1,200 columns) epochs of dual descent.",
        ] = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        joint = p.multi_class == "crammer_singer"
        if not joint:
            _refuse_combinations(p.penalty, p.loss, p.dual)
        data = self._opened(X, y, sample_weight, p, joint)
        classes: np.ndarray = np.asarray(data.classes)
        if len(classes) < 2:
            raise InvalidData(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{classes[0]!r}"
            )
        self.classes_ = classes
        weights = self._class_weight(p.class_weight, data, classes)
        progress = Progress(self, None, X, y)
        solutions = self._solve(data, p, joint, weights, progress)
        self._learn(data, solutions, p)
        progress.end()
        return self

    def _opened(self, X: Any, y: Any, sample_weight: Any, p: Any, joint: bool) -> Source:
        instead = "loss='squared_hinge' with at most 1,200 columns"
        stream = not joint and streams(p.penalty, p.loss)
        data = open_data(self, X, y, sample_weight, target="classes", stream=stream, instead=instead)
        if not data.resident and data.n_features > MAX_COLUMNS:
            raise CannotStream(
                f"LinearSVC reads rows block by block up to {MAX_COLUMNS} columns; these have {data.n_features}. "
                "Load them first, as CSR where most entries are zero."
            )
        return data

    def _solve(self, data: Source, p: Any, joint: bool, weights: np.ndarray, progress: Progress) -> list[Solution]:
        cost, scale = np.full(len(weights), float(p.C)), float(p.intercept_scaling) if p.fit_intercept else 0.0
        options = {"tol": max(float(p.tol) / 100, 1e-15), "max_iter": p.max_iter}
        if joint:
            told = self._teller(data, p.verbose, progress, len(weights), None, {})
            return [solve_crammer_singer(data, cost * weights, scale, after_step=told, **options)]
        problems, solutions = sides(cost, weights), []
        done: dict[int, np.ndarray] = {}
        for k, labels in enumerate(problems):
            told = self._teller(data, p.verbose, progress, len(problems), k, done)
            solution = fit_side(data, labels, scale, p.penalty, p.loss, after_step=told, **options)
            done[k] = np.append(solution.coef, solution.intercept)
            solutions.append(solution)
        return solutions

    def _teller(
        self, data: Source, verbose: int, progress: Progress, n_rows: int, row: int | None, done: dict[int, np.ndarray]
    ) -> Callable[[np.ndarray, float, float], bool]:
        """What is told after each iteration: to the screen, and to callbacks the coefficients so far."""
        number = 0

        def after_step(theta: np.ndarray, value: float, gap: float) -> bool:
            nonlocal number
            number += 1
            if verbose:
                problem = "" if row is None or n_rows == 1 else f"class {row}, "
                print(f"{problem}iteration {number}: objective {value:.10g}, gap {gap:.3g}")

            def attributes() -> dict[str, Any]:
                rows = theta if row is None else np.zeros((n_rows, data.n_features + 1))
                if row is not None:
                    for k, of_row in {**done, row: theta}.items():
                        rows[k] = of_row
                return {
                    "coef_": rows[:, :-1].astype(data.dtype),
                    "intercept_": rows[:, -1].astype(data.dtype),
                    "classes_": self.classes_,
                }

            return progress.step(attributes)

        return after_step

    def _learn(self, data: Source, solutions: list[Solution], p: Any) -> None:
        coef = np.vstack([solution.coef for solution in solutions])
        intercept = np.concatenate([np.atleast_1d(solution.intercept) for solution in solutions])
        if len(coef) == 2:  # Crammer and Singer's two classes: only the difference of the scores counts
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_ = narrowed(coef, data.dtype)
        self.intercept_ = narrowed(intercept, data.dtype) if p.fit_intercept else 0.0  # type: ignore[assignment]
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.rel_gap_ = max(solution.rel_gap for solution in solutions)
        self.history_ = [np.asarray(solution.history) for solution in solutions]
        goal = max(float(p.tol) / 100, 1e-15)
        if self.rel_gap_ > goal:
            warnings.warn(
                f"LinearSVC failed to converge, increase the number of iterations: it stopped after {self.n_iter_} at "
                f"a relative gap of {self.rel_gap_:.2g} (tol/100 = {goal:.2g}).",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _class_weight(self, class_weight: Any, data: Source, classes: np.ndarray) -> np.ndarray:
        """One weight for each class."""
        if class_weight is None:
            return np.ones(len(classes))
        if class_weight == "balanced":
            counts = data.fold(OverviewStep(len(classes), False)).counts
            return counts.sum() / (len(classes) * np.where(counts > 0, counts, 1.0))  # no rows: any weight will do
        return given_class_weight(class_weight, classes)


def _refuse_combinations(penalty: str, loss: str, dual: bool | str) -> None:
    """What liblinear has no solver for, in scikit-learn's words."""
    if penalty == "l1" and loss == "hinge":
        fault = f"The combination of penalty='{penalty}' and loss='{loss}' is not supported"
    elif (penalty == "l1" and dual is True) or (loss == "hinge" and dual is False):
        fault = f"The combination of penalty='{penalty}' and loss='{loss}' are not supported when dual={dual}"
    else:
        return
    raise InvalidParameter(
        f"Unsupported set of arguments: {fault}, Parameters: penalty={penalty!r}, loss={loss!r}, dual={dual!r}"
    )
