"""The regressions that `surefit compare` tries, the cheapest first."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.preprocessing import StandardScaler

from surefit.model_selection.candidates import limits
from surefit.model_selection.candidates.boosting import BOOSTED
from surefit.model_selection.candidates.candidate import Candidate, settings

PENALTIES = tuple(10.0 ** (k / 2) for k in range(-6, 9))


def _mean(_: None, n_rows: int) -> Any:
    return DummyRegressor()


def _linear_regression(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LinearRegression

    return LinearRegression()


def _ridge(_: None, n_rows: int) -> Any:
    from surefit.linear_model import RidgeCV

    return RidgeCV(alphas=np.array(PENALTIES))


def _lad(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LADRegressor

    return LADRegressor()


def _tree_regressor(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(ccp_alpha="cv")


def _boosted_regressor(_: None, n_rows: int) -> Any:
    from surefit.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=0)


def _k_neighbors_regressor(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsRegressor

    return KNeighborsRegressor("cv")


def _kernel_ridge(_: None, n_rows: int) -> Any:
    from surefit.kernel_ridge import KernelRidgeCV

    return KernelRidgeCV(alphas=np.array(PENALTIES[::3]), kernel="rbf", gammas=np.array([0.01, 0.1, 1.0]))


def _svr(_: None, n_rows: int) -> Any:
    from surefit.svm import SVR

    return SVR()


def _rbf_regressor(_: None, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkRegressor

    return RBFNetworkRegressor(20, random_state=0)


def _forest_regressor(_: None, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, max_features=1 / 3, min_samples_leaf=3, random_state=0)


def _smooth_network(_: None, n_rows: int) -> Any:
    """With smooth units a stationary point is reached, and proved."""
    return _network(hidden_layer_sizes=(10,), activation="tanh", solver="lbfgs", alpha=10.0, tol=1e-3, max_iter=500)


def _batch_network(_: None, n_rows: int) -> Any:
    """The penalty is shared by the 200 rows of a batch, not by all rows."""
    return _network(hidden_layer_sizes=(50,), alpha=0.01, max_iter=100, early_stopping=True, n_iter_no_change=5)


def _network(**parameters: Any) -> Any:
    """On targets of unit variance: steps and penalty of a network are not free of their scale."""
    from surefit.neural_network import MLPRegressor

    return TransformedTargetRegressor(MLPRegressor(random_state=0, **parameters), transformer=StandardScaler())


REGRESSION: tuple[Candidate, ...] = (
    Candidate("mean (baseline)", "regression", "predicts the mean of the training targets", _mean),
    Candidate("LinearRegression", "regression", "least squares", _linear_regression),
    Candidate(
        "Ridge",
        "regression",
        "least squares with a penalty, chosen by leave-one-out inside the training rows",
        _ridge,
    ),
    Candidate(
        "LADRegressor",
        "regression",
        "least absolute deviations: wild targets do not move it",
        _lad,
        suits=lambda _, shape: shape.n_rows <= limits.PROGRAMME_ROWS,
        unless=limits.PROGRAMME,
    ),
    Candidate(
        "DecisionTree",
        "regression",
        "one tree, cut back by cross-validation inside the training rows",
        _tree_regressor,
        suits=lambda _, shape: 10 <= shape.n_rows <= limits.TREE_ROWS,
        unless=limits.TREES,
    ),
    Candidate(
        "HistGradientBoosting",
        "regression",
        "trees one after the other, each fitted to what those before leave, on binned columns",
        _boosted_regressor,
        suits=lambda _, shape: shape.n_rows >= 40,
        search=BOOSTED,
        unless="it needs 40 training rows or more",
    ),
    Candidate(
        "KNeighbors",
        "regression",
        "the mean of the nearest rows, their number chosen by leave-one-out inside the training rows",
        _k_neighbors_regressor,
        suits=lambda _, shape: 2 <= shape.n_rows <= limits.NEIGHBOR_ROWS,
        unless=limits.NEIGHBORS,
    ),
    Candidate(
        "KernelRidge",
        "regression",
        "a smooth function (Gaussian kernel), penalty and width chosen by leave-one-out inside the training rows",
        _kernel_ridge,
        suits=lambda _, shape: shape.n_rows <= limits.GRAM_ROWS,
        per_column=("gammas",),
        unless=limits.CUBE,
    ),
    Candidate(
        "SVR",
        "regression",
        "support vectors with a Gaussian kernel; C and ε in standard deviations of the target",
        _svr,
        suits=lambda _, shape: shape.n_rows <= limits.KERNEL_ROWS,
        in_spreads=("C", "epsilon"),
        per_column=("gamma",),
        search=settings(gamma=(0.1, 1.0), C=(0.3, 3.0)),
        unless=limits.SQUARE,
    ),
    Candidate(
        "RBF network",
        "regression",
        "least squares on Gaussian bumps around k-means' centers",
        _rbf_regressor,
        suits=lambda _, shape: 60 <= shape.n_rows <= limits.KERNEL_ROWS,
        search=settings(n_centers=(10, 30, 100)),
        unless=f"tried on 60 to {limits.KERNEL_ROWS:,} training rows",
    ),
    Candidate(
        "RandomForest",
        "regression",
        "the mean of 100 trees on bootstrap samples, a third of the columns tried in each node",
        _forest_regressor,
        suits=lambda _, shape: 2 <= shape.n_rows <= limits.TREE_ROWS,
        search=settings(min_samples_leaf=(5, 1)),
        unless=limits.TREES,
    ),
    Candidate(
        "MLP",
        "regression",
        "a network with one hidden layer, on targets of unit variance",
        _smooth_network,
        suits=lambda _, shape: 20 <= shape.n_rows <= limits.KERNEL_ROWS,
        search=settings(regressor__alpha=(30.0, 10.0, 1.0)),
    ),
    Candidate(
        "MLP",
        "regression",
        "a network with one hidden layer, trained until rows held out gain no more, on targets of unit variance",
        _batch_network,
        suits=lambda _, shape: limits.KERNEL_ROWS < shape.n_rows <= limits.NETWORK_ROWS,
        search=settings(regressor__alpha=(0.1, 0.01)),
        unless=limits.NETWORKS,
    ),
)
