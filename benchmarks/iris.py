"""Small fits, where threads and validation would show: surefit and scikit-learn in one process, interleaved.

    python -m benchmarks.iris

Data of 150 × 4 (iris). Each pair is called in turn hundreds of times; the minimum and the median are compared.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.harness import save

REPEATS = 300
SECONDS = 4.0
BAR = 1.0


def pairs() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """(surefit, scikit-learn), each a fit on iris, or predictions from what was fitted."""
    import sklearn.cluster as their_cluster
    import sklearn.decomposition as their_decomposition
    import sklearn.discriminant_analysis as their_discriminant
    import sklearn.ensemble as their_ensemble
    import sklearn.linear_model as their_linear
    import sklearn.naive_bayes as their_bayes
    import sklearn.neighbors as their_neighbors
    import sklearn.svm as their_svm
    import sklearn.tree as their_tree
    from sklearn.datasets import load_iris

    import surefit.cluster as our_cluster
    import surefit.decomposition as our_decomposition
    import surefit.discriminant_analysis as our_discriminant
    import surefit.ensemble as our_ensemble
    import surefit.linear_model as our_linear
    import surefit.naive_bayes as our_bayes
    import surefit.neighbors as our_neighbors
    import surefit.svm as our_svm
    import surefit.tree as our_tree

    X, labels = load_iris(return_X_y=True)
    F, y = X[:, :3].copy(), X[:, 3].copy()
    lda, qda = "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"

    def pair(ours: Any, theirs: Any, name: str, *data: Any, **parameters: Any) -> tuple[Callable, Callable]:
        a, b = getattr(ours, name), getattr(theirs, name)
        return lambda: a(**parameters).fit(*data), lambda: b(**parameters).fit(*data)

    def predictions(
        name: str, rows: Any, families: Any = (our_neighbors, their_neighbors)
    ) -> tuple[Callable, Callable]:
        ours, theirs = (getattr(family, name)().fit(X, labels) for family in families)
        return lambda: ours.predict(rows), lambda: theirs.predict(rows)

    return {
        "LinearRegression": pair(our_linear, their_linear, "LinearRegression", F, y),
        "Ridge": pair(our_linear, their_linear, "Ridge", F, y),
        "RidgeCV": pair(our_linear, their_linear, "RidgeCV", F, y),
        "QuantileRegressor": pair(our_linear, their_linear, "QuantileRegressor", F, y, alpha=0.0),
        "LMSRegressor": (
            lambda: our_linear.LMSRegressor().fit(F, y),
            lambda: their_linear.SGDRegressor(penalty=None, random_state=0).fit(F, y),
        ),
        "LogisticRegression": pair(our_linear, their_linear, "LogisticRegression", X, labels),
        **{
            name: pair(our_bayes, their_bayes, name, X, labels)
            for name in ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")
        },
        "LDA": pair(our_discriminant, their_discriminant, lda, X, labels),
        "QDA": pair(our_discriminant, their_discriminant, qda, X, labels),
        "SVC": pair(our_svm, their_svm, "SVC", X, labels),
        "SVC, predict": predictions("SVC", X, (our_svm, their_svm)),
        "SVC, 1 row": predictions("SVC", X[:1], (our_svm, their_svm)),
        "KNeighborsClassifier": pair(our_neighbors, their_neighbors, "KNeighborsClassifier", X, labels),
        "k-NN classifier, predict": predictions("KNeighborsClassifier", X),
        "k-NN classifier, 1 row": predictions("KNeighborsClassifier", X[:1]),
        "k-NN regressor, predict": predictions("KNeighborsRegressor", X),
        "DecisionTreeClassifier": pair(our_tree, their_tree, "DecisionTreeClassifier", X, labels),
        "DecisionTreeRegressor": pair(our_tree, their_tree, "DecisionTreeRegressor", F, y),
        "GradientBoostingClassifier": pair(our_ensemble, their_ensemble, "GradientBoostingClassifier", X, labels),
        "GradientBoostingRegressor": pair(our_ensemble, their_ensemble, "GradientBoostingRegressor", F, y),
        "decision tree, predict": predictions("DecisionTreeClassifier", X, (our_tree, their_tree)),
        "decision tree, 1 row": predictions("DecisionTreeClassifier", X[:1], (our_tree, their_tree)),
        "PCA": pair(our_decomposition, their_decomposition, "PCA", X, n_components=2),
        "KMeans n_init=1": pair(our_cluster, their_cluster, "KMeans", X, n_clusters=3, n_init=1, random_state=0),
        "KMeans n_init=10": pair(our_cluster, their_cluster, "KMeans", X, n_clusters=3, n_init=10, random_state=0),
    }


def seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"  {'iris, one fit':<26}{'surefit µs':>12}{'sklearn µs':>12}{'ratio':>8}{'of medians':>12}")
    works = []
    for name, (ours, theirs) in pairs().items():
        warm = seconds(ours) + seconds(theirs) + seconds(ours) + seconds(theirs)
        rounds = max(20, min(REPEATS, int(2 * SECONDS / warm)))
        taken = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
        a, b = [t for t, _ in taken], [t for _, t in taken]
        ratio, of_medians = min(b) / min(a), statistics.median(b) / statistics.median(a)
        verdict = "reached" if ratio >= BAR else "MISSED"
        times = f"{min(a) * 1e6:>12.0f}{min(b) * 1e6:>12.0f}"
        print(f"  {name:<26}{times}{ratio:>8.2f}{of_medians:>12.2f}  ≥ {BAR:g} {verdict}")
        rows = {
            "surefit": {"min": min(a), "median": statistics.median(a)},
            "scikit-learn": {
                "min": min(b),
                "median": statistics.median(b),
                "ratio": ratio,
                "ratio_of_medians": of_medians,
                "bar": BAR,
                "reached": ratio >= BAR,
                "quality_kept": True,
            },
        }
        works.append({"name": f"iris: {name}", "data": {"X": "float64 150×4"}, "contenders": rows})
    save("iris", works)


if __name__ == "__main__":
    main()
