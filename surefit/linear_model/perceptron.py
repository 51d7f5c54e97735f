"""The perceptron, for two classes and (one against the rest) for more."""

from __future__ import annotations

import time
import warnings
from typing import Annotated, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import unique_labels

from surefit._core.base import fitting, updating
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows, take_weights
from surefit._core.errors import InvalidData, InvalidParameter
from surefit._core.memory import refuse_beyond_memory
from surefit._core.params import Range
from surefit._core.random import RandomStateLike, random_stream
from surefit._core.threads import thread_count
from surefit.engine.labels import memory_codes
from surefit.engine.linear_classifier import LinearClassifier, given_class_weight
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.solvers.descent.perceptron import Epoch, MistakesStep, Planes, Rule, Stopping, epochs, overflow_words
from surefit.solvers.logistic.overview import OverviewStep
from surefit.summaries.visits import Visits


class Perceptron(LinearClassifier):
    """w ← w + η σ x, b ← b + η σ  for every row with  σ (x·w + b) ≤ 0 , σ = ±1 : learn from mistakes alone.

    Where a hyperplane separates the classes, one is found after finitely many mistakes (Novikoff); else the fit goes on
    until the mean loss no longer falls. For more than two classes there is one perceptron for each, against the rest.
    The order of visits depends on the seed and on the set of weighted rows, not on the order of the rows.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : int
        Epochs; with several classes the most that one of them took.
    t_ : float
        1 + rows seen: 1 + n_iter_ · n_samples.
    n_mistakes_ : int
        Rows of positive weight that the final coefficients answer wrongly (after `partial_fit`: of its rows).
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import Perceptron
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["no", "no", "no", "yes"]
    >>> model = Perceptron(tol=None, max_iter=50).fit(X, y)
    >>> model.n_mistakes_, model.predict([[2.0, 2.0], [-1.0, 0.0]])
    (0, array(['yes', 'no'], dtype='<U3'))
    """

    n_iter_: int
    t_: float
    n_mistakes_: int

    def __init__(
        self,
        *,
        penalty: Annotated[Literal["l2", "l1", "elasticnet"] | None, "What draws coefficients to zero."] = None,
        alpha: Annotated[float, Range(0), "Strength of the penalty."] = 0.0001,
        l1_ratio: Annotated[float, Range(0, 1), "Share of L1 in penalty='elasticnet'."] = 0.15,
        fit_intercept: Annotated[bool, "Whether to learn b, which is not penalised."] = True,
        max_iter: Annotated[int, Range(1), "Most epochs (passes over the rows); `partial_fit` makes one."] = 1000,
        tol: Annotated[
            float | None, Range(0), "Least improvement of an epoch that counts; None makes all `max_iter` epochs."
        ] = 1e-3,
        shuffle: Annotated[bool, "A new order of the rows in every epoch; else the order they are given in."] = True,
        verbose: Annotated[int | bool, Range(0), "Above 0 prints every epoch."] = 0,
        eta0: Annotated[float, Range(0, open="low"), "Size of an update; without a penalty a mere scale."] = 1.0,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
        random_state: Annotated[RandomStateLike, "Seed of the orders and of the validation rows."] = 0,
        early_stopping: Annotated[bool, "Stop by the score on rows held out instead of by the loss."] = False,
        validation_fraction: Annotated[
            float, Range(0, 1, open="both"), "Share of every class held out with early_stopping."
        ] = 0.1,
        n_iter_no_change: Annotated[int, Range(1), "Epochs in a row without improvement before it stops."] = 5,
        class_weight: Annotated[
            dict | Literal["balanced"] | None,
            "Factors {label: factor} of the updates of the classes; 'balanced' gives every class the same total.",
        ] = None,
        warm_start: Annotated[bool, "Whether to start from the coefficients of the last fit."] = False,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start

    @fitting
    def fit(
        self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Fit to rows X and labels y, with optional weights; a weight of two is a row repeated.

        `coef_init` and `intercept_init`: where to start from, zero unless given (or `warm_start`).
        """
        p = self._checked()
        data = open_data(self, X, y, sample_weight, target="classes", n_jobs=p.n_jobs)
        classes: np.ndarray = np.asarray(data.classes)
        if len(classes) < 2:
            raise InvalidData(
                f"The number of classes has to be greater than one; got {len(classes)} class: {classes[0]!r}"
            )
        if p.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        weights = self._class_weight(p.class_weight, data, classes)
        start = _start(len(classes), data.n_features, coef_init, intercept_init)
        self.classes_ = classes
        self.t_ = 1.0
        stopping = Stopping(p.max_iter, p.tol, p.n_iter_no_change, p.early_stopping)
        progress = Progress(self, p.max_iter, X, y)
        self._learn(p, data, start, weights, stopping, progress)
        progress.end()
        if p.tol is not None and self.n_iter_ == p.max_iter:
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the "
                f"fit. It stopped after {self.n_iter_} epochs with {self.n_mistakes_} of {data.n_rows} rows wrong.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    @updating
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over more rows. All labels are named in `classes` at the first call."""
        p = self._checked()
        first = not hasattr(self, "classes_")
        if first and p.early_stopping:
            raise InvalidParameter("early_stopping should be False with partial_fit")
        if p.class_weight == "balanced":
            raise InvalidParameter(
                "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use "
                "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough "
                "sample of the full training set target to properly estimate the class frequency distributions. Pass "
                "the resulting weights as the class_weight parameter."
            )
        self._agree_on_classes(first, classes)
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        rows = take_rows(self, X, reset=first)
        _, codes = memory_codes(self, y, rows.shape[0], self.classes_)
        if (codes < 0).any():
            unknown = np.unique(np.asarray(y).ravel()[codes < 0])
            raise InvalidData(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}")
        data = MemorySource(rows, codes, take_weights(sample_weight, rows.shape[0]), n_jobs=p.n_jobs)
        weights = self._class_weight(p.class_weight, data, self.classes_)
        coef, intercept = (None, None) if first else (getattr(self, "coef_", None), getattr(self, "intercept_", None))
        start = _start(len(self.classes_), data.n_features, coef, intercept)
        self.t_ = 1.0 if first else getattr(self, "t_", 1.0)
        self._learn(p, data, start, weights, Stopping(1, None, 1, False), None)
        return self

    def _agree_on_classes(self, first: bool, classes: Any) -> None:
        if first and classes is None:
            raise InvalidParameter("classes must be passed on the first call to partial_fit.")
        if classes is None:
            return
        labels = unique_labels(classes)
        if not first and not np.array_equal(self.classes_, labels):
            raise InvalidParameter(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        if len(labels) < 2:
            raise InvalidData(f"The number of classes has to be greater than one; got {len(labels)} class")
        self.classes_ = labels

    def _learn(
        self,
        p: Any,
        data: Source,
        start: tuple[np.ndarray, np.ndarray],
        class_weight: np.ndarray,
        stopping: Stopping,
        progress: Progress | None,
    ) -> None:
        """Epochs from `start`, then the attributes."""
        l1_ratio = {None: 0.0, "l2": 0.0, "l1": 1.0, "elasticnet": float(p.l1_ratio)}[p.penalty]
        alpha = 0.0 if p.penalty is None else float(p.alpha)
        rule = Rule(float(p.eta0), (1 - l1_ratio) * alpha, l1_ratio * alpha, bool(p.fit_intercept))
        C = len(self.classes_)
        codes = np.array([1.0]) if C == 2 else np.arange(C, dtype=np.float64)
        negative = class_weight[:1] if C == 2 else np.ones(C)
        planes = Planes(*start, codes, class_weight[-len(codes) :], negative, rule.l1 > 0)
        visits = Visits(
            data,
            int(random_stream(p.random_state).integers(2**63)),
            bool(p.shuffle),
            float(p.validation_fraction) if stopping.by_score else None,
        )

        def fitted() -> dict[str, Any]:
            with np.errstate(over="ignore"):  # beyond float32 becomes infinite, and is refused below
                coef, intercept = planes.coef.astype(data.dtype), planes.intercept.astype(data.dtype)
            return {"coef_": coef, "intercept_": intercept, "classes_": self.classes_}

        began = time.perf_counter()
        done = 0
        for epoch in epochs(visits, planes, rule, stopping, thread_count(p.n_jobs)):
            done = epoch.number + 1
            if p.verbose:
                _tell(epoch, planes, done * data.n_rows, time.perf_counter() - began)
            if progress is not None and progress.step(fitted):
                break
        for name, value in fitted().items():
            setattr(self, name, value)
        if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_).all()):
            raise InvalidData(overflow_words(done - 1))
        self.n_iter_ = done
        self.t_ += float(done * data.n_rows)
        self.n_mistakes_ = data.fold(MistakesStep(), (self.coef_, self.intercept_))

    def _class_weight(self, class_weight: Any, data: Source, classes: np.ndarray) -> np.ndarray:
        """One weight for each class."""
        if class_weight is None:
            return np.ones(len(classes))
        if class_weight == "balanced":
            counts = data.fold(OverviewStep(len(classes), False)).counts
            return counts.sum() / (len(classes) * np.maximum(counts, np.finfo(float).tiny))
        return given_class_weight(class_weight, classes)


def _start(n_classes: int, n_features: int, coef: Any, intercept: Any) -> tuple[np.ndarray, np.ndarray]:
    """Own copies of the coefficients to start from, in float64; zeros where none are given."""
    m = 1 if n_classes == 2 else n_classes
    refuse_beyond_memory(
        16.0 * m * n_features,
        f"Perceptron: coefficients of {m} classes and {n_features} columns",
        "Hash the columns into fewer (sklearn.feature_extraction.FeatureHasher) or merge classes.",
    )
    w, b = np.zeros((m, n_features)), np.zeros(m)
    if coef is not None:
        given = coef.toarray() if sp.issparse(coef) else np.asarray(coef, dtype=np.float64)
        given = given.reshape(1, -1) if m == 1 else given
        if given.shape != w.shape:
            wanted = (
                "Provided coef_init does not match dataset." if m == 1 else "Provided ``coef_`` does not match dataset."
            )
            raise InvalidData(f"{wanted} Its shape is {np.shape(coef)}, the data needs {w.shape}.")
        w[:] = given
    if intercept is not None:
        given = np.asarray(intercept, dtype=np.float64)
        if given.shape != b.shape and not (m == 1 and given.shape == ()):
            raise InvalidData(
                f"Provided intercept_init does not match dataset. Its shape is {given.shape}, the data needs {b.shape}."
            )
        b[:] = given
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise InvalidData("coef_init and intercept_init must be finite; they hold NaN or infinity")
    return w, b


def _tell(epoch: Epoch, planes: Planes, n_seen: int, seconds: float) -> None:
    """One line for each class that is still learning."""
    print(f"-- Epoch {epoch.number + 1}")
    for place, k in enumerate(epoch.planes):
        w = planes.coef[k]
        line = f"Norm: {np.linalg.norm(w):.2f}, NNZs: {np.count_nonzero(w)}, Bias: {planes.intercept[k]:.6f}, "
        line += f"T: {n_seen}, Objective: {epoch.objective[place]:f}"
        print(line if epoch.score is None else f"{line}, Validation score: {epoch.score[place]:f}")
        if epoch.finished[place]:
            print(f"Convergence after {epoch.number + 1} epochs took {seconds:.2f} seconds")
    print(f"Total training time: {seconds:.2f} seconds.")
