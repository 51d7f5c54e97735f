"""Every public estimator, found by walking the package: a new one is under all the laws as soon as it is exported."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np
import sklearn.base
from scipy.spatial.distance import cdist
from sklearn.utils import get_tags

import surefit
from surefit._core.base import Estimator


def estimator_classes() -> list[type]:
    """The estimator classes that the public modules export."""
    found = {}
    for family in surefit._FAMILIES:
        module = importlib.import_module(f"surefit.{family}")
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, sklearn.base.BaseEstimator):
                assert issubclass(value, Estimator), f"{name} is not built on surefit's base class"
                found[f"{family}.{name}"] = value
    return [found[key] for key in sorted(found)]


# How an estimator is built for the laws, when its defaults do not suit thirty rows. Tolerances are tight, so that
# laws about answers are not laws about stopping rules.
SETTINGS: dict[str, dict[str, Any]] = {
    "AdaBoostClassifier": {"n_estimators": 10, "random_state": 0},
    "AdaBoostRegressor": {"n_estimators": 6, "random_state": 0},
    "BaggingClassifier": {"n_estimators": 5, "random_state": 0},
    "BaggingRegressor": {"n_estimators": 5, "random_state": 0},
    "BisectingKMeans": {"n_clusters": 3, "n_init": 10, "random_state": 0, "tol": 0.0},
    "CrossValidatedEnsemble": {"cv": 3, "random_state": 0},
    "GaussianRandomProjection": {"n_components": 2, "random_state": 0},
    "GradientBoostingClassifier": {"n_estimators": 4, "random_state": 0},
    "GradientBoostingRegressor": {"n_estimators": 8, "random_state": 0},
    "BayesianGaussianMixture": {"n_components": 2, "tol": 1e-8, "max_iter": 2000, "random_state": 0},
    "GaussianMixture": {"n_components": 3, "tol": 1e-9, "max_iter": 1000, "random_state": 0},
    "GammaIndex": {"n_neighbors": 1},  # two rows have one neighbor each
    "HistGradientBoostingClassifier": {"max_iter": 3, "min_samples_leaf": 5, "random_state": 0},
    "HistGradientBoostingRegressor": {"max_iter": 6, "min_samples_leaf": 5, "random_state": 0},
    "IncrementalPCA": {"n_components": 2, "batch_size": 400},  # of several batches scikit-learn's is not PCA
    "KNeighborsClassifier": {"n_neighbors": 2},
    "KNeighborsRegressor": {"n_neighbors": 2},
    "KMeans": {"n_clusters": 3, "random_state": 0, "tol": 0.0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "Isomap": {"n_neighbors": 15},
    "LocallyLinearEmbedding": {"n_neighbors": 15},
    "MLPClassifier": {"hidden_layer_sizes": (5,), "learning_rate_init": 0.05, "max_iter": 30, "random_state": 0},
    "MLPRegressor": {"hidden_layer_sizes": (5,), "learning_rate_init": 0.05, "max_iter": 60, "random_state": 0},
    "MDS": {"init": "classical_mds", "eps": 1e-13, "max_iter": 2000},
    "KernelPCA": {"n_components": 2, "fit_inverse_transform": True},
    "NearestNeighbors": {"n_neighbors": 2},
    "PCA": {"n_components": 2},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},  # the checks have classes with fewer rows than columns
    "RandomForestClassifier": {"n_estimators": 5, "max_depth": 5, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 8, "max_depth": 4, "oob_score": True, "random_state": 0},
    "RadiusNeighborsClassifier": {"radius": 1.5, "outlier_label": "most_frequent"},
    "RadiusNeighborsRegressor": {"radius": 1.5},
    "RBFInterpolator": {"degree": 1},  # so that all it has learnt matters
    "RBFNetworkClassifier": {"n_centers": 10, "random_state": 0},
    "RBFNetworkRegressor": {"n_centers": 10, "random_state": 0},
    "RidgeCV": {"alphas": (0.1, 1.0, 10.0)},
    "SVC": {"tol": 1e-7},
    "SpectralClustering": {"n_clusters": 3, "affinity": "nearest_neighbors", "n_neighbors": 20, "random_state": 0},
    "SpectralEmbedding": {"n_neighbors": 20},
    "SVR": {"tol": 1e-7},
}


# Most rows of a law, for methods whose work grows with the square of them or faster.
MOST_ROWS = {
    "AgglomerativeClustering": 2001,
    "ClassicalMDS": 1101,
    "GammaIndex": 3001,
    "KernelPCA": 1501,
    "Isomap": 601,
    "LocallyLinearEmbedding": 1001,
    "MDS": 301,
    "MinCut": 301,
    "RBFInterpolator": 1001,
    "StepwiseAgglomeration": 301,
    "SubgradientSVC": 9001,
    "SVC": 3001,
    "SVR": 1501,
    "SpectralClustering": 301,
    "SpectralEmbedding": 301,
}


def at_most(model: Estimator, n: int) -> int:
    return min(n, MOST_ROWS.get(type(model).__name__, n))


def scikit_learn_class(model: Estimator) -> type | None:
    """The class of the same name in the module of the same name; None where scikit-learn has none."""
    family = type(model).__module__.split(".")[1]
    if importlib.util.find_spec(f"sklearn.{family}") is None:
        return None
    return getattr(importlib.import_module(f"sklearn.{family}"), type(model).__name__, None)


def instances() -> list[Estimator]:
    return [cls(**SETTINGS.get(cls.__name__, {})) for cls in estimator_classes()]


# Neighbors that join the rows of the laws into one graph are more than scikit-learn's checks have rows.
OF_FEW_ROWS: dict[str, dict[str, Any]] = {
    "BayesianGaussianMixture": {"n_components": 4},
    "GaussianMixture": {"n_components": 4},  # as many as the checks have classes
    "Isomap": {"n_neighbors": 4},
    "LocallyLinearEmbedding": {"n_neighbors": 4},
}


def instances_for_few_rows() -> list[Estimator]:
    return [model.set_params(**OF_FEW_ROWS.get(type(model).__name__, {})) for model in instances()]


def sample(
    model: Estimator | None = None, n: int = 90, d: int = 4, seed: int = 0, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Three overlapping groups with distinct spreads; the model's kind of target; whole weights with zeros.

    No weights (None) for a model that takes none.
    """
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, n)
    centres = 6.0 * rng.normal(size=(3, d))
    X = centres[groups] + rng.normal(size=(n, d)) * np.arange(1, d + 1)
    y = X @ np.arange(1.0, d + 1) + rng.normal(size=n) + 3
    w = rng.integers(0, 4, n).astype(np.float64)
    return suited(model, X.astype(dtype)), target(model, y.astype(dtype)), w if takes_weights(model) else None


def samples(model: Estimator, n: int = 400, dtype: Any = np.float64) -> list[tuple[np.ndarray, np.ndarray, Any]]:
    """The sample; and for a model that claims other things of classes a hyperplane separates, such classes too."""
    X, y, w = sample(model, n=n, dtype=dtype)
    if type(model).__name__ not in TWO_ANSWERS:
        return [(X, y, w)]
    scores = (X - X.mean(axis=0)) @ np.arange(1.0, X.shape[1] + 1)
    apart = np.abs(scores) > 0.2 * np.abs(scores).mean()
    return [(X, y, w), (X[apart], np.where(scores[apart] > 0, "green", "blue"), w[apart])]


# Where the classes are not separable these prove just that, and claim nothing of their coefficients.
TWO_ANSWERS = {"BatchPerceptron"}


# How large a lie is, relative to the truth. All that these claim of their coefficients is how many rows they answer
# wrongly: a lie is one that changes that.
LIE_SIZE = {"Perceptron": 1.0}


def answers_are_leaf_values(model: Any) -> bool:
    """Sums of what leaves of trees say: made of targets, in double precision as scikit-learn's, whatever X is in."""
    return type(model).__module__.startswith(("surefit.tree.", "surefit.ensemble."))


def suited(model: Estimator | None, X: np.ndarray) -> np.ndarray:
    """Rows the model takes: none below zero where it counts things; near ones within eps, where it has one."""
    if hasattr(model, "eps"):
        X = X * X.dtype.type(model.eps / 4)
    return np.abs(X) if model is not None and get_tags(model).input_tags.positive_only else X


def target(model: Estimator | None, y: np.ndarray) -> np.ndarray:
    """The numbers themselves for regressors; for classifiers labels (two where it takes no more), not separable."""
    if model is None or not sklearn.base.is_classifier(model):
        return y
    several = get_tags(model).classifier_tags.multi_class
    cuts = np.quantile(y, [1 / 3, 2 / 3] if several else [0.5])
    codes = np.digitize(y, cuts)
    flipped = np.arange(len(y)) % 7 == 0
    return np.array(["blue", "green", "red"])[np.where(flipped, 0, codes)]


def fit(model: Estimator, X: Any, y: Any, w: Any = None) -> Estimator:
    model = sklearn.base.clone(model)
    return model.fit(X, y) if w is None else model.fit(X, y, sample_weight=w)


def takes_weights(model: Estimator | None) -> bool:
    return model is None or "sample_weight" in type(model).fit.__wrapped__.__code__.co_varnames


def takes_negative_weights(model: Estimator) -> bool:
    """As scikit-learn's class does."""
    return type(model).__name__ == "DBSCAN"


def takes_infinities(model: Estimator) -> bool:
    """As scikit-learn's class does: bins ask only which of two values is larger."""
    return type(model).__name__.startswith("HistGradientBoosting")


def scaled(model: Estimator, scale: float) -> Estimator:
    """The same model for rows times `scale`: a radius grows with them."""
    model = sklearn.base.clone(model)
    is_radius = hasattr(model, "eps") and not hasattr(model, "max_iter")  # else it ends an iteration
    return model.set_params(eps=model.eps * scale) if is_radius else model


def numbers_groups(model: Estimator) -> bool:
    """It answers with a column for each of the groups that it found, whose order is free."""
    return sklearn.base.is_clusterer(model) or get_tags(model).estimator_type == "density_estimator"


def unit_free(model: Estimator) -> bool:
    """Its coordinates have a fixed length whatever the units of the rows: they come from a graph."""
    return hasattr(model, "affinity")


def ends_with_samples(model: Estimator) -> bool:
    """Its answer is an average over samples of rows, drawn by their digits: in other units others are drawn."""
    return type(model).__name__ == "MiniBatchKMeans"


def reads_no_rows(model: Estimator) -> bool:
    """It is drawn for the shape of the rows, whatever is in them."""
    return type(model).__module__.startswith("surefit.random_projection.")


def some_rows(rows: Any, *arrays: Any) -> list[Any]:
    """These rows of each array; None stays None."""
    return [None if array is None else array[rows] for array in arrays]


ASKED = ("predict", "predict_proba", "decision_function", "transform", "kneighbors")


def transductive(model: Estimator) -> bool:
    """It speaks of the rows it was fitted to, and of no others."""
    return not any(hasattr(model, method) for method in ASKED)


def relations(model: Estimator) -> np.ndarray:
    """What a transductive model says of each pair of its rows, whatever the names of clusters and the axes:

    1 for rows in one cluster (noise, −1, is in none); or the distance of their images.
    """
    if hasattr(model, "labels_"):
        labels = np.asarray(model.labels_)
        return ((labels[:, None] == labels) & (labels >= 0)).astype(float)
    return cdist(model.embedding_, model.embedding_).astype(model.embedding_.dtype)


# How far apart two answers may lie that a stopping rule calls the same: the least of a sum of squares determines the
# point where it is to the root of its rounding only.
SAME_ANSWER = {"MDS": 1e-5}


def answer(model: Estimator, X: Any) -> np.ndarray:
    """What the model says about rows: the thing that laws compare."""
    if transductive(model):
        return relations(model)
    methods = ("predict",) if sklearn.base.is_regressor(model) else ("predict_proba", "decision_function", "transform")
    method = next((method for method in methods if hasattr(model, method)), "kneighbors")
    said = getattr(model, method)(X)
    return said[0] if method == "kneighbors" else np.asarray(said)


def answers_are_distances(model: Estimator) -> bool:
    """Distances are sums over columns in double precision, and are given so."""
    predicts = sklearn.base.is_regressor(model) or sklearn.base.is_classifier(model)
    return hasattr(model, "kneighbors") and not predicts


def learnt(model: Estimator) -> dict[str, np.ndarray]:
    """The fitted attributes that are numbers or arrays of numbers."""
    attributes = {}
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and name not in ("history_", "cv_results_"):
            if isinstance(value, list):  # arrays of different shapes
                continue
            array = np.asarray(value)
            if array.dtype.kind in "fiub":
                attributes[name] = array
    return attributes
