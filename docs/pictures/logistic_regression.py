"""Distance to the minimum on unscaled data, and class probabilities: `python docs/pictures/logistic_regression.py`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sklearn.linear_model
from scipy.special import log_softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from surefit.linear_model import LogisticRegression


def objective(model, X: np.ndarray, y: np.ndarray) -> float:
    Z = X @ model.coef_.T + model.intercept_
    Z = np.hstack([np.zeros_like(Z), Z]) if Z.shape[1] == 1 else Z
    return float(-log_softmax(Z, axis=1)[np.arange(len(y)), y].sum() + 0.5 * (model.coef_**2).sum())


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine), ("digits", load_digits)):
        X, y = load(return_X_y=True)
        best = objective(LogisticRegression(tol=1e-12).fit(X, y), X, y)
        history = LogisticRegression().fit(X, y).history_
        (line,) = left.semilogy(np.maximum(history / best - 1, 1e-16), marker=".", label=name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = sklearn.linear_model.LogisticRegression().fit(X, y)
        left.plot(theirs.n_iter_[0], objective(theirs, X, y) / best - 1, "x", color=line.get_color())
    left.set(xlabel="iteration", ylabel="(F − minimum) / minimum", xlim=(0, 105))
    left.legend(title="· surefit   × scikit-learn's end", fontsize=8, title_fontsize=8)
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:]
    model = LogisticRegression(C=10).fit(X, y)
    u, v = np.meshgrid(np.linspace(0.5, 7.5, 200), np.linspace(-0.2, 2.8, 200))
    colours = model.predict_proba(np.column_stack([u.ravel(), v.ravel()])).reshape(200, 200, 3)
    right.imshow(0.6 + 0.4 * colours, origin="lower", extent=(0.5, 7.5, -0.2, 2.8), aspect="auto")
    right.scatter(*X.T, c=y, cmap=matplotlib.colors.ListedColormap(["#a00", "#060", "#006"]), s=8)
    right.set(xlabel="petal length", ylabel="petal width", title="probabilities of three species")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
