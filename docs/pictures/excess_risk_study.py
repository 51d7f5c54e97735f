"""Data, a distribution like it, and what neighbors lose along k: `python docs/pictures/excess_risk_study.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import load_breast_cancer

from surefit.theory import BayesClassifier, distribution_like, excess_risk_study


def scatter(ax: Axes, X: np.ndarray, y: np.ndarray, title: str) -> None:
    ax.scatter(*X.T, c=y, s=6, cmap="RdBu_r", edgecolors="none")
    ax.set(title=title, xlabel="mean radius", ylabel="mean texture")


def main() -> None:
    data = load_breast_cancer()
    X, y = data.data[:, :2], data.target
    like = distribution_like(X, y)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    scatter(axes[0], X, y, "The data")
    scatter(axes[1], *like.sample(len(X)), "Fresh data like it, and the Bayes classifier")
    (left, right), (low, high) = axes[0].get_xlim(), axes[0].get_ylim()
    columns, lines = np.linspace(left, right, 200), np.linspace(low, high, 160)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    share = BayesClassifier(like).predict_proba(grid)[:, 1].reshape(160, 200)
    for ax in axes[:2]:
        ax.contour(columns, lines, share, [0.5], colors="black", linewidths=1)
        ax.set(xlim=(left, right), ylim=(low, high))
    study = excess_risk_study(X, y, distribution=like, repeats=40)
    study.plot(axes[2], name="k nearest neighbors")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
