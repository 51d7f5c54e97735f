"""One tree and a hundred bagged ones, and the out-of-bag error along them: `python docs/pictures/bagging.py`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.ensemble import BaggingClassifier
from surefit.tree import DecisionTreeClassifier

COUNTS = (5, 10, 20, 40, 70, 100)


def main() -> None:
    X, y = make_moons(400, noise=0.3, random_state=0)
    Q, z = make_moons(4000, noise=0.3, random_state=1)
    tree, bagged = DecisionTreeClassifier().fit(X, y), BaggingClassifier(n_estimators=100, random_state=0).fit(X, y)
    columns, lines = np.linspace(-2, 3, 220), np.linspace(-1.6, 2.1, 160)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.4), layout="constrained")
    for ax, model, name in zip(axes[:2], (tree, bagged), ("one tree", "100 trees, bagged"), strict=True):
        share = model.predict_proba(grid)[:, 1].reshape(160, 220)
        ax.contourf(columns, lines, share, np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
        ax.scatter(*X.T, c=y, s=5, cmap="RdBu_r", edgecolors="none")
        ax.set(title=f"{name}: {1 - model.score(Q, z):.1%} of new rows wrong", xticks=[], yticks=[])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # with few members some rows are in every bag
        fits = [BaggingClassifier(n_estimators=k, oob_score=True, random_state=0).fit(X, y) for k in COUNTS]
    axes[2].plot(COUNTS, [1 - fit.oob_score_ for fit in fits], marker="o", label="out of bag")
    axes[2].plot(COUNTS, [1 - fit.score(Q, z) for fit in fits], marker="o", label="4,000 new rows")
    axes[2].set(xlabel="members", ylabel="share of rows wrong", ylim=(0, None))
    axes[2].legend(frameon=False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
