"""Histogram boosting: loss traces with early stopping, a monotonic constraint, importances:
`python docs/pictures/hist_gradient_boosting.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from surefit.ensemble import HistGradientBoostingRegressor


def main() -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.7), layout="constrained")
    X, y = make_friedman1(n_samples=2000, noise=2.0, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = HistGradientBoostingRegressor(early_stopping=True, random_state=0).fit(X, y)
    left.plot(-model.train_score_, ":", color="C0", label="training rows")
    left.plot(-model.validation_score_, color="C1", label="rows held out")
    least = int(np.argmax(model.validation_score_))
    left.plot(least, -model.validation_score_[least], "o", markersize=9, mfc="none", mec="C1", mew=1.8)
    left.set(title="stopped when held-out rows gain no more", xlabel="round", ylabel="½ squared error")
    left.legend(frameon=False)

    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, (400, 1))
    target = 2 * x[:, 0] + 0.4 * np.sin(12 * x[:, 0]) + 0.3 * rng.normal(size=400)
    grid = np.linspace(0, 1, 500)[:, None]
    middle.scatter(x[:, 0], target, s=4, color="0.75")
    for sign, name in ((0, "free"), (1, "never falling")):
        fitted = HistGradientBoostingRegressor(monotonic_cst=[sign], max_iter=60).fit(x, target)
        middle.plot(grid[:, 0], fitted.predict(grid), label=name)
    middle.set(title="monotonic_cst", xlabel="x")
    middle.legend(frameon=False)

    shares = model.feature_importances_
    right.barh(np.arange(len(shares)), shares, color=["C0"] * 5 + ["0.75"] * (len(shares) - 5))
    right.set(yticks=np.arange(len(shares)), yticklabels=[f"x{j + 1}" for j in range(len(shares))])
    right.set(title="importances: five columns matter", xlabel="share of the gains")
    right.invert_yaxis()
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
