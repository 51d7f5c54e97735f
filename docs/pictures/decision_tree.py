"""A tree drawn, its decision regions, and the penalty chosen: `python docs/pictures/decision_tree.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap
from sklearn.datasets import load_iris, make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from surefit.plot import PruningCurveDisplay, TreeDisplay
from surefit.tree import DecisionTreeClassifier

COLORS = ListedColormap(["tab:blue", "tab:orange"])


def main() -> None:
    here = Path(__file__)
    iris = load_iris()
    model = DecisionTreeClassifier(ccp_alpha="cv").fit(iris.data, iris.target)
    drawn = TreeDisplay.from_estimator(model, feature_names=iris.feature_names, class_names=iris.target_names)
    drawn.figure_.savefig(here.with_name("decision_tree.png"), dpi=110)

    X, y = make_moons(400, noise=0.3, random_state=0)
    full, chosen = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier(ccp_alpha="cv").fit(X, y)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for ax, tree, name in zip(axes[:2], (full, chosen), ("grown out", "pruned"), strict=True):
        DecisionBoundaryDisplay.from_estimator(
            tree, X, ax=ax, response_method="predict", alpha=0.3, cmap=COLORS, grid_resolution=300, eps=0.2
        )
        ax.scatter(*X.T, c=y, s=6, cmap=COLORS, edgecolors="none")
        ax.set(title=f"{name}: {tree.get_n_leaves()} leaves", xticks=[], yticks=[], xlabel="", ylabel="")
    PruningCurveDisplay.from_estimator(chosen, ax=axes[2], name="accuracy on left-out folds")
    figure.savefig(here.with_name("decision_tree_pruning.png"), dpi=110)


if __name__ == "__main__":
    main()
