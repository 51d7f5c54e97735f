"""Which checker belongs to which class, by name, so that models of other libraries are checked too."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from surefit.certificates.blocks import Blocks
from surefit.certificates.certificate import Certificate
from surefit.certificates.checker import TOL, Findings

Checker = Callable[[Any, Blocks, float], Findings]
KNOWN = ("n_features_in_", "feature_names_in_", "history_", "certificate_")  # follow from the data, or only tell
METHODS = (
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function"),
    *("transform", "inverse_transform"),
)

# class: family.file:function
CHECKERS: dict[str, str] = {
    "LinearRegression": "linear_model.linear_regression:check_linear_regression",
    "Ridge": "linear_model.ridge:check_ridge",
    "RidgeCV": "linear_model.ridge_cv:check_ridge_cv",
    "RecursiveLeastSquares": "linear_model.recursive_least_squares:check_recursive_least_squares",
    "QuantileRegressor": "linear_model.quantile_regressor:check_quantile_regressor",
    "LADRegressor": "linear_model.quantile_regressor:check_lad_regressor",
    "LMSRegressor": "linear_model.lms_regressor:check_lms_regressor",
    "LinearProgramClassifier": "linear_model.linear_program_classifier:check_linear_program_classifier",
    "BatchPerceptron": "linear_model.batch_perceptron:check_batch_perceptron",
    "Perceptron": "linear_model.perceptron:check_perceptron",
    "LogisticRegression": "linear_model.logistic_regression:check_logistic_regression",
    "LogisticRegressionCV": "linear_model.logistic_regression_cv:check_logistic_regression_cv",
    "GaussianNB": "naive_bayes.gaussian_nb:check_gaussian_nb",
    "MultinomialNB": "naive_bayes.multinomial_nb:check_multinomial_nb",
    "BernoulliNB": "naive_bayes.bernoulli_nb:check_bernoulli_nb",
    "ComplementNB": "naive_bayes.multinomial_nb:check_complement_nb",
    "CategoricalNB": "naive_bayes.categorical_nb:check_categorical_nb",
    "MixedNB": "naive_bayes.mixed_nb:check_mixed_nb",
    "LinearDiscriminantAnalysis": (
        "discriminant_analysis.linear_discriminant_analysis:check_linear_discriminant_analysis"
    ),
    "QuadraticDiscriminantAnalysis": (
        "discriminant_analysis.quadratic_discriminant_analysis:check_quadratic_discriminant_analysis"
    ),
    "SVC": "svm.svc:check_svc",
    "SVR": "svm.svr:check_svr",
    "SubgradientSVC": "svm.subgradient_svc:check_subgradient_svc",
    "LinearSVC": "svm.linear_svc:check_linear_svc",
    "PCA": "decomposition.pca:check_pca",
    "KMeans": "cluster.kmeans:check_kmeans",
    "DBSCAN": "cluster.dbscan:check_dbscan",
    "AgglomerativeClustering": "cluster.agglomerative_clustering:check_agglomerative_clustering",
    "StepwiseAgglomeration": "cluster.stepwise_agglomeration:check_stepwise_agglomeration",
    "NearestNeighbors": "neighbors.nearest_neighbors:check_nearest_neighbors",
    "GammaIndex": "neighbors.gamma_index:check_gamma_index",
    "KNeighborsClassifier": "neighbors.k_neighbors:check_k_neighbors_classifier",
    "KNeighborsRegressor": "neighbors.k_neighbors:check_k_neighbors_regressor",
    "RadiusNeighborsClassifier": "neighbors.radius_neighbors:check_radius_neighbors_classifier",
    "RadiusNeighborsRegressor": "neighbors.radius_neighbors:check_radius_neighbors_regressor",
    "KernelRidge": "kernel_ridge.kernel_ridge:check_kernel_ridge",
    "KernelRidgeCV": "kernel_ridge.kernel_ridge_cv:check_kernel_ridge_cv",
    "KernelPCA": "decomposition.kernel_pca:check_kernel_pca",
    "SpectralClustering": "cluster.spectral_clustering:check_spectral_clustering",
    "SpectralEmbedding": "manifold.spectral_embedding:check_spectral_embedding",
    "LocallyLinearEmbedding": "manifold.locally_linear_embedding:check_locally_linear_embedding",
    "MinCut": "cluster.min_cut:check_min_cut",
    "Isomap": "manifold.isomap:check_isomap",
    "ClassicalMDS": "manifold.classical_mds:check_classical_mds",
    "MDS": "manifold.mds:check_mds",
    "AdaBoostClassifier": "ensemble.ada_boost:check_ada_boost_classifier",
    "AdaBoostRegressor": "ensemble.ada_boost:check_ada_boost_regressor",
    "GradientBoostingClassifier": "ensemble.gradient_boosting:check_gradient_boosting_classifier",
    "GradientBoostingRegressor": "ensemble.gradient_boosting:check_gradient_boosting_regressor",
    "HistGradientBoostingClassifier": "ensemble.hist_gradient_boosting:check_hist_gradient_boosting_classifier",
    "HistGradientBoostingRegressor": "ensemble.hist_gradient_boosting:check_hist_gradient_boosting_regressor",
    "Kernel": "kernels.expression:check_kernel",
    "DecisionTreeClassifier": "tree.decision_tree:check_decision_tree_classifier",
    "DecisionTreeRegressor": "tree.decision_tree:check_decision_tree_regressor",
    "RandomForestClassifier": "ensemble.random_forest:check_random_forest_classifier",
    "RandomForestRegressor": "ensemble.random_forest:check_random_forest_regressor",
    "BaggingClassifier": "ensemble.bagging:check_bagging_classifier",
    "BaggingRegressor": "ensemble.bagging:check_bagging_regressor",
    "CrossValidatedEnsemble": "ensemble.cross_validated_ensemble:check_cross_validated_ensemble",
    "BayesianGaussianMixture": "mixture.bayesian_gaussian_mixture:check_bayesian_gaussian_mixture",
    "GaussianMixture": "mixture.gaussian_mixture:check_gaussian_mixture",
    "MLPClassifier": "neural_network.mlp:check_mlp_classifier",
    "MLPRegressor": "neural_network.mlp:check_mlp_regressor",
    "BisectingKMeans": "cluster.bisecting_kmeans:check_bisecting_kmeans",
    "MiniBatchKMeans": "cluster.mini_batch_kmeans:check_mini_batch_kmeans",
    "IncrementalPCA": "decomposition.incremental_pca:check_incremental_pca",
    "GaussianRandomProjection": "random_projection.gaussian_random_projection:check_gaussian_random_projection",
    "EM": "variational.em:check_em",
    "MonteCarloEM": "variational.monte_carlo_em:check_monte_carlo_em",
    "CAVI": "variational.cavi:check_cavi",
    "MixtureSampler": "mixture.mixture_sampler:check_mixture_sampler",
    "FoldScores": "model_selection.folds:check_folds",
    "NestedScores": "model_selection.nested:check_nested",
    "LikelihoodFit": "stats.likelihood:check_likelihood",
    "DictionarySelection": "theory.dictionary_selection:check_dictionary_selection",
    "RBFInterpolator": "rbf.rbf_interpolator:check_rbf_interpolator",
    "RBFNetworkRegressor": "rbf.rbf_network:check_rbf_network_regressor",
    "RBFNetworkClassifier": "rbf.rbf_network:check_rbf_network_classifier",
}


def checker_for(model: Any) -> Checker:
    """The checker of the model's class, or of the nearest base class that has one."""
    for base in type(model).__mro__:
        if base.__name__ in CHECKERS:
            module, function = CHECKERS[base.__name__].split(":")
            return getattr(import_module(f"surefit.certificates.{module}"), function)
    known = ", ".join(sorted(CHECKERS))
    members = " Its members, estimators_, can be certified one by one." if hasattr(model, "estimators_") else ""
    raise TypeError(f"No checker for {type(model).__name__}.{members} Checkers exist for {known}.")


def check(model: Any, blocks: Blocks, tol: float = TOL) -> Certificate:
    """Check a fitted model against its data.

    model   a fitted estimator; only its public parameters, fitted attributes and predictions are read
    blocks  the data it was fitted on, see `blocks.py`
    tol     the relative distance from the optimum that still counts as converged
    """
    checker, start = checker_for(model), time.perf_counter()
    claims, cost = checker(model, blocks, tol)
    seconds, left = time.perf_counter() - start, not_checked(model, checker.covers)  # type: ignore[attr-defined]
    return Certificate(claims, type(model).__name__, blocks.n_rows, blocks.n_features, seconds, cost, left)


def not_checked(model: Any, covers: tuple[str, ...]) -> list[str]:
    """The public fitted attributes and the methods of the model that no claim covers."""
    kind = type(model)
    derived = {name for name in dir(kind) if isinstance(getattr(kind, name, None), property)}
    fitted = [name for name in derived | set(vars(model)) if name.endswith("_") and not name.startswith("_")]
    methods = [name for name in METHODS if callable(getattr(kind, name, None))]
    return [name for name in (*sorted(fitted), *methods) if name not in (*covers, *KNOWN)]
