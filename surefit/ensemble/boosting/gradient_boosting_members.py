"""The members of gradient boosting: how a stage's regressor is fitted, and the estimator of the start."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline

from surefit._core.errors import InvalidData
from surefit.objectives.losses import Loss
from surefit.solvers.boosting.gradient import Fitted, Learner
from surefit.solvers.boosting.line_search import best_constant
from surefit.solvers.growing.exact import grow_exact, presort
from surefit.solvers.growing.predict import apply_all
from surefit.solvers.growing.pruning import pruned_to_penalty
from surefit.solvers.growing.tree import Tree
from surefit.tree.decision_tree_regressor import DecisionTreeRegressor
from surefit.tree.growth import counts_of

TREE_PARAMETERS = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
)


def tree_learner(p: SimpleNamespace, X: Any, n_threads: int) -> Learner:
    """Trees on columns that are sorted once."""
    columns = presort(X, n_threads=n_threads)
    n, d = X.shape

    def fitted(residual: np.ndarray, w: np.ndarray | None, seed: int) -> Fitted:
        rows, weight = (n, float(n)) if w is None else (int(np.count_nonzero(w)), float(w.sum()))
        limits = counts_of(p, rows, weight, d) | {"seed": seed, "n_threads": n_threads}
        tree, leaf = grow_exact(columns, residual, w, criterion="squared_error", return_leaves=True, **limits)
        if p.ccp_alpha > 0:
            tree = pruned_to_penalty(tree, p.ccp_alpha)
        if p.ccp_alpha > 0 or (w is not None and rows < n):  # rows outside the bag are moved too
            leaf = apply_all([tree], columns.X, n_threads)[:, 0]
        return Fitted(tree, None, leaf)

    return fitted


def tree_maker(p: SimpleNamespace, max_features: int, n_features: int) -> Callable[[Tree, int], Any]:
    """(tree, seed) → the estimator around a tree, as a fit of its own would have left it."""
    fresh = DecisionTreeRegressor(**{name: getattr(p, name) for name in TREE_PARAMETERS}).__dict__
    fitted: dict[str, Any] = {"n_features_in_": n_features, "n_outputs_": 1, "max_features_": max_features}
    fitted |= {"is_categorical_": None, "categories_": {}}

    def make(tree: Tree, seed: int) -> Any:
        model = DecisionTreeRegressor.__new__(DecisionTreeRegressor)
        model.__dict__ = {**fresh, "random_state": seed, **fitted, "seed_": seed, "tree_": tree}
        return model

    return make


def estimator_learner(estimator: Any, X: Any) -> Learner:
    """Any regressor, fitted afresh for each stage to the rows of its bag."""
    takes_weights = "sample_weight" in inspect.signature(estimator.fit).parameters
    seeded = "random_state" in estimator.get_params()

    def fitted(residual: np.ndarray, w: np.ndarray | None, seed: int) -> Fitted:
        model = clone(estimator)
        if seeded:
            model.set_params(random_state=seed)
        inside = slice(None) if w is None else np.flatnonzero(w > 0)
        weights = None if w is None else w[inside]
        if weights is None or (not takes_weights and (weights == weights[0]).all()):
            model.fit(X[inside], residual[inside])
        elif takes_weights:
            model.fit(X[inside], residual[inside], sample_weight=weights)
        else:
            raise InvalidData(f"The base estimator {type(estimator).__name__} does not support sample weights")
        return Fitted(model, np.asarray(model.predict(X), dtype=np.float64).reshape(-1))

    return fitted


def start_estimator(init: Any, loss: Loss, classes: bool, X: Any, y: np.ndarray, w: np.ndarray | None) -> Any:
    """`init_`: the estimator that the first stage starts from, fitted; "zero" stays as it is."""
    if isinstance(init, str):
        return init
    if init is not None:
        return _fitted_start(clone(init), X, y, w)
    if classes:
        return DummyClassifier(strategy="prior").fit(X, y, sample_weight=w)
    constant = loss.inverse(best_constant(loss, y, w))
    return DummyRegressor(strategy="constant", constant=constant).fit(X, y)


def _fitted_start(init: Any, X: Any, y: np.ndarray, w: np.ndarray | None) -> Any:
    if w is None:
        return init.fit(X, y)
    refusal = f"The initial estimator {type(init).__name__} does not support sample weights."
    if isinstance(init, Pipeline) or "sample_weight" not in inspect.signature(init.fit).parameters:
        raise InvalidData(refusal)
    return init.fit(X, y, sample_weight=w)
