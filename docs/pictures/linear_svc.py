"""Gaps of LinearSVC and of liblinear, and the margins of both losses: `python docs/pictures/linear_svc.py`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from surefit.svm import LinearSVC


def value(model: object, X: np.ndarray, y: np.ndarray) -> float:
    """The objective with the hinge loss at a model."""
    w, b = model.coef_[0], model.intercept_[0]  # type: ignore[attr-defined]
    return float(0.5 * (w @ w + b * b) + np.maximum(0.0, 1.0 - np.where(y == 1, 1, -1) * (X @ w + b)).sum())


def distances(axes: plt.Axes) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    best = LinearSVC(loss="hinge", tol=1e-9).fit(X, y)
    least = value(best, X, y)
    ours = np.minimum.accumulate(best.history_[0])
    axes.semilogy(np.maximum(ours / least - 1, 1e-9), color="tab:blue", label="surefit")
    counts = np.unique(np.geomspace(1, 1000, 25).astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in range(3):
            theirs = [
                value(sklearn.svm.LinearSVC(loss="hinge", max_iter=n, random_state=seed).fit(X, y), X, y)
                for n in counts
            ]
            label = "liblinear, three seeds" if seed == 0 else None
            axes.semilogy(counts, np.array(theirs) / least - 1, color="tab:red", linewidth=0.8, label=label)
    axes.set(xscale="symlog", xlabel="iterations", ylabel="objective / minimum − 1", ylim=(1e-8, 1e4))
    axes.set_title("hinge loss, raw columns (breast cancer)", fontsize=9)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def margins(axes: plt.Axes) -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 2.4 * y[:, None] * np.array([0.8, 0.6])
    x = np.array([-4.0, 7.0])
    for loss, color in (("hinge", "k"), ("squared_hinge", "tab:green")):
        model = LinearSVC(loss=loss, C=1.0, intercept_scaling=100.0).fit(X, y)  # type: ignore[arg-type]
        (a, c), b = model.coef_[0], model.intercept_[0]
        for level, style in ((0.0, "-"), (1.0, "--"), (-1.0, "--")):
            name = loss.replace("_", " ") if level == 0 else None
            axes.plot(x, (level - b - a * x) / c, style, color=color, linewidth=1.2, label=name)
    for label, color in ((0, "tab:blue"), (1, "tab:orange")):
        axes.plot(*X[y == label].T, "o", color=color, markersize=4)
    inside = np.where(y == 1, 1, -1) * LinearSVC(loss="hinge", intercept_scaling=100.0).fit(X, y).decision_function(X)
    axes.plot(*X[inside <= 1 + 1e-6].T, "o", color="none", markeredgecolor="k", markersize=8, label="support vectors")
    axes.set(xlim=(-3, 6), ylim=(-3.5, 5))
    axes.set_title("boundary and margins", fontsize=9)
    axes.legend(fontsize=8)


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
    distances(left)
    margins(right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
