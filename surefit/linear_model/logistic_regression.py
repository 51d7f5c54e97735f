"""Logistic regression, for two classes and for more (softmax, maximum entropy)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit.engine.apply import apply_rows
from surefit.engine.linear_classifier import LinearClassifier, given_class_weight
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.linear_model.logistic_options import penalty_of, refuse_wide_indices, too_few_classes, warnings_of
from surefit.linear_model.logistic_summary import LogisticSummary, summarise_logistic
from surefit.solvers.logistic.fit import Coefficients, Fit, fit_logistic
from surefit.solvers.logistic.overview import OverviewStep

Solver = Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "sgd"]


class LogisticRegression(LinearClassifier):
    """min over w, b of  C Σ ωᵢ ℓ(xᵢ·w + b; yᵢ) + (1 − ρ)/2 ‖w‖² + ρ ‖w‖₁ , the penalised negative log-likelihood.

    ℓ is the logistic loss for two classes and the softmax (maximum entropy) loss for more. ρ is `l1_ratio`: 0 for the
    L2 penalty, 1 for L1, which makes coefficients exactly zero, between them the elastic net. `C=inf` has no penalty.
    The answer does not depend on the units of the columns or on the `solver` named: second derivatives are used, and
    the fit stops when the gap between F and its minimum is bounded by `tol`/100 times F. Where there is no
    penalty and the classes can be separated no minimum exists: the fit says so and keeps the direction that proves it.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : ndarray of shape (1,)
    rel_gap_ : float
        The solver's bound for (F − minimum) / F. It is right in exact arithmetic; the rounding of the passes it is
        computed from is not in it (`certify` adds its own). 1 where nothing better is known: no penalty and very many
        parameters, or columns that depend on each other up to rounding; nan where there is no minimum.
    separation_ : ndarray of shape (1 or n_classes, n_features [+ 1]) or None
        Without a penalty: a direction (the intercepts last) along which the likelihood grows for ever.
    history_ : ndarray
        F / C before the first iteration and after each.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from surefit.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> bool(model.rel_gap_ < 1e-6), round(model.score(X, y), 3)
    (True, 0.958)
    """

    n_iter_: np.ndarray
    rel_gap_: float
    separation_: np.ndarray | None
    history_: np.ndarray

    def __init__(
        self,
        penalty: Annotated[
            Literal["l2", "l1", "elasticnet", "deprecated"] | None,
            "Deprecated by scikit-learn: None is `C=inf`, 'l1' is `l1_ratio=1`, 'elasticnet' an `l1_ratio` between.",
        ] = "deprecated",
        *,
        C: Annotated[float, Range(0, open="low"), "Inverse strength of the penalty; infinity for none."] = 1.0,
        l1_ratio: Annotated[
            float | None,
            Range(0, 1),
            "ρ: 0 is the L2 penalty, 1 L1 (solver='liblinear' or 'saga'), between them the elastic net ('saga').",
        ] = 0.0,
        dual: Annotated[bool, "Accepted with solver='liblinear': the answer is the same."] = False,
        tol: Annotated[float, Range(0), "The fit stops at a relative gap of at most `tol` / 100."] = 1e-4,
        fit_intercept: Annotated[bool, "Whether to learn b, which is not penalised."] = True,
        intercept_scaling: Annotated[
            float,
            Range(0, open="low"),
            "With solver='liblinear' b / intercept_scaling is penalised like a slope, as liblinear does.",
        ] = 1,
        class_weight: Annotated[
            dict | Literal["balanced"] | None,
            "Weights {label: weight} of the classes; 'balanced' gives every class the same total.",
        ] = None,
        random_state: Annotated[RandomStateLike, "Order of the rows with solver='sgd'; nothing else is random."] = None,
        solver: Annotated[
            Solver,
            "scikit-learn's names all give the exact answer, by a method chosen from the data; 'sgd' is stochastic "
            "gradient ascent, one row at a time.",
        ] = "lbfgs",
        max_iter: Annotated[
            int,
            Range(0),
            "Most iterations: steps of Newton's method, or with more than 1,200 parameters ten quasi-Newton steps each "
            "(epochs with solver='sgd').",
        ] = 100,
        verbose: Annotated[int | bool, Range(0), "Above 0 prints the objective after each iteration."] = 0,
        warm_start: Annotated[bool, "Whether to start from the coefficients of the last fit."] = False,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated."""
        p = self._checked()
        penalty = penalty_of(p)
        refuse_wide_indices(X, p.solver, penalty)
        data = open_data(self, X, y, sample_weight, target="classes", n_jobs=p.n_jobs)
        classes: np.ndarray = np.asarray(data.classes)
        too_few_classes(classes, p.solver)
        class_weight = self._class_weight(p.class_weight, data, classes)
        start = self._start(len(classes), data.n_features, p.fit_intercept) if p.warm_start else None
        progress = Progress(self, max(p.max_iter, 1) + 1, X, y)
        self.classes_ = classes

        def attributes(coef: Coefficients) -> Callable[[], dict[str, Any]]:
            def at() -> dict[str, Any]:
                w, b = coef()
                return {"coef_": w.astype(data.dtype), "intercept_": b.astype(data.dtype), "classes_": classes}

            return at

        def after_step(coef: Coefficients, value: float, number: int) -> bool:
            if p.verbose:
                print(f"iteration {number}: objective {value:.10g}")
            return progress.step(attributes(coef))

        fit = fit_logistic(
            data,
            len(classes),
            class_weight=class_weight,
            penalty=penalty,
            fit_intercept=p.fit_intercept,
            tol=max(float(p.tol) / 100, 1e-15),
            max_iter=p.max_iter,
            start=start,
            seed=int(random_stream(p.random_state).integers(2**63)) if p.solver == "sgd" else None,
            before=lambda coef: progress.begin(attributes(coef)),
            after_step=after_step,
        )
        self._learn(data, fit, p)
        if fit.n_iter == 0:  # callbacks are told of one iteration at least, as in scikit-learn
            progress.step(attributes(lambda: (fit.coef, fit.intercept)))
        progress.end()
        return self

    def _learn(self, data: Source, fit: Fit, p: Any) -> None:
        dtype = np.float64 if p.solver == "liblinear" else data.dtype  # as scikit-learn's liblinear
        self.coef_ = fit.coef.astype(dtype)
        self.intercept_ = fit.intercept.astype(dtype)
        self.n_iter_ = np.array([fit.n_iter], dtype=np.int32)
        self.rel_gap_ = fit.rel_gap
        self.separation_ = fit.separation
        self.history_ = np.asarray(fit.history)
        self._inference = fit.inference
        for message, category in warnings_of(fit, p.solver, p.max_iter, float(p.tol) / 100):
            warnings.warn(message, category, stacklevel=5)

    def _class_weight(self, class_weight: Any, data: Source, classes: np.ndarray) -> np.ndarray | None:
        """One weight for each class."""
        if class_weight is None:
            return None
        if class_weight == "balanced":
            counts = data.fold(OverviewStep(len(classes), False)).counts
            return counts.sum() / (len(classes) * np.where(counts > 0, counts, 1.0))  # no rows: any weight will do
        return given_class_weight(class_weight, classes)

    def _start(self, n_classes: int, n_features: int, fit_intercept: bool) -> tuple[np.ndarray, np.ndarray] | None:
        """The last fit's coefficients, where they fit the data."""
        coef = getattr(self, "coef_", None)
        m = 1 if n_classes == 2 else n_classes
        if coef is None or np.shape(coef) != (m, n_features):
            return None
        intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (m,)) * fit_intercept
        return np.asarray(coef, dtype=np.float64), intercept

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every row of X, in the order of `classes_`."""
        return self._probabilities(X, lambda z: np.stack([expit(-z), expit(z)], axis=1), lambda Z: softmax(Z, axis=1))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms, which stay finite where a probability is zero to rounding."""
        return self._probabilities(
            X, lambda z: np.stack([log_expit(-z), log_expit(z)], axis=1), lambda Z: log_softmax(Z, axis=1)
        )

    def _probabilities(self, X: Any, two: Callable, many: Callable) -> np.ndarray:
        check_is_fitted(self, "coef_")
        score = self._scorer()

        def of(rows: Any) -> np.ndarray:
            scores = score(rows)
            return two(scores) if scores.ndim == 1 else many(scores)

        return apply_rows(self, X, of)

    def summary(self, level: float = 0.95) -> LogisticSummary:
        """Standard errors, z and p values and intervals at `level`, from the second derivative at the maximum.

        Refused where the formulas do not hold: with a penalty, dependent columns, separated classes, an unfinished fit.
        """
        return summarise_logistic(self, level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.solver == "liblinear":
            tags.classifier_tags.multi_class = False
        return tags
