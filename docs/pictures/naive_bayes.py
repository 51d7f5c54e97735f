"""The classes of Gaussian naive Bayes, and what gaps in the data cost it: `python docs/pictures/naive_bayes.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from surefit.naive_bayes import GaussianNB


def main() -> None:
    data = load_iris()
    X, y = data.data[:, 2:], data.target
    model = GaussianNB().fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    x0, x1 = np.meshgrid(np.linspace(0.5, 7.5, 300), np.linspace(-0.2, 2.8, 300))
    chances = model.predict_proba(np.column_stack([x0.ravel(), x1.ravel()])).reshape(300, 300, 3)
    left.imshow(0.45 + 0.55 * chances, extent=(0.5, 7.5, -0.2, 2.8), origin="lower", aspect="auto", alpha=0.6)
    for k, (marker, colour) in enumerate(zip("osD", ("tab:red", "tab:green", "tab:blue"), strict=True)):
        left.scatter(
            *X[y == k].T,
            s=14,
            marker=marker,
            color=colour,
            edgecolor="black",
            linewidth=0.4,
            label=data.target_names[k],
        )
    angle = np.linspace(0, 2 * np.pi, 100)
    for mean, var in zip(model.theta_, model.var_, strict=True):
        ring = mean + 2 * np.sqrt(var) * np.column_stack([np.cos(angle), np.sin(angle)])
        left.plot(*ring.T, color="0.2", linewidth=1)
    left.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    left.legend(fontsize=8, loc="upper left")

    shares = np.linspace(0, 0.9, 19)
    scores = np.empty((len(shares), 20))
    for column in range(20):
        rng = np.random.default_rng(column)
        order = rng.permutation(len(y))
        train, test = order[:100], order[100:]
        hidden = rng.random((100, 4))
        for row, share in enumerate(shares):
            rows = np.where(hidden < share, np.nan, data.data[train])
            scores[row, column] = GaussianNB(missing="ignore").fit(rows, y[train]).score(data.data[test], y[test])
    right.plot(shares, scores.mean(axis=1))
    right.fill_between(shares, *np.quantile(scores, [0.1, 0.9], axis=1), alpha=0.25)
    right.set(xlabel="share of the training values that are missing", ylabel="accuracy on rows not seen", ylim=(0.5, 1))
    right.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
