"""One tree and a forest, what matters to it, its error along the trees: `python docs/pictures/random_forest.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, make_moons

from surefit.ensemble import RandomForestClassifier
from surefit.plot import ImportancesDisplay


def regions(ax: plt.Axes, n_trees: int) -> None:
    X, y = make_moons(400, noise=0.3, random_state=0)
    columns, lines = np.linspace(-2, 3, 240), np.linspace(-1.6, 2.1, 180)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    forest = RandomForestClassifier(n_trees, random_state=1).fit(X, y)
    share = forest.predict_proba(grid)[:, 1].reshape(180, 240)
    ax.contourf(columns, lines, share, np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
    ax.contour(columns, lines, share, [0.5], colors="black", linewidths=1)
    ax.scatter(*X.T, c=y, s=5, cmap="RdBu_r", edgecolors="none")
    ax.set(title="1 tree" if n_trees == 1 else f"{n_trees} trees", xticks=[], yticks=[])


def error_out_of_bag(ax: plt.Axes) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    counts = np.unique(np.geomspace(15, 300, 25).astype(int))
    for name, max_features in (("√d features", "sqrt"), ("all features", None)):
        forest = RandomForestClassifier(oob_score=True, warm_start=True, max_features=max_features, random_state=0)
        errors = [100 * (1 - forest.set_params(n_estimators=int(n)).fit(X, y).oob_score_) for n in counts]
        ax.plot(counts, errors, label=name)
    ax.set(xlabel="trees", ylabel="error out of the bag (%)", xscale="log", ylim=(0, None))
    ax.legend(frameon=False)


def main() -> None:
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.4), layout="constrained", width_ratios=(1, 1, 1, 1))
    regions(axes[0], 1)
    regions(axes[1], 200)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(200, random_state=0).fit(X, y)
    top = np.argsort(-forest.feature_importances_)[:10]
    each = np.array([tree.feature_importances_ for tree in forest.estimators_])[:, top]
    ImportancesDisplay(importances=each, names=list(X.columns[top])).plot(axes[2], name="breast cancer")
    error_out_of_bag(axes[3])
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
