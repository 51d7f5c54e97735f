"""Models made worse in every way that users meet, with the true size of the damage in long double.

`python -m tests.laws.lies [CLASS …]` prints, class by class, how many lies were told, how many were believed although
they are worse than the certificate's own limit, and how often a printed number was smaller than the truth.
"""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.base
import sklearn.cluster
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.ensemble
import sklearn.linear_model
import sklearn.manifold
import sklearn.mixture
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.neural_network
import sklearn.random_projection
import sklearn.svm
import sklearn.tree
from scipy.spatial.distance import cdist

import surefit
import surefit.ensemble
import surefit.linear_model
import surefit.random_projection
import surefit.svm
import surefit.tree
from tests.reference import mlp
from tests.reference.objectives import above_best_weights, next_step_saves, objective, share_wrong

SIZES = 10.0 ** np.arange(-9, 0)
OFFSETS = (0.0, 30.0, 3000.0, 1e6)
LIMIT = 1e-6
FELT = 1e-3  # a change of the answers, relative to their spread, that nobody calls rounding

# Every class with its solvers: what is fitted, by us and by scikit-learn where it has the class.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "LinearRegression": [{}, {"fit_intercept": False}],
    "Ridge": [{}, {"alpha": 1e-3}, {"alpha": 100.0, "solver": "svd"}],
    "RidgeCV": [{}],
    "KernelRidge": [{}, {"kernel": "rbf", "gamma": 0.1}, {"kernel": "rbf", "alpha": 1e-3, "solver": "eigen"}],
    "KernelRidgeCV": [{"kernel": "rbf", "gamma": 0.1}],
    "RecursiveLeastSquares": [{}, {"forgetting": 0.98}],
    "LMSRegressor": [{"tol": 1e-12}],
    "QuantileRegressor": [{"alpha": 0.0}, {"quantile": 0.8, "alpha": 1e-3}],
    "LADRegressor": [{}],
    "LogisticRegression": [
        {"tol": 1e-10, "max_iter": 10_000},
        {"tol": 1e-10, "max_iter": 10_000, "C": np.inf},
        {"tol": 1e-10, "max_iter": 10_000, "l1_ratio": 1.0, "solver": "saga", "C": 0.1},
    ],
    "Perceptron": [{}],
    "BatchPerceptron": [{}],
    "LinearProgramClassifier": [{}],
    "SVC": [{"tol": 1e-7, "max_iter": 100_000}, {"tol": 1e-7, "max_iter": 100_000, "gamma": 0.1, "C": 10.0}],
    "SVR": [{"tol": 1e-7, "max_iter": 100_000}, {"tol": 1e-7, "max_iter": 100_000, "C": 0.1, "epsilon": 0.5}],
    "LinearSVC": [
        {"tol": 1e-9, "max_iter": 2_000, "random_state": 0},
        {"tol": 1e-9, "max_iter": 2_000, "random_state": 0, "loss": "hinge", "C": 0.1},
        {"tol": 1e-9, "max_iter": 2_000, "random_state": 0, "penalty": "l1", "dual": False},
    ],
    "SubgradientSVC": [{"max_iter": 200}, {"max_iter": 50, "lambda_": 0.1}],
    "GaussianNB": [{}],
    "MultinomialNB": [{}],
    "BernoulliNB": [{"binarize": 2.0}],
    "ComplementNB": [{}, {"norm": True}],
    "CategoricalNB": [{}],
    "MixedNB": [{}],
    "LinearDiscriminantAnalysis": [{}, {"solver": "lsqr"}, {"solver": "eigen", "shrinkage": "auto"}],
    "QuadraticDiscriminantAnalysis": [{}, {"reg_param": 0.1}],
    "PCA": [{"n_components": 3}, {"n_components": 3, "svd_solver": "full"}],
    "IncrementalPCA": [{"n_components": 3, "batch_size": 50}],
    "GaussianRandomProjection": [{"n_components": 3, "random_state": 0}],
    "KernelPCA": [{"n_components": 3}, {"n_components": 3, "kernel": "rbf", "gamma": 1e-2}],
    "RBFInterpolator": [{"degree": 1}, {"degree": 1, "smoothing": 0.1}],
    "RBFNetworkRegressor": [{"n_centers": 5, "random_state": 0}],
    "RBFNetworkClassifier": [{"n_centers": 5, "random_state": 0}],
    "KMeans": [{"n_clusters": 3, "random_state": 0, "tol": 0.0}],
    "MiniBatchKMeans": [{"n_clusters": 3, "random_state": 0, "n_init": 1, "batch_size": 100}],
    "BisectingKMeans": [{"n_clusters": 3, "random_state": 0, "tol": 0.0}],
    "BayesianGaussianMixture": [
        {"n_components": 3, "tol": 1e-8, "max_iter": 3000, "random_state": 0},
        {
            "n_components": 3,
            "tol": 1e-8,
            "max_iter": 3000,
            "random_state": 0,
            "weight_concentration_prior_type": "dirichlet_distribution",
        },
    ],
    "GaussianMixture": [
        {"n_components": 3, "tol": 1e-9, "max_iter": 2000, "random_state": 0},
        {"n_components": 3, "tol": 1e-9, "max_iter": 2000, "random_state": 0, "covariance_type": "tied"},
        {"n_components": 3, "tol": 1e-9, "max_iter": 2000, "random_state": 0, "covariance_type": "diag"},
    ],
    "MLPClassifier": [{"hidden_layer_sizes": (5,), "solver": "lbfgs", "max_iter": 100, "random_state": 0}],
    "MLPRegressor": [{"hidden_layer_sizes": (5,), "solver": "lbfgs", "max_iter": 100, "random_state": 0}],
    "AgglomerativeClustering": [{}, {"linkage": "single", "metric": "manhattan"}],
    "StepwiseAgglomeration": [{}, {"cost": "within", "n_clusters": 3}],
    "DBSCAN": [{}, {"eps": 1.0, "min_samples": 10, "metric": "manhattan"}],
    "MinCut": [{}, {"affinity": "rbf"}],
    "SpectralClustering": [{"n_clusters": 3, "random_state": 0, "affinity": "nearest_neighbors"}],
    "SpectralEmbedding": [{"n_neighbors": 20, "random_state": 0}],
    "ClassicalMDS": [{}],
    "MDS": [{"init": "classical_mds", "n_init": 1, "eps": 1e-13, "max_iter": 2_000}],
    "Isomap": [{"n_neighbors": 20}],
    "LocallyLinearEmbedding": [{"n_neighbors": 20}],
    "NearestNeighbors": [{}, {"metric": "manhattan"}],
    "KNeighborsClassifier": [{}, {"weights": "distance"}],
    "KNeighborsRegressor": [{}, {"weights": "distance"}],
    "RadiusNeighborsClassifier": [
        {"radius": 2.0},
        {"radius": 2.0, "weights": "distance", "outlier_label": "most_frequent"},
    ],
    "RadiusNeighborsRegressor": [{"radius": 2.0}, {"radius": 2.0, "weights": "distance"}],
    "GammaIndex": [{}],
    "AdaBoostClassifier": [{"n_estimators": 5, "random_state": 0}, {"n_estimators": 3, "learning_rate": 0.5}],
    "GradientBoostingClassifier": [{"n_estimators": 4, "random_state": 0}],
    "GradientBoostingRegressor": [{"n_estimators": 6, "random_state": 0}, {"n_estimators": 4, "line_search": True}],
    "AdaBoostRegressor": [{"n_estimators": 3, "random_state": 0}, {"n_estimators": 3, "loss": "square"}],
    "BaggingClassifier": [{"n_estimators": 3, "random_state": 0, "max_samples": 40}],
    "BaggingRegressor": [{"n_estimators": 3, "random_state": 0, "max_samples": 40, "max_features": 3}],
    "CrossValidatedEnsemble": [
        {"cv": 3, "random_state": 0},
        {"cv": 3, "random_state": 0, "estimator": surefit.linear_model.Ridge()},
    ],
    "DecisionTreeClassifier": [
        {"random_state": 0, "min_samples_leaf": 5},
        {"random_state": 0, "criterion": "entropy", "max_leaf_nodes": 9},
    ],
    "DecisionTreeRegressor": [{"random_state": 0, "min_samples_leaf": 20}, {"random_state": 0, "ccp_alpha": 0.05}],
    "HistGradientBoostingClassifier": [{"max_iter": 2, "max_leaf_nodes": 8}],
    "RandomForestClassifier": [{"n_estimators": 3, "max_depth": 3, "random_state": 0}],
    "RandomForestRegressor": [{"n_estimators": 3, "max_depth": 3, "random_state": 0}],
    "HistGradientBoostingRegressor": [{"max_iter": 4, "max_leaf_nodes": 8, "l2_regularization": 1.0}],
}
SLOW = {
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "CrossValidatedEnsemble",
    "KernelRidge",
    "KernelRidgeCV",
    "MDS",
    "MiniBatchKMeans",
    "SVC",
    "SVR",
}
COUNTS = {"MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB"}
FAMILIES = (
    "manifold",
    "neighbors",
    "rbf",
    "svm",
    "kernel_ridge",
    "linear_model",
    "naive_bayes",
    "discriminant_analysis",
    "cluster",
    "decomposition",
    "random_projection",
    "tree",
    "ensemble",
    "mixture",
    "neural_network",
)


@dataclass
class Lie:
    """A model that is not what was fitted, or data that it was not fitted to."""

    what: str
    model: Any
    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None
    off: float | None  # by how much its objective is above that of the true fit, relative; None where it has none
    felt: float  # by how much its answers change, relative to their spread


@dataclass
class Verdict:
    told: int = 0
    believed: int = 0  # although worse than the limit and what rounding excuses
    flattering: int = 0  # a printed gap below the truth
    refused_truths: int = 0
    truths: int = 0


def classes_of(name: str) -> Iterator[type]:
    """Our class of this name, and scikit-learn's."""
    for library in (surefit, sklearn):
        for family in FAMILIES:
            cls = getattr(getattr(library, family, None), name, None)
            if cls is not None:
                yield cls


def data(name: str, dtype: Any, offset: float, mixed: bool, weighted: bool, n: int = 300) -> tuple[Any, Any, Any]:
    """Three groups, the second tight and the third rare; columns of one scale or of scales from 1e-3 to 1e3."""
    rng = np.random.default_rng(7)
    group = np.digitize(rng.random(n), [0.6, 0.93])
    spread = np.array([1.0, 0.2, 1.0])[group]
    X = np.array([[0, 0, 0, 0], [3, 3, 0, 1], [-4, 2, 2, 0]], dtype=float)[group]
    X = X + rng.normal(size=(n, 4)) * spread[:, None] * [1.0, 0.5, 2.0, 0.1]
    if name in COUNTS:
        X = np.floor(np.abs(X) * 3)
    else:
        X = (X + offset) * (np.array([1e-3, 1.0, 30.0, 1e3]) if mixed else 1.0)
    X = X.astype(dtype)
    cls = next(classes_of(name))
    if sklearn.base.is_classifier(cls()):
        two = not sklearn.utils.get_tags(cls()).classifier_tags.multi_class
        y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), group)
        y = np.minimum(y, 1) if two else y
    else:
        Z = (X.astype(float) - X.astype(float).mean(axis=0)) / X.astype(float).std(axis=0)
        y = (Z @ [1.0, -2.0, 0.5, 1.0] + 0.3 * rng.standard_t(3, size=n) + offset).astype(dtype)
    w = rng.integers(0, 4, n).astype(float) if weighted and takes_weights(cls) else None
    return X, y, w


def name_of(model: Any) -> str:
    return type(model).__name__


def takes_weights(cls: type) -> bool:
    return "sample_weight" in inspect.signature(cls.fit).parameters


def fitted(cls: type, settings: dict[str, Any], X: Any, y: Any, w: Any) -> Any:
    """With a seed: without one scikit-learn's trees choose among equal splits anew, and no refit is a lie."""
    names, settings = cls().get_params(), {"random_state": 0, **settings}
    model = cls(**{key: value for key, value in settings.items() if key in names})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y) if w is None else model.fit(X, y, sample_weight=w)


def refits(cls: type, settings: dict[str, Any], X: Any, y: Any, w: Any) -> list[Any]:
    """The fit, or nothing where what offsets did to the data is refused: matrices that lost their rank (by ARPACK as a
    RuntimeError), distances that scikit-learn's MDS made itself and finds asymmetric."""
    try:
        return [fitted(cls, settings, X, y, w)]
    except (ValueError, RuntimeError) as refusal:
        if not any(word in str(refusal) for word in ("covariance", "singular", "Array must be symmetric")):
            raise
        return []


def answers(model: Any, X: np.ndarray) -> np.ndarray:
    for method in ("predict_proba", "decision_function", "transform", "predict"):
        if hasattr(model, method) and not (method == "transform" and hasattr(model, "predict")):
            return np.asarray(getattr(model, method)(X), dtype=float)
    if hasattr(model, "kneighbors"):
        return model.kneighbors(X)[0]
    if hasattr(model, "labels_"):  # which rows are in one cluster
        return ((model.labels_[:, None] == model.labels_) & (model.labels_ >= 0)).astype(float)
    if hasattr(model, "embedding_"):  # how far from each other the images of rows are
        return cdist(model.embedding_, model.embedding_)
    raise TypeError(type(model).__name__)


def told(model: Any, what: str, X: Any, y: Any, w: Any, truth: Any) -> Lie:
    """The lie, with how much worse it is than the truth, a fit to the same data."""
    f, best = objective(model, X, y, w), objective(truth, X, y, w)
    if name_of(model) == "KMeans":
        off = next_step_saves(model.cluster_centers_, X, w)
    elif name_of(model) == "RBFNetworkRegressor":
        off = above_best_weights(model, X, y, w)
    elif name_of(model).startswith("MLP"):  # what it claims: this loss, and no least one
        off = loss_off(model, X, y, w)
    elif name_of(model) == "SubgradientSVC":  # what it claims: this value, within its theorem's bound of the least
        off = max(0.0, float((f - model.objective_) / f))
    elif name_of(model) == "Perceptron":  # all it claims: fewer rows wrong than a constant answer has
        wrong, constant = share_wrong(model, X, y, w)
        off = float(wrong >= constant)
    else:
        off = None if f is None or best is None else float((f - best) / f) if f > 0 else 0.0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = answers(truth, X)
        try:
            after = answers(model, X)
        except ValueError:  # attributes that do not fit together
            return Lie(what, model, X, y, w, off, np.inf)
    spread = 1.0 if hasattr(truth, "predict_proba") else np.std(before, axis=0).max() or 1.0
    felt = float(np.abs(after - before).max() / spread) if after.shape == before.shape else np.inf
    return Lie(what, model, X, y, w, off, felt)


def loss_off(model: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """By how much the loss of a network's weights is not the one it says, relative."""
    Y = y[:, None] if not hasattr(model, "classes_") else (y[:, None] == model.classes_).astype(float)
    f = mlp.loss(model, X, Y, np.ones(len(X)) if w is None else w)
    return float(abs(model.loss_ - f) / f)


def times(value: Any, factor: Any) -> Any:
    """The product, a number or an array as the value is, in its own type."""
    return (value * factor).astype(value.dtype) if np.ndim(value) else type(value)(value * factor)


def first_tree(model: Any) -> Any:
    """The tree of a model that is one, or of the first member of an ensemble; None where there is none."""
    members = getattr(model, "estimators_", [model])
    first = members.flat[0] if isinstance(members, np.ndarray) else members[0]
    return getattr(first, "tree_", None)


def lies(truth: Any, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, sizes: np.ndarray = SIZES) -> Iterator[Lie]:
    """Attributes made worse by 1e-9 … 1e-1; fits to other rows, weights, columns and parameters; labels renamed."""
    rng = np.random.default_rng(1)
    for name in ("coef_", "intercept_", "cluster_centers_", "theta_", "var_", "components_", "means_",
                 "feature_log_prob_", "explained_variance_", "class_log_prior_", "dual_coef_",
                 "eigenvalues_", "eigenvectors_", "X_fit_", "y_fit_", "gamma_", "threshold_",
                 "estimator_weights_", "estimator_errors_", "coefs_", "intercepts_"):  # fmt: skip
        value = vars(truth).get(name)
        parts = value if isinstance(value, list) else [value]  # of a network the layers
        if not all(isinstance(part, (np.ndarray, float)) for part in parts) or not any(map(np.any, parts)):
            continue
        if name == "gamma_" and not np.ndim(value):  # a kernel's: another problem, not a worse answer to this one
            continue
        noise = [rng.choice([-1.0, 1.0], size=np.shape(part)) for part in parts]
        for size in sizes:
            lie = copy.deepcopy(truth)
            lied = [times(part, 1 + size * sign) for part, sign in zip(parts, noise, strict=True)]
            setattr(lie, name, lied if value is parts else lied[0])
            yield told(lie, f"{name} × (1 ± {size:.0e})", X, y, w, truth)
    for name in ("threshold", "value") if first_tree(truth) is not None else ():
        noise = rng.choice([-1.0, 1.0], size=getattr(first_tree(truth), name).shape)
        for size in sizes:
            lie = copy.deepcopy(truth)
            getattr(first_tree(lie), name)[:] *= 1 + size * noise
            yield told(lie, f"{name} × (1 ± {size:.0e})", X, y, w, truth)
    cls, settings = type(truth), truth.get_params()
    keep = np.ones(len(X), dtype=bool)
    keep[rng.choice(len(X), 30, replace=False)] = False
    for lie in refits(cls, settings, X[keep], y[keep], None if w is None else w[keep]):
        yield told(lie, "30 rows fewer", X, y, w, truth)
    if w is not None:
        for lie in refits(cls, settings, X, y, None):
            yield told(lie, "without the weights", X, y, w, truth)
    if name_of(truth) != "CategoricalNB":  # its permuted columns have other categories, which it refuses to answer
        order = np.roll(np.arange(X.shape[1]), 1)
        for lie in refits(cls, settings, X[:, order], y, w):
            yield told(lie, "columns permuted", X, y, w, truth)
    for name in (
        "alpha",
        "C",
        "quantile",
        "var_smoothing",
        "reg_param",
        "n_clusters",
        "n_components",
        "epsilon",
        "eps",
    ):
        value = settings.get(name)
        if name == "alpha" and name_of(truth) == "KernelPCA":  # of pre-images, which are not asked for
            continue
        if isinstance(value, (int, float)) and value and np.isfinite(value):
            other = {
                **settings,
                name: value + 1 if isinstance(value, int) else value * (0.9 if is_share(name, truth) else 2),
            }
            for lie in refits(cls, other, X, y, w):
                yield told(lie.set_params(**{name: value}), f"fitted with another {name}", X, y, w, truth)
    if "coef_" in vars(truth):
        lie = copy.deepcopy(truth)
        lie.coef_, lie.intercept_ = -truth.coef_, -np.asarray(truth.intercept_)
        yield told(lie, "negated", X, y, w, truth)
    if sklearn.base.is_classifier(truth):
        lie = copy.deepcopy(truth)
        lie.classes_ = np.array([str(label) for label in truth.classes_])
        yield Lie("labels as texts", lie, X, y, w, None, np.inf)


def is_share(name: str, model: Any) -> bool:
    """A quantile: below one."""
    return name == "quantile" or (name == "alpha" and name_of(model).startswith("GradientBoosting"))


def judge(lie: Lie, verdict: Verdict) -> str | None:
    """What is wrong with the certificate of a lie, if anything."""
    certificate = surefit.certify(lie.model, lie.X, lie.y, lie.w)
    verdict.told += 1
    measured = ("optimal", "fixed_point", "trace")
    gaps = [c for c in certificate if c.name in measured and c.value is not None]
    excuse = max((c.excuse for c in certificate if c.name in (*measured, "objective")), default=0.0)
    flattering = lie.off is not None and bool(gaps) and gaps[0].value < lie.off * (1 - 1e-6) - 1e-15
    all_excused = max(c.excuse for c in certificate)
    worse = lie.off > LIMIT + excuse if lie.off is not None else lie.felt > FELT + all_excused
    believed = certificate.holds and worse
    verdict.flattering += flattering
    verdict.believed += believed
    if not (flattering or believed):
        return None
    what = "believed" if believed else f"printed {gaps[0].value:.2e}"
    return f"{lie.what}: {what}, off {lie.off}, answers change by {lie.felt:.1e}\n{certificate}"


# precision, offset, mixed scales, weights: the settings that always run
FEW = (
    (np.float64, 0.0, False, False),
    (np.float32, 3000.0, False, False),
    (np.float64, 1e6, True, False),
    (np.float64, 30.0, False, True),
)


def settings_of(name: str, everything: bool) -> Iterator[tuple[str, Any, Any, Any, Any]]:
    """(what, true model, X, y, w) over precisions, offsets, scales, weights, solvers and libraries."""
    units = ((False, False), (True, False), (False, True))
    grid = [(dtype, offset, *unit) for dtype in (np.float64, np.float32) for offset in OFFSETS for unit in units]
    for cls in classes_of(name):
        for settings in VARIANTS[name]:
            few = FEW if settings is VARIANTS[name][0] else FEW[:1]
            for dtype, offset, mixed, weighted in grid if everything else few:
                if (offset and name in COUNTS) or ((offset or mixed) and name == "MixedNB"):
                    continue
                if name.startswith("KernelRidge") and offset > 30 and (mixed or settings.get("kernel") is None):
                    continue  # x·x' is then nearly the same for all pairs: no float64 coefficients tell rows from it
                hinge = name == "LinearSVC" and settings.get("loss") == "hinge"
                if (hinge or name.startswith("RBF")) and mixed and offset > 3000:
                    continue  # good fits are not decided: roundings of the intercept, or of distances, hide the least
                X, y, w = data(name, dtype, offset, mixed, weighted, n=150 if name in SLOW and not everything else 300)
                label = f"{cls.__module__.split('.')[0]} {settings} {np.dtype(dtype)} offset {offset:g}"
                label += (" mixed" if mixed else "") + (" weights" if weighted else "")
                w = w if takes_weights(cls) else None
                for model in refits(cls, settings, X, y, w):
                    yield label, model, X, y, w


def tell(name: str, everything: bool = True) -> tuple[Verdict, list[str]]:
    """The lies about one class, and what was wrong with their certificates."""
    verdict, faults, refused = Verdict(), [], []
    best = next(classes_of(name))
    for label, truth, X, y, w in settings_of(name, everything):
        certificate = surefit.certify(truth, X, y, w)
        reference = truth if type(truth) is best else fitted(best, truth.get_params(), X, y, w)
        off = told(truth, "the fit itself", X, y, w, reference).off
        stopped = getattr(truth, "rel_gap_", 0.0) > LIMIT and not certificate.holds  # it says so itself
        if not stopped and (truth is reference if off is None else off <= LIMIT / 2):  # others may be refused rightly
            verdict.truths += 1
            verdict.refused_truths += not certificate.holds
            if not certificate.holds:
                refused.append(f"{label}\n{certificate}")
        for lie in lies(truth, X, y, w, SIZES if everything else SIZES[::4]):
            fault = judge(lie, verdict)
            if fault:
                faults.append(f"{label}: {fault}")
    return verdict, faults + (refused if verdict.refused_truths > 0.01 * verdict.truths else [])


if __name__ == "__main__":
    for name in sys.argv[1:] or VARIANTS:
        verdict, faults = tell(name)
        print(f"{name:<32} fits {verdict.truths:>4} (not accepted {verdict.refused_truths})  lies {verdict.told:>5}  "
              f"believed {verdict.believed:>4}  flattering {verdict.flattering:>4}", flush=True)  # fmt: skip
        for fault in faults[:3] if sys.argv[1:] else ():
            print("   ", fault.replace("\n", "\n      "))
