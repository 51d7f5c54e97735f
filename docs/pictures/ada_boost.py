"""AdaBoost's training error below its bound, and the rows that weigh most: `python docs/pictures/ada_boost.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.ensemble import AdaBoostClassifier


def weights_after(model: AdaBoostClassifier, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weights of the rows after all rounds: raised by e^α where a member is wrong."""
    raised = sum(
        weight * (member.predict(X) != y)
        for weight, member in zip(model.estimator_weights_, model.estimators_, strict=False)
    )
    w = np.exp(raised - raised.max())
    return w / w.sum()


def main() -> None:
    X, y = make_moons(300, noise=0.25, random_state=0)
    model = AdaBoostClassifier(n_estimators=60, random_state=0).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    rounds = np.arange(1, len(model) + 1)
    left.plot(rounds, model.history_["bound"], label="bound  ∏ 2√(ε(1−ε))")
    left.plot(rounds, [1 - score for score in model.staged_score(X, y)], label="training error")
    left.plot(rounds, model.history_["error"], lw=0.8, alpha=0.7, label="ε of each stump")
    left.set(xlabel="round", ylabel="share of the weight", ylim=(0, 1.02))
    left.legend(frameon=False)
    columns, lines = np.linspace(-1.8, 2.8, 220), np.linspace(-1.4, 1.9, 160)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    share = model.predict_proba(grid)[:, 1].reshape(160, 220)
    right.contourf(columns, lines, share, 12, cmap="RdBu_r", alpha=0.5)
    right.contour(columns, lines, share, [0.5], colors="black", linewidths=1)
    right.scatter(*X.T, c=y, s=6 + 6000 * weights_after(model, X, y), cmap="RdBu_r", edgecolors="black", linewidths=0.3)
    right.set(title="size: weight of the row for the next stump", xticks=[], yticks=[])
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
