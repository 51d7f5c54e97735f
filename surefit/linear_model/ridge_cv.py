"""Ridge regression that chooses its penalty."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Annotated, Any, Literal, Self

import numpy as np
import sklearn
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from surefit._core.base import fitting
from surefit._core.errors import InvalidParameter
from surefit._core.given import Given
from surefit._core.params import Rule
from surefit.engine.open import open_data
from surefit.engine.sources.source import Source
from surefit.linear_model.predictor import LinearRegressor
from surefit.linear_model.ridge import Ridge
from surefit.solvers.least_squares.leave_one_out import LeaveOneOut, leave_one_out


def _listed(value: Any) -> bool:
    return np.ndim(value) == 1 and len(value) > 0


def _alpha_faults(alphas: Any, one_left_out: bool) -> list[str]:
    """Which penalties are no numbers or out of range: > 0 for leave-one-out, ≥ 0 otherwise."""
    faults = []
    for i, alpha in enumerate(alphas if np.ndim(alphas) else [alphas]):
        if not isinstance(alpha, Real) or isinstance(alpha, (bool, np.bool_)):
            faults.append(f"RidgeCV: alphas[{i}] must be an instance of float, not {type(alpha).__name__}")
        elif one_left_out and not 0 < float(alpha) < np.inf:
            faults.append(f"RidgeCV: alphas[{i}] == {alpha}, must be > 0.0. For no penalty use cv=5")
        elif not 0 <= float(alpha) < np.inf:
            faults.append(f"RidgeCV: alphas[{i}] == {alpha}, must be >= 0.0 and finite")
    return faults


class RidgeCV(LinearRegressor):
    """Ridge regression with the penalty that predicts left-out rows best.

    With `cv=None` every row is left out in turn, in closed form: one eigendecomposition and one more pass over the data
    serve all penalties, so it runs on Parquet and Dask too. A row of weight ω is left out as a whole and its squared
    error counts ω times, as in scikit-learn. Any other `cv` is a grid search over folds; there weights also count in
    the default score.

    {parameters}

    Attributes
    ----------
    alpha_ : float, or ndarray of shape (n_targets,) with `alpha_per_target`
    best_score_ : float, or ndarray of shape (n_targets,) with `alpha_per_target`
        The score of `alpha_`: by default minus the mean of ω·(leave-one-out error)² over the rows.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: ω·error² of every row, or the left-out predictions when `scoring` is given.
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from surefit.linear_model import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y).alpha_
    0.01
    """

    alpha_: float | np.ndarray
    best_score_: float | np.ndarray

    def __init__(
        self,
        alphas: Annotated[
            float | np.ndarray,
            Rule(_listed, "of numbers"),
            "Penalties to try; positive when cv is None.",
        ] = (0.1, 1.0, 10.0),  # type: ignore[assignment]
        *,
        fit_intercept: Annotated[bool, "Whether to learn b, which is never penalised."] = True,
        scoring: Annotated[
            str | Callable | None,
            "How left-out predictions are judged: a scorer; None is the squared error for cv=None, else R².",
        ] = None,
        cv: Annotated[
            Any, "None for leave-one-out in closed form; else the number of folds, a splitter or a list of splits."
        ] = None,
        gcv_mode: Annotated[
            Literal["auto", "svd", "eigen"] | None,
            "'svd' works from the triangular factor of dense data, 'eigen' from products while they are accurate.",
        ] = None,
        store_cv_results: Annotated[bool, "Whether to keep what every row gave for every penalty (cv=None)."] = False,
        alpha_per_target: Annotated[bool, "Whether each target has its own penalty (cv=None)."] = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    @fitting
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Self:
        """Fit to rows X and targets y, with optional weights. `params` go to the scorer by metadata routing."""
        p = self._checked()
        faults = _alpha_faults(p.alphas, p.cv is None)
        if p.cv is not None and p.store_cv_results:
            faults.append("cv!=None and store_cv_results=True are incompatible")
        if p.cv is not None and p.alpha_per_target:
            faults.append("cv!=None and alpha_per_target=True are incompatible")
        routing = sklearn.get_config()["enable_metadata_routing"]
        if params and not routing:
            faults.append(f"fit got {sorted(params)}; extra arguments need enable_metadata_routing=True")
        if faults:
            raise InvalidParameter("\n".join(faults))
        alphas = np.atleast_1d(np.asarray(p.alphas, dtype=np.float64))
        self.__dict__.pop("cv_results_", None)
        if p.cv is not None:
            return self._search(p, X, y, sample_weight, alphas, params)
        data = open_data(self, X, y, sample_weight, target=True, min_rows=2)
        score_params = {} if sample_weight is None else {"sample_weight": data.w}
        if routing:
            given = params if sample_weight is None else {**params, "sample_weight": data.w}
            score_params = process_routing(self, "fit", **given).scorer.score
        by_svd = p.gcv_mode == "svd" and not data.is_sparse
        if p.gcv_mode == "svd" and data.is_sparse:
            warnings.warn(
                "The 'svd' mode is not supported for sparse X, we fallback to `gcv_mode='eigen'`. scikit-learn will "
                "refuse it in 1.11",
                FutureWarning,
                stacklevel=5,
            )
        left_out = leave_one_out(data, alphas, fit_intercept=p.fit_intercept, by_svd=by_svd)
        scores = self._scores(p, data, left_out, score_params)
        best = scores.argmax(axis=0)
        alpha = np.broadcast_to(alphas[best], (data.n_targets,))
        fit = left_out.fit(alpha)
        self._learn(data, fit.coef, fit.intercept, flat=True, with_intercept=p.fit_intercept)
        if p.alpha_per_target and data.n_targets > 1:
            self.alpha_, self.best_score_ = alpha.copy(), np.take_along_axis(scores, best[None], axis=0)[0]
        else:
            first = int(np.ravel(best)[0])
            column = p.alpha_per_target and data.target_ndim == 2
            self.alpha_, self.best_score_ = (
                float(alphas[first]),
                scores[first] if column else float(np.ravel(scores[first])[0]),
            )
        return self

    def _scores(self, p: Any, data: Source, left_out: LeaveOneOut, score_params: dict[str, Any]) -> np.ndarray:
        """One score for each penalty (and, with `alpha_per_target`, each target): (A,) or (A, t)."""
        scorer = None if p.scoring is None else check_scoring(self, scoring=p.scoring)
        if scorer is None and not p.store_cv_results:
            means = -left_out.sums() / data.n_rows
            return means.T if p.alpha_per_target else means.mean(axis=0)
        errors = left_out.errors()
        blocks = list(data.blocks())
        Y = np.concatenate([np.asarray(block.y).reshape(block.n_rows, -1) for block in blocks]).astype(np.float64)
        w = np.concatenate([block.w for block in blocks])[:, None, None] if data.has_weights else 1.0
        results = w * errors**2 if scorer is None else Y[:, :, None] - errors
        if p.store_cv_results:
            kept = results[:, 0] if data.target_ndim == 1 else results
            self.cv_results_ = kept.astype(data.dtype, copy=False)
        if scorer is None:
            means = -left_out.sums() / data.n_rows
            return means.T if p.alpha_per_target else means.mean(axis=0)
        judge, flat = Given(), data.target_ndim == 1
        if p.alpha_per_target:
            return np.array(
                [
                    [scorer(judge, results[:, k, a], Y[:, k], **score_params) for k in range(data.n_targets)]
                    for a in range(results.shape[2])
                ]
            )
        truth = Y[:, 0] if flat else Y
        return np.array(
            [
                scorer(judge, results[:, 0, a] if flat else results[:, :, a], truth, **score_params)
                for a in range(results.shape[2])
            ]
        )

    def _search(
        self, p: Any, X: Any, y: Any, sample_weight: Any, alphas: np.ndarray, params: dict[str, Any]
    ) -> RidgeCV:
        from sklearn.model_selection import GridSearchCV

        open_data(self, X, y, sample_weight, target=True, stream=False)
        given = dict(params)
        if sample_weight is not None:
            given["sample_weight"] = np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), (np.shape(X)[0],))
        weighted = "sample_weight" in given and p.scoring is None
        routing = weighted or sklearn.get_config()["enable_metadata_routing"]
        with sklearn.config_context(enable_metadata_routing=routing):
            model = Ridge(fit_intercept=p.fit_intercept)
            scorer = check_scoring(self, scoring=p.scoring, allow_none=True) if p.scoring is not None else None
            if routing:
                model.set_fit_request(sample_weight=True)
            if weighted:
                scorer = get_scorer("r2").set_score_request(sample_weight=True)
            search = GridSearchCV(model, {"alpha": alphas}, cv=p.cv, scoring=scorer)
            search.fit(X, y, **given)
        best = search.best_estimator_
        self.alpha_, self.best_score_ = float(best.alpha), float(search.best_score_)
        self.coef_, self.intercept_ = best.coef_, best.intercept_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """What `fit` may pass on: parameters of the scorer and of the splitter."""
        scorer = get_scorer("r2").set_score_request(sample_weight=True) if self.scoring is None else None
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                scorer=scorer or check_scoring(self, scoring=self.scoring),
                method_mapping=MethodMapping().add(caller="fit", callee="score"),
            )
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )
