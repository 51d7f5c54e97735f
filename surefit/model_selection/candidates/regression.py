"""The regressions that `surefit compare` tries."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.pipeline import make_pipeline

from surefit.model_selection.candidates.candidate import Candidate

MANY_ROWS = 10_000
"""Beyond so many rows k-means starts once: its cost grows with the rows, the spread between starts shrinks."""
PROGRAMME_ROWS = 50_000
"""Beyond so many rows no linear program is solved again and again."""
MACHINE_ROWS = 2_000
"""Beyond so many rows no machine with a kernel is fitted again and again: its cost grows with their square."""
GRAM_ROWS = 500
"""Beyond so many rows no Gram matrix is decomposed, and its leave-one-out errors proved, again and again."""
NEIGHBOR_ROWS = 20_000
"""Beyond so many rows the nearest of each are not searched again and again."""
FOREST_ROWS = 50_000
"""Beyond so many rows no forest of full trees is grown, and its trees replayed, again and again."""
PENALTIES = tuple(10.0 ** (k / 2) for k in range(-6, 9))


def _mean(_: None, n_rows: int) -> Any:
    return DummyRegressor()


def _linear_regression(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LinearRegression

    return LinearRegression()


def _ridge(alpha: float, n_rows: int) -> Any:
    from surefit.linear_model import Ridge

    return Ridge(alpha=alpha)


def _ridge_cv(_: None, n_rows: int) -> Any:
    from surefit.linear_model import RidgeCV

    return RidgeCV(alphas=np.array(PENALTIES))


def _kernel_ridge_cv(_: None, n_rows: int) -> Any:
    from surefit.kernel_ridge import KernelRidgeCV

    return KernelRidgeCV(alphas=np.array(PENALTIES[::3]), kernel="rbf")


def _pca_ridge_cv(share: float, n_rows: int) -> Any:
    from surefit.decomposition import PCA

    return make_pipeline(PCA(n_components=share), _ridge_cv(None, n_rows))


def _lad(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LADRegressor

    return LADRegressor()


def _rbf_regressor(n_centers: int, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkRegressor

    return RBFNetworkRegressor(n_centers, random_state=0)


def _k_neighbors_regressor(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsRegressor

    return KNeighborsRegressor("cv")


def _tree_regressor(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(ccp_alpha="cv")


def _forest_regressor(n_trees: int, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_trees, max_features=1 / 3, min_samples_leaf=3, random_state=0)


def _boosted_regressor(_: None, n_rows: int) -> Any:
    from surefit.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=0)


def _svr(C: float, n_rows: int) -> Any:
    from surefit.svm import SVR

    return SVR(C=C)


REGRESSION: tuple[Candidate, ...] = (
    Candidate("mean (baseline)", "regression", "predicts the mean of the training targets", _mean),
    Candidate("LinearRegression", "regression", "least squares", _linear_regression),
    Candidate("Ridge α={value}", "regression", "least squares with a fixed penalty", _ridge, (1.0, 10.0, 100.0)),
    Candidate("RidgeCV", "regression", "penalty chosen by leave-one-out inside the training rows", _ridge_cv),
    Candidate(
        "PCA + RidgeCV",
        "regression",
        "ridge on the principal components that carry 95 % of the variance",
        _pca_ridge_cv,
        (0.95,),
        lambda share, shape: min(shape.n_rows, shape.n_columns) >= 2,
    ),
    Candidate(
        "KernelRidgeCV rbf",
        "regression",
        "a smooth function (Gaussian kernel), penalty chosen by leave-one-out inside the training rows",
        _kernel_ridge_cv,
        suits=lambda _, shape: shape.n_rows <= GRAM_ROWS,
    ),
    Candidate(
        "LADRegressor",
        "regression",
        "least absolute deviations: wild targets do not move it",
        _lad,
        suits=lambda _, shape: shape.n_rows <= PROGRAMME_ROWS,
    ),
    Candidate(
        "SVR rbf C={value}",
        "regression",
        "support vectors with a Gaussian kernel; C and ε in standard deviations of the target",
        _svr,
        (1.0, 10.0),
        lambda _, shape: shape.n_rows <= MACHINE_ROWS,
        in_spreads=("C", "epsilon"),
    ),
    Candidate(
        "RBF network K={value}",
        "regression",
        "least squares on Gaussian bumps around k-means' centers",
        _rbf_regressor,
        (50,),
        lambda k, shape: 4 * k <= shape.n_rows <= MANY_ROWS,
    ),
    Candidate(
        "KNeighborsRegressor",
        "regression",
        "the mean of the nearest rows, their number chosen by leave-one-out inside the training rows",
        _k_neighbors_regressor,
        suits=lambda _, shape: 2 <= shape.n_rows <= NEIGHBOR_ROWS,
    ),
    Candidate(
        "DecisionTree pruned",
        "regression",
        "one tree, cut back by cross-validation inside the training rows",
        _tree_regressor,
        suits=lambda _, shape: 10 <= shape.n_rows <= FOREST_ROWS,
    ),
    Candidate(
        "RandomForest {value}",
        "regression",
        "the mean of so many trees on bootstrap samples, a third of the columns tried in each node",
        _forest_regressor,
        (50,),
        lambda _, shape: 2 <= shape.n_rows <= FOREST_ROWS,
    ),
    Candidate(
        "HistGradientBoosting",
        "regression",
        "trees one after the other, each fitted to what those before leave, on binned columns",
        _boosted_regressor,
        suits=lambda _, shape: shape.n_rows >= 40,
    ),
)
