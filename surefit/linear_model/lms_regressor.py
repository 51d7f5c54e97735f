"""Least squares by gradient descent: Widrow and Hoff's least mean squares."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit._core.base import fitting, updating
from surefit._core.callbacks import Progress
from surefit._core.data.intake import take_rows, take_targets, take_weights
from surefit._core.errors import InvalidData
from surefit._core.params import Range
from surefit._core.random import RandomStateLike
from surefit.engine.open import kind_of, open_data
from surefit.engine.sources.source import MemorySource, Source
from surefit.linear_model.lms_options import Watch, frame_for, rate_for, seed_from
from surefit.linear_model.predictor import LinearRegressor
from surefit.solvers.descent.gradient_descent import automatic, plain
from surefit.solvers.descent.lms import Walk, descend, one_pass
from surefit.solvers.descent.squared_pass import Plane, SquaredStep
from surefit.solvers.descent.squared_surface import open_surface
from surefit.summaries.column_spread import ColumnSpread, column_spread
from surefit.summaries.visits import Visits


class LMSRegressor(LinearRegressor):
    """min over w, b of  Σ ωᵢ (yᵢ − xᵢ·w − b)² , by gradient descent: η times the mean of r x, or row by row η r x.

    Descent on all rows ("batch") has its rate and momentum chosen at every step, and stops within `tol` of the least
    error as far as it can tell (from all curvatures up to 1024 columns, from those met on the way beyond); `certify`
    proves the distance. Row by row ("stochastic") the rate is chosen from the data and halved when it no longer helps.
    Columns are centered and scaled on the way; coefficients are those of the columns as they are. Weights count rows: a
    weight of two is a row repeated.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int
        Passes over the rows. Batch descent computes the products of columns once where it can (up to 1024 columns),
        and counts the steps that passes would have made.
    t_ : int
        Updates: steps of batch descent, or rows visited (with `shuffle` equal rows are visited as one).
    history_ : ndarray of shape (n_iter_,)
        Mean squared error after each pass (mean over the targets).
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.linear_model import LMSRegressor
    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> y = X @ [1.0, 2.0] + 3.0
    >>> model = LMSRegressor().fit(X, y)
    >>> model.coef_.round(9), round(float(model.intercept_), 9), model.n_iter_
    (array([1., 2.]), 3.0, 2)
    """

    n_iter_: int
    t_: int
    history_: np.ndarray

    def __init__(
        self,
        *,
        method: Annotated[
            Literal["batch", "stochastic"], "All rows at each step, or one row after the other."
        ] = "batch",
        learning_rate: Annotated[
            Literal["auto", "constant", "invscaling", "harmonic"],
            "'auto': the best rate and momentum at each batch step; row by row, halved when a pass gains nothing. "
            "Else η = eta0, eta0/t^power_t (t updates), or eta0/t (t passes).",
        ] = "auto",
        eta0: Annotated[
            float | None,
            Range(0, open="both"),
            "The first rate; None chooses it. Batch descent with 'auto' has no use for it.",
        ] = None,
        power_t: Annotated[float, Range(0, open="high"), "The exponent of 'invscaling'."] = 0.25,
        scale_columns: Annotated[
            bool,
            "Whether descent works on columns of mean zero (with an intercept) and size one, or on the columns as they "
            "are, where it is slow or diverges if their sizes differ.",
        ] = True,
        fit_intercept: Annotated[bool, "Whether to learn b; without it the plane goes through the origin."] = True,
        max_iter: Annotated[int, Range(1), "Most passes."] = 1000,
        tol: Annotated[
            float,
            Range(0),
            "Batch: stop at this distance from the least error, as a share of it. Row by row: a pass that "
            "changes the error by less than this share of all that was gained has changed nothing.",
        ] = 1e-6,
        n_iter_no_change: Annotated[int, Range(1), "Row by row: passes that change nothing before it stops."] = 5,
        average: Annotated[
            bool, "Row by row: whether the answer is the mean of a pass's iterates, or its last."
        ] = True,
        shuffle: Annotated[bool, "Row by row: whether each pass has its own order, or that of the data."] = True,
        random_state: Annotated[RandomStateLike, "The seed of the orders."] = None,
        warm_start: Annotated[bool, "Whether fit goes on from the coefficients there are."] = False,
        verbose: Annotated[int, Range(0), "Above 0, each pass prints its error."] = 0,
        n_jobs: Annotated[int | None, "Threads, −1 for all; None takes what the settings allow."] = None,
    ) -> None:
        self.method = method
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.scale_columns = scale_columns
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.average = average
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights."""
        p = self._checked()
        start = self._coefficients() if p.warm_start and hasattr(self, "coef_") else None
        data = open_data(self, X, y, sample_weight, target=True, n_jobs=p.n_jobs)
        if start is not None and start[0].shape != (data.n_targets, data.n_features):
            raise InvalidData(
                f"warm_start goes on from coefficients of shape {start[0].shape}; this data has {data.n_targets} "
                f"target(s) and {data.n_features} columns"
            )
        self.__dict__.pop("_going", None)
        progress = Progress(self, p.max_iter, X, y)
        watch = Watch(p, data, progress)
        if p.method == "batch":
            self._descend_on_all_rows(p, data, start, watch)
        else:
            self._descend_row_by_row(p, data, start, watch)
        progress.end()
        return self

    def _descend_on_all_rows(self, p: SimpleNamespace, data: Source, start: Any, watch: Watch) -> None:
        surface = open_surface(data, scaled=p.scale_columns, fit_intercept=p.fit_intercept)
        v = np.zeros((data.n_targets, surface.width)) if start is None else surface.inner(*start)
        if p.learning_rate == "auto":
            found = automatic(surface, v, p.tol, p.max_iter, watch)
        else:
            power = {"constant": 0.0, "invscaling": p.power_t, "harmonic": 1.0}[p.learning_rate]
            found = plain(surface, v, p.eta0, power, p.tol, p.max_iter, watch)
        self._conclude(p, data, surface.outer(found.v), found.history, found.n_iter)
        if not found.finished and not watch.ended:
            remedy = "raise max_iter"
            if found.exhausted:
                remedy = (
                    "rounding hides the rest, for columns depend on each other too closely: LinearRegression does not"
                )
            _warn(
                f"stopped after {found.n_iter} steps at a relative gap of {found.rel_gap:.1e} (tol {p.tol:g}); {remedy}"
            )

    def _descend_row_by_row(self, p: SimpleNamespace, data: Source, start: Any, watch: Watch) -> None:
        spread = column_spread(data, targets=True)
        frame = frame_for(p, spread, data)
        rate = rate_for(p, frame, spread, spread.weight)
        zero = np.zeros((data.n_targets, data.n_features)), np.zeros(data.n_targets)
        found = descend(
            data,
            frame,
            spread.weight,
            zero if start is None else frame.inner(*start),
            rate,
            automatic=p.learning_rate == "auto",
            average=p.average,
            shuffle=p.shuffle,
            seed=seed_from(p.random_state),
            tol=p.tol,
            patience=p.n_iter_no_change,
            max_iter=p.max_iter,
            after_pass=watch,
        )
        self._conclude(p, data, (found.coef, found.intercept), found.history, found.n_visits)
        if not found.finished and not watch.ended:
            _warn(
                f"stopped after {found.n_iter} passes, the last of which still changed the error by {found.change:.1e} "
                f"of all that was gained (tol {p.tol:g}); raise max_iter"
            )

    @updating
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with more rows, each visited once, row by row whatever `method` says.

        Columns are scaled by what was seen of them so far. With learning_rate='auto' the rate is constant, so that
        coefficients follow data that changes; `average` is over the rows of this call. For 'harmonic' the first call's
        weight counts as a pass.
        """
        p = self._checked()
        if kind_of(X) != "memory":
            raise InvalidData("partial_fit takes rows in memory; fit reads a Parquet path or a Dask collection itself")
        first = not hasattr(self, "coef_")
        rows = take_rows(self, X, reset=first)
        targets = take_targets(self, y, rows.shape[0])
        data = MemorySource(rows, targets, take_weights(sample_weight, rows.shape[0]), n_jobs=p.n_jobs)
        going = getattr(self, "_going", None)
        if not first and self._coefficients()[0].shape[0] != data.n_targets:
            raise InvalidData(f"y has {data.n_targets} target(s), the coefficients {self._coefficients()[0].shape[0]}")
        spread = column_spread(data, targets=True)
        weight = spread.weight
        if going is not None:
            spread = ColumnSpread(*going["spread"]).merged(spread)
        frame = frame_for(p, spread, data)
        if first:
            u, beta = np.zeros((data.n_targets, data.n_features)), np.zeros(data.n_targets)
        else:
            u, beta = frame.inner(*(self._coefficients() if going is None else going["at"]))
        clock, number, period = (0.0, 0, weight) if going is None else going["clock"]
        seed = seed_from(p.random_state)
        walk, visited = one_pass(
            Visits(data, seed, p.shuffle).epoch(number),
            frame,
            rate_for(p, frame, spread, period),
            weight,
            Walk(u, beta, u, beta, clock, 0.0),
        )
        answer = frame.outer(walk.mean, walk.mean_b) if p.average else frame.outer(walk.u, walk.beta)
        error = data.fold(SquaredStep(with_gradient=False), Plane(*answer)).loss.mean() / weight
        self._conclude(p, data, answer, [float(error)], visited + (0 if first else self.t_))
        self._going = {
            "at": frame.outer(walk.u, walk.beta),
            "spread": tuple(spread),
            "clock": (walk.clock, number + 1, period),
        }
        return self

    def _coefficients(self) -> tuple[np.ndarray, np.ndarray]:
        """Those there are, as (targets, features) and (targets,)."""
        coef = np.atleast_2d(np.asarray(self.coef_, dtype=np.float64))
        return coef, np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (len(coef),)).copy()

    def _conclude(
        self,
        p: SimpleNamespace,
        data: Source,
        answer: tuple[np.ndarray, np.ndarray],
        history: list[float],
        updates: int,
    ) -> None:
        self._learn(data, *answer, flat=False, with_intercept=p.fit_intercept)
        self.n_iter_ = len(history)
        self.t_ = updates
        self.history_ = np.array(history)


def _warn(words: str) -> None:
    warnings.warn(words, ConvergenceWarning, stacklevel=6)
