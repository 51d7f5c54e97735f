"""Kernel ridge regression that chooses its penalty and its width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import sklearn
from sklearn.metrics import check_scoring, get_scorer

from surefit._core.base import fitting
from surefit._core.callbacks import Progress
from surefit._core.errors import InvalidParameter
from surefit._core.given import Given
from surefit._core.params import Rule
from surefit.kernel_ridge.kernel_data import KernelData, kernel_of, open_kernel_data
from surefit.kernel_ridge.kernel_ridge import KernelRidge
from surefit.kernel_ridge.parameters import Coef0, Degree, Gamma, KernelName, KernelParams
from surefit.kernel_ridge.predictor import KernelRegressor
from surefit.kernels.gram import GramRows
from surefit.kernels.kernel import Kernel
from surefit.solvers.kernel_system.leave_one_out import LeftOut, leave_one_out
from surefit.solvers.kernel_system.solve import solve_kernel_system

WIDE = ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2")


def _positive_numbers(value: Any) -> bool:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.ndim == 1 and array.size > 0 and bool((np.isfinite(array) & (array > 0)).all())


@dataclass
class Tried:
    """One gamma: the scores of all penalties, (A,) or (A, t) with a penalty for each target, and what gave them."""

    gamma: float | None
    kernel: Kernel
    scores: np.ndarray
    results: np.ndarray | None

    @property
    def best(self) -> float:
        """The score of the best penalty; the mean over targets where each has its own."""
        return float(np.mean(self.scores.max(axis=0)))


class KernelRidgeCV(KernelRegressor):
    """Kernel ridge regression with the penalty, and the gamma, that predict left-out rows best.

    With `cv=None` every row is left out in turn, in closed form: one decomposition of the kernel's matrix gives the
    leave-one-out errors for all penalties. Rows that are equal in x and y are one row with the sum of their weights; a
    row of weight ω is left out as a whole, and its squared error counts ω times. Any other `cv` is a grid search over
    folds; there weights also count in the default score.

    The answer is `KernelRidge(alpha=alpha_, gamma=gamma_)`, fitted to all rows.

    {parameters}

    Attributes
    ----------
    alpha_ : float, or ndarray of shape (n_targets,) with `alpha_per_target`
    gamma_ : float
        The gamma chosen or used, where the kernel has one.
    best_score_ : float, or ndarray of shape (n_targets,) with `alpha_per_target`
        The score of `alpha_`: by default minus the mean of ω·(leave-one-out error)² over the rows (and targets).
    path_scores_ : ndarray of shape (n_alphas,) or (n_gammas, n_alphas)
        The score of every penalty (for every one of `gammas`); with `alpha_per_target` the last axis is the targets.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: ω·error² of every row, or the left-out predictions when `scoring` is given; those of
        the chosen gamma.
    dual_coef_, X_fit_, kernel_, n_features_in_, feature_names_in_ : as in KernelRidge

    Examples
    --------
    >>> import numpy as np
    >>> from surefit.kernel_ridge import KernelRidgeCV
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = KernelRidgeCV(alphas=[1e-3, 1e-1, 10], kernel="rbf", gammas=[0.01, 1]).fit(X, y)
    >>> model.alpha_, model.gamma_
    (0.001, 1.0)
    """

    alpha_: float | np.ndarray
    best_score_: float | np.ndarray
    path_scores_: np.ndarray

    def __init__(
        self,
        alphas: Annotated[np.ndarray, Rule(_positive_numbers, "of numbers > 0"), "Penalties to try."] = (
            0.1,
            1.0,
            10.0,
        ),  # type: ignore[assignment]
        *,
        kernel: KernelName = "linear",
        gamma: Gamma = None,
        degree: Degree = 3,
        coef0: Coef0 = 1,
        kernel_params: KernelParams = None,
        gammas: Annotated[
            np.ndarray | None,
            Rule(_positive_numbers, "of numbers > 0"),
            "Values of gamma to try, in the place of `gamma`; each costs a decomposition.",
        ] = None,
        scoring: Annotated[
            str | Callable | None,
            "How left-out predictions are judged: a scorer; None is the squared error for cv=None, else R².",
        ] = None,
        cv: Annotated[
            Any, "None for leave-one-out in closed form; else the number of folds, a splitter or a list of splits."
        ] = None,
        store_cv_results: Annotated[bool, "Whether to keep what every row gave for every penalty (cv=None)."] = False,
        alpha_per_target: Annotated[bool, "Whether each target has its own penalty (cv=None)."] = False,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.gammas = gammas
        self.scoring = scoring
        self.cv = cv
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to rows X and targets y (one or several columns), with optional weights."""
        p = self._checked()
        _refuse_what_does_not_go_together(p)
        data = open_kernel_data(self, kernel_of(p, None), X, y, sample_weight, min_rows=2)
        alphas = np.asarray(p.alphas, dtype=np.float64)
        self.__dict__.pop("cv_results_", None)
        if p.cv is not None:
            return self._search(p, X, y, data, alphas)
        gammas = [None] if p.gammas is None else [float(gamma) for gamma in p.gammas]
        progress, tried = Progress(self, len(gammas), X, y), []
        for gamma in gammas:
            tried.append(self._try(p, data, alphas, gamma))
            if tried[-1].best < max(one.best for one in tried):
                tried[-1].results = None
            if progress.step(lambda: {}):
                break
        progress.end()
        best = max(tried, key=lambda one: one.best)
        self._choose(p, data, alphas, best)
        scores = np.array([one.scores for one in tried])
        self.path_scores_ = scores[0] if p.gammas is None else scores
        if best.results is not None:
            kept = best.results[:, 0] if data.flat else best.results
            self.cv_results_ = kept
        return self

    def _try(self, p: Any, data: KernelData, alphas: np.ndarray, gamma: float | None) -> Tried:
        """Leave-one-out for one gamma."""
        kernel = kernel_of(p, data.X, gamma)
        left_out = leave_one_out(data.system(kernel), alphas, data.targets)
        if p.scoring is None:
            total = 1.0 if data.total is None else data.total[:, None, None]
            means = -(total * left_out.errors**2).sum(axis=0) / len(data.Y)
            results = _squared_errors(data, left_out) if p.store_cv_results else None
            return Tried(gamma, kernel, means.T if p.alpha_per_target else means.mean(axis=0), results)
        predictions = _predictions(data, kernel, left_out)
        scores = _judged(check_scoring(self, scoring=p.scoring), data, predictions, p.alpha_per_target)
        return Tried(gamma, kernel, scores, predictions if p.store_cv_results else None)

    def _choose(self, p: Any, data: KernelData, alphas: np.ndarray, best: Tried) -> None:
        """The fit to all rows with the penalties of the best scores."""
        places = best.scores.argmax(axis=0)
        n_targets = data.Y.shape[1]
        chosen = np.broadcast_to(alphas[places], (n_targets,))
        system = data.system(best.kernel)
        solution = solve_kernel_system(system, chosen, system.scaled(data.targets))
        self._learn(data, best.kernel, system.scaled(solution.C))
        reached = best.scores.max(axis=0)
        if p.alpha_per_target and not data.flat:
            self.alpha_, self.best_score_ = chosen.copy(), reached
        else:
            self.alpha_, self.best_score_ = float(chosen[0]), float(np.ravel(reached)[0])

    def _search(self, p: Any, X: Any, y: Any, data: KernelData, alphas: np.ndarray) -> Self:
        """A grid search over folds."""
        from sklearn.model_selection import GridSearchCV

        weighted = data.w is not None and p.scoring is None
        routing = weighted or sklearn.get_config()["enable_metadata_routing"]
        with sklearn.config_context(enable_metadata_routing=routing):
            names = ("kernel", "gamma", "degree", "coef0", "kernel_params")
            model = KernelRidge(**{name: getattr(p, name) for name in names})
            scorer = check_scoring(self, scoring=p.scoring) if p.scoring is not None else None
            if routing:
                model.set_fit_request(sample_weight=True)
            if weighted:
                scorer = get_scorer("r2").set_score_request(sample_weight=True)
            grid = {"alpha": alphas} if p.gammas is None else {"gamma": np.asarray(p.gammas, float), "alpha": alphas}
            search = GridSearchCV(model, grid, cv=p.cv, scoring=scorer)
            search.fit(X, y, **({} if data.w is None else {"sample_weight": data.w}))
        best = search.best_estimator_
        self.alpha_, self.best_score_ = float(best.alpha), float(search.best_score_)
        scores = search.cv_results_["mean_test_score"]
        self.path_scores_ = scores if p.gammas is None else scores.reshape(-1, len(alphas))
        for name in ("dual_coef_", "X_fit_", "kernel_", "gamma_"):
            self.__dict__.pop(name, None)
            if hasattr(best, name):
                setattr(self, name, getattr(best, name))
        return self


def _refuse_what_does_not_go_together(p: Any) -> None:
    faults = []
    if p.cv is not None and p.store_cv_results:
        faults.append("cv!=None and store_cv_results=True are incompatible")
    if p.cv is not None and p.alpha_per_target:
        faults.append("cv!=None and alpha_per_target=True are incompatible")
    if p.gammas is not None and not (isinstance(p.kernel, str) and p.kernel in WIDE):
        faults.append(f"KernelRidgeCV(gammas=…) goes with kernel={', '.join(map(repr, WIDE))}; got {p.kernel!r}")
    if p.gammas is not None and p.gamma is not None:
        faults.append("KernelRidgeCV: give gamma or gammas, not both")
    if faults:
        raise InvalidParameter("\n".join(faults))


def _squared_errors(data: KernelData, left_out: LeftOut) -> np.ndarray:
    """ω·error² of every row given; 0 where the weight is zero. (n, t, A)"""
    squares = np.where(data.place[:, None, None] >= 0, left_out.errors[data.place] ** 2, 0.0)
    return squares if data.w is None else squares * data.w[:, None, None]


def _predictions(data: KernelData, kernel: Kernel, left_out: LeftOut) -> np.ndarray:
    """What is predicted for every row given when it is left out; a row of weight zero always is. (n, t, A)"""
    predictions = data.Y[:, :, None] - left_out.errors[data.place]
    unseen = np.flatnonzero(data.place < 0)
    if len(unseen):
        flat = left_out.coefficients.reshape(len(data.first), -1)
        gram = GramRows(kernel, data.X, dtype=np.float64)
        predictions[unseen] = (gram.rows(unseen, data.first) @ flat).reshape(len(unseen), *predictions.shape[1:])
    return predictions


def _judged(scorer: Any, data: KernelData, predictions: np.ndarray, per_target: bool) -> np.ndarray:
    """One score for each penalty (and, `per_target`, each target): (A,) or (A, t)."""
    judge, weights = Given(), {} if data.w is None else {"sample_weight": data.w}
    places = range(predictions.shape[2])
    if per_target:
        targets = range(data.Y.shape[1])
        return np.array(
            [[scorer(judge, predictions[:, k, a], data.Y[:, k], **weights) for k in targets] for a in places]
        )
    truth = data.Y[:, 0] if data.flat else data.Y
    return np.array([scorer(judge, predictions[:, 0, a] if data.flat else predictions[:, :, a], truth, **weights)
                     for a in places])  # fmt: skip
