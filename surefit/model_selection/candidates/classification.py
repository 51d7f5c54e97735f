"""The classifiers that `surefit compare` tries."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.dummy import DummyClassifier

from surefit.model_selection.candidates.candidate import Candidate

MANY_ROWS = 10_000
"""Beyond so many rows k-means starts once: its cost grows with the rows, the spread between starts shrinks."""
PROGRAMME_ROWS = 50_000
"""Beyond so many rows no linear program is solved again and again."""
MACHINE_ROWS = 2_000
"""Beyond so many rows no machine with a kernel is fitted again and again: its cost grows with their square."""
NEIGHBOR_ROWS = 20_000
"""Beyond so many rows the nearest of each are not searched again and again."""
FOREST_ROWS = 50_000
"""Beyond so many rows no forest of full trees is grown, and its trees replayed, again and again."""


def _linear_program(_: None, n_rows: int) -> Any:
    from surefit.linear_model import LinearProgramClassifier

    return LinearProgramClassifier()


def _perceptron(_: None, n_rows: int) -> Any:
    from surefit.linear_model import Perceptron

    return Perceptron()


def _majority(_: None, n_rows: int) -> Any:
    return DummyClassifier(strategy="prior")


def _logistic_regression(C: float, n_rows: int) -> Any:
    from surefit.linear_model import LogisticRegression

    return LogisticRegression(C=C)


def _lda(shrinkage: Literal["auto"] | None, n_rows: int) -> Any:
    from surefit.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver="svd" if shrinkage is None else "lsqr", shrinkage=shrinkage)


def _qda(reg_param: float, n_rows: int) -> Any:
    from surefit.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(reg_param=reg_param)


def _gaussian_nb(_: None, n_rows: int) -> Any:
    from surefit.naive_bayes import GaussianNB

    return GaussianNB()


def _mixed_nb(_: None, n_rows: int) -> Any:
    from surefit.naive_bayes import MixedNB

    return MixedNB()


def _rbf_classifier(n_centers: int, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkClassifier

    return RBFNetworkClassifier(n_centers, random_state=0)


def _k_neighbors_classifier(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsClassifier

    return KNeighborsClassifier("cv")


def _tree_classifier(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(ccp_alpha="cv")


def _forest_classifier(n_trees: int, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, random_state=0)


def _boosted_classifier(_: None, n_rows: int) -> Any:
    from surefit.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


def _ada_boost(n_stumps: int, n_rows: int) -> Any:
    from surefit.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=n_stumps, random_state=0)


def _linear_svc(C: float, n_rows: int) -> Any:
    from surefit.svm import LinearSVC

    return LinearSVC(C=C)


def _svc(C: float, n_rows: int) -> Any:
    from surefit.svm import SVC

    return SVC(C=C)


CLASSIFICATION: tuple[Candidate, ...] = (
    Candidate(
        "majority (baseline)",
        "classification",
        "predicts the most frequent class, with the shares of the classes as probabilities",
        _majority,
    ),
    Candidate(
        "LogisticRegression C={value}",
        "classification",
        "logistic regression with a fixed penalty",
        _logistic_regression,
        (0.1, 1.0, 10.0),
    ),
    Candidate("LDA", "classification", "Gaussian classes with one covariance", _lda),
    Candidate(
        "LDA shrunk",
        "classification",
        "the same, the covariance shrunk by Ledoit and Wolf's amount",
        _lda,
        ("auto",),
        lambda _, shape: shape.n_columns >= 2 and min(shape.class_rows) >= 2,
    ),
    Candidate(
        "QDA r={value}",
        "classification",
        "Gaussian classes, each with its own covariance, a share r of it replaced by unit variance",
        _qda,
        (0.0, 0.1),
        lambda r, shape: min(shape.class_rows) > (shape.n_columns if r == 0 else 1),
    ),
    Candidate(
        "LinearProgramClassifier",
        "classification",
        "a hyperplane with the smallest sum of violations, for two classes",
        _linear_program,
        suits=lambda _, shape: len(shape.class_rows) == 2 and shape.n_rows <= PROGRAMME_ROWS,
    ),
    Candidate("Perceptron", "classification", "a hyperplane for each class, learnt from mistakes alone", _perceptron),
    Candidate(
        "RBF network K={value}",
        "classification",
        "least squares on Gaussian bumps around k-means' centers, an output for each class",
        _rbf_classifier,
        (50,),
        lambda k, shape: 4 * k <= shape.n_rows <= MANY_ROWS,
    ),
    Candidate(
        "LinearSVC C={value}",
        "classification",
        "a hyperplane with a wide margin for each class, against the rest",
        _linear_svc,
        (1.0,),
    ),
    Candidate(
        "SVC rbf C={value}",
        "classification",
        "support vectors with a Gaussian kernel, a machine for each pair of classes",
        _svc,
        (1.0, 10.0),
        lambda _, shape: shape.n_rows <= MACHINE_ROWS,
    ),
    Candidate(
        "KNeighborsClassifier",
        "classification",
        "the vote of the nearest rows, their number chosen by leave-one-out inside the training rows",
        _k_neighbors_classifier,
        suits=lambda _, shape: 2 <= shape.n_rows <= NEIGHBOR_ROWS,
    ),
    Candidate(
        "DecisionTree pruned",
        "classification",
        "one tree, cut back by cross-validation inside the training rows",
        _tree_classifier,
        suits=lambda _, shape: min(shape.class_rows) >= 2 and shape.n_rows <= FOREST_ROWS,
    ),
    Candidate(
        "RandomForest {value}",
        "classification",
        "the mean of so many trees on bootstrap samples, few columns tried in each node",
        _forest_classifier,
        (50,),
        lambda _, shape: shape.n_rows <= FOREST_ROWS,
    ),
    Candidate(
        "HistGradientBoosting",
        "classification",
        "trees one after the other, each fitted to what those before leave, on binned columns",
        _boosted_classifier,
        suits=lambda _, shape: shape.n_rows >= 40,
    ),
    Candidate(
        "AdaBoost {value} stumps",
        "classification",
        "splits of one column each, weighted by how well they tell the rows that others get wrong",
        _ada_boost,
        (100,),
        lambda _, shape: shape.n_rows <= FOREST_ROWS,
    ),
    Candidate("GaussianNB", "classification", "naive Bayes: Gaussian classes, columns independent", _gaussian_nb),
    Candidate(
        "MixedNB",
        "classification",
        "naive Bayes: numbers Gaussian, flags Bernoulli, categories counted",
        _mixed_nb,
        suits=lambda _, shape: shape.mixed,
    ),
)
