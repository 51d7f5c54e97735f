"""The models that `surefit compare` tries: for each, the task it suits and a short grid.

The list grows with the catalogue: an entry is a name, a task, a function that builds the estimator, and the values of
at most one parameter. Each value becomes a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import make_pipeline

from surefit._core.errors import InvalidParameter

Task = Literal["regression", "classification", "clustering"]
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
CLUSTER_ROWS = 5_000
"""Beyond so many rows no clustering is tried whose cost grows with their square."""
PROOF_ROWS = 2_000
"""Beyond so many rows no clustering is tried whose proof takes seconds."""
DENSITY_ROWS, NEAR_COLUMNS = 20_000, 8
"""With few columns density is looked for in so many rows: their neighbors are found, and the proof ends, in seconds."""
PENALTIES = tuple(10.0 ** (k / 2) for k in range(-6, 9))


@dataclass(frozen=True)
class Shape:
    """Rows of the smallest training part, columns that the estimators see, and rows of each class in it.

    `mixed`: some columns of the table are categories or flags. `spread`: the standard deviation of the targets.
    """

    n_rows: int
    n_columns: int
    class_rows: tuple[int, ...] = ()
    mixed: bool = False
    spread: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """One entry: `build(value, n_rows)` makes the estimator; `suits(value, shape)` says if to.

    Parameters named in `in_spreads` are in units of the spread of the targets.
    """

    name: str
    task: Task
    sentence: str
    build: Callable[[Any, int], Any]
    grid: tuple[Any, ...] = (None,)
    suits: Callable[[Any, Shape], bool] = lambda value, shape: True
    in_spreads: tuple[str, ...] = ()

    def rows(self, shape: Shape) -> dict[str, Any]:
        found = {}
        for value in self.grid:
            if self.suits(value, shape):
                model = self.build(value, shape.n_rows)
                for name in self.in_spreads:
                    model.set_params(**{name: getattr(model, name) * shape.spread})
                found[self.name.format(value=_short(value))] = model
        return found


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


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


def _rbf_regressor(n_centers: int, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkRegressor

    return RBFNetworkRegressor(n_centers, random_state=0)


def _rbf_classifier(n_centers: int, n_rows: int) -> Any:
    from surefit.rbf import RBFNetworkClassifier

    return RBFNetworkClassifier(n_centers, random_state=0)


def _k_neighbors_regressor(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsRegressor

    return KNeighborsRegressor("cv")


def _k_neighbors_classifier(_: None, n_rows: int) -> Any:
    from surefit.neighbors import KNeighborsClassifier

    return KNeighborsClassifier("cv")


def _tree_regressor(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(ccp_alpha="cv")


def _tree_classifier(_: None, n_rows: int) -> Any:
    from surefit.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(ccp_alpha="cv")


def _forest_regressor(n_trees: int, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_trees, max_features=1 / 3, min_samples_leaf=3, random_state=0)


def _forest_classifier(n_trees: int, n_rows: int) -> Any:
    from surefit.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, random_state=0)


def _boosted_regressor(_: None, n_rows: int) -> Any:
    from surefit.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(random_state=0)


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


def _svr(C: float, n_rows: int) -> Any:
    from surefit.svm import SVR

    return SVR(C=C)


def _kmeans(k: int, n_rows: int) -> Any:
    from surefit.cluster import KMeans

    return KMeans(n_clusters=k, n_init=10 if n_rows <= MANY_ROWS else 1, random_state=0)


def _dbscan(min_samples: int, n_rows: int) -> Any:
    from surefit.cluster import DBSCAN

    return DBSCAN(min_samples=min_samples)


def _ward(k: int, n_rows: int) -> Any:
    from surefit.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=k, linkage="ward")


def _average(k: int, n_rows: int) -> Any:
    from surefit.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters=k, linkage="average")


def _spectral(k: int, n_rows: int) -> Any:
    from surefit.cluster import SpectralClustering

    return SpectralClustering(n_clusters=k, affinity="nearest_neighbors", random_state=0)


def _pca(n_components: int, n_rows: int) -> Any:
    from surefit.decomposition import PCA

    return PCA(n_components=n_components)


CANDIDATES: tuple[Candidate, ...] = (
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
    Candidate(
        "PCA {value}",
        "clustering",
        "the best linear picture with this many dimensions",
        _pca,
        (1, 2),
        lambda q, shape: q < shape.n_columns and q < shape.n_rows,
    ),
    Candidate(
        "KMeans k={value}",
        "clustering",
        "k centres, each row drawn to the nearest",
        _kmeans,
        tuple(range(2, 9)),
        lambda k, shape: 2 * k <= shape.n_rows,
    ),
    Candidate(
        "Ward k={value}",
        "clustering",
        "pairs of clusters merged where the squared distances to the means grow least, until k are left",
        _ward,
        (2, 3, 4),
        lambda k, shape: 2 * k <= shape.n_rows <= CLUSTER_ROWS,
    ),
    Candidate(
        "average linkage k={value}",
        "clustering",
        "pairs of clusters merged where their rows are nearest on average, until k are left",
        _average,
        (2, 3, 4),
        lambda k, shape: 2 * k <= shape.n_rows <= PROOF_ROWS,
    ),
    Candidate(
        "spectral k={value}",
        "clustering",
        "the graph of nearest neighbors cut into k parts along its smallest eigenvectors",
        _spectral,
        (2, 3, 4),
        lambda k, shape: 12 <= shape.n_rows <= PROOF_ROWS,
    ),
    Candidate(
        "DBSCAN m={value}",
        "clustering",
        "rows with m rows within ε of them, joined; ε from the knee of the m-distances",
        _dbscan,
        (5, 10),
        lambda m, shape: 2 * m <= shape.n_rows <= (DENSITY_ROWS if shape.n_columns <= NEAR_COLUMNS else CLUSTER_ROWS),
    ),
)


def candidates_for(task: Task, shape: Shape) -> dict[str, Any]:
    """The unfitted estimators that suit a task and a shape, by the name of their row."""
    rows: dict[str, Any] = {}
    for candidate in CANDIDATES:
        if candidate.task == task:
            rows |= candidate.rows(shape)
    if not rows:
        known = ", ".join(sorted({candidate.task for candidate in CANDIDATES}))
        raise InvalidParameter(f"task must be one of {known}; got {task!r}")
    return rows
