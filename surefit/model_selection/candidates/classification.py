"""The classifiers that `surefit compare` tries, the cheapest first."""

from __future__ import annotations

from typing import Any

from sklearn.dummy import DummyClassifier

from surefit.model_selection.candidates import limits
from surefit.model_selection.candidates.boosting import BOOSTED
from surefit.model_selection.candidates.candidate import Candidate, settings


def _majority(_: None, n_rows: int) -> Any:
    return DummyClassifier(strategy="prior")


def _gaussian_nb(_: None, n_rows: int) -> Any:
    from surefit.naive_bayes import GaussianNB

    return GaussianNB()


def _mixed_nb(_: None, n_rows: int) -> Any:
    from surefit.naive_bayes import MixedNB

    return MixedNB()


def _lda(_: None, n_rows: int) -> Any:
    from surefit.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _qda(_: None, n_rows: int) -> Any:
    from surefit.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(reg_param=0.1)


def _logistic_regression(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LogisticRegression

    return LogisticRegression()


def _tree_classifier(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(ccp_alpha="cv")


def _boosted_classifier(_: None, n_rows: int) -> Any:
    from surefit.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


def _k_neighbors_classifier(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsClassifier

    return KNeighborsClassifier("cv")


def _svc(_: None, n_rows: int) -> Any:
    from surefit.svm import SVC

    return SVC()


def _rbf_classifier(_: None, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkClassifier

    return RBFNetworkClassifier(20, random_state=0)


def _forest_classifier(_: None, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestClassifier

    return RandomForestClassifier(100, min_samples_leaf=2, random_state=0)


def _smooth_network(_: None, n_rows: int) -> Any:
    """With smooth units a stationary point is reached, and proved."""
    from surefit.neural_network import MLPClassifier

    return MLPClassifier((10,), "tanh", solver="lbfgs", alpha=10.0, tol=1e-3, max_iter=500, random_state=0)


def _batch_network(_: None, n_rows: int) -> Any:
    """The penalty is shared by the 200 rows of a batch, not by all rows."""
    from surefit.neural_network import MLPClassifier

    return MLPClassifier((50,), alpha=0.01, max_iter=100, early_stopping=True, n_iter_no_change=5, random_state=0)


CLASSIFICATION: tuple[Candidate, ...] = (
    Candidate(
        "majority (baseline)",
        "classification",
        "predicts the most frequent class, with the shares of the classes as probabilities",
        _majority,
    ),
    Candidate(
        "GaussianNB",
        "classification",
        "naive Bayes: Gaussian classes, columns independent",
        _gaussian_nb,
        suits=lambda _, shape: not shape.mixed,
    ),
    Candidate(
        "MixedNB",
        "classification",
        "naive Bayes: numbers Gaussian, flags Bernoulli, categories counted",
        _mixed_nb,
        suits=lambda _, shape: shape.mixed,
    ),
    Candidate(
        "LDA",
        "classification",
        "Gaussian classes with one covariance, as it is or shrunk by Ledoit and Wolf's amount",
        _lda,
        search=({"solver": "lsqr", "shrinkage": "auto"}, {"solver": "svd", "shrinkage": None}),
    ),
    Candidate(
        "QDA",
        "classification",
        "Gaussian classes, each with its own covariance, a share of it replaced by unit variance",
        _qda,
        suits=lambda _, shape: min(shape.class_rows) >= 2,
        search=settings(reg_param=(0.5, 0.1, 0.01, 0.0)),
        unless="a class has fewer than two training rows",
    ),
    Candidate(
        "LogisticRegression",
        "classification",
        "logistic regression with a penalty",
        _logistic_regression,
        search=settings(C=(0.01, 0.1, 1.0, 10.0, 100.0)),
    ),
    Candidate(
        "DecisionTree",
        "classification",
        "one tree, cut back by cross-validation inside the training rows",
        _tree_classifier,
        suits=lambda _, shape: min(shape.class_rows) >= 2 and shape.n_rows <= limits.TREE_ROWS,
        unless=limits.TREES,
    ),
    Candidate(
        "HistGradientBoosting",
        "classification",
        "trees one after the other, each fitted to what those before leave, on binned columns",
        _boosted_classifier,
        suits=lambda _, shape: shape.n_rows >= 40,
        search=BOOSTED,
        unless="it needs 40 training rows or more",
    ),
    Candidate(
        "KNeighbors",
        "classification",
        "the vote of the nearest rows, their number chosen by leave-one-out inside the training rows",
        _k_neighbors_classifier,
        suits=lambda _, shape: 2 <= shape.n_rows <= limits.NEIGHBOR_ROWS,
        unless=limits.NEIGHBORS,
    ),
    Candidate(
        "SVC",
        "classification",
        "support vectors with a Gaussian kernel, a machine for each pair of classes",
        _svc,
        suits=lambda _, shape: shape.n_rows <= limits.KERNEL_ROWS,
        search=settings(gamma=(0.1, 1.0), C=(1.0, 10.0, 100.0)),
        per_column=("gamma",),
        unless=limits.SQUARE,
    ),
    Candidate(
        "RBF network",
        "classification",
        "least squares on Gaussian bumps around k-means' centers, an output for each class",
        _rbf_classifier,
        suits=lambda _, shape: 60 <= shape.n_rows <= limits.KERNEL_ROWS,
        search=settings(n_centers=(10, 30, 100)),
        unless=f"tried on 60 to {limits.KERNEL_ROWS:,} training rows",
    ),
    Candidate(
        "RandomForest",
        "classification",
        "the mean of 100 trees on bootstrap samples, few columns tried in each node",
        _forest_classifier,
        suits=lambda _, shape: shape.n_rows <= limits.TREE_ROWS,
        search=settings(min_samples_leaf=(5, 1)),
        unless=limits.TREES,
    ),
    Candidate(
        "MLP",
        "classification",
        "a network with one hidden layer",
        _smooth_network,
        suits=lambda _, shape: 20 <= shape.n_rows <= limits.KERNEL_ROWS,
        search=settings(alpha=(30.0, 10.0, 1.0)),
    ),
    Candidate(
        "MLP",
        "classification",
        "a network with one hidden layer, trained until rows held out gain no more",
        _batch_network,
        suits=lambda _, shape: limits.KERNEL_ROWS < shape.n_rows <= limits.NETWORK_ROWS,
        search=settings(alpha=(0.1, 0.01)),
        unless=limits.NETWORKS,
    ),
)
