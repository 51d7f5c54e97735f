"""Gradient boosting: shrinkage, leaf steps, line search, importances: `python docs/pictures/gradient_boosting.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1, make_hastie_10_2

from surefit.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from surefit.plot.growing.staged_loss import StagedLossDisplay, staged_losses

STAGES = 250


def main() -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.7), layout="constrained")
    X, y = make_friedman1(n_samples=900, noise=2.0, random_state=0)
    curves = {}
    for rate in (1.0, 0.3, 0.05):
        model = GradientBoostingRegressor(learning_rate=rate, n_estimators=STAGES).fit(X[:300], y[:300])
        curves[f"ν = {rate:g}"] = staged_losses(model, X[300:], y[300:])
    shown = StagedLossDisplay(curves=curves, measure="squared error of new rows").plot(left, name="shrinkage")
    shown.ax_.set_yscale("linear")
    X, labels = make_hastie_10_2(n_samples=3000, random_state=0)
    curves = {}
    for name, search in (("steps of leaves", False), ("line search", True)):
        fitted = GradientBoostingClassifier(line_search=search, n_estimators=STAGES).fit(X[:1000], labels[:1000])
        curves[f"{name}, training"] = staged_losses(fitted, X[:1000], labels[:1000])
        curves[f"{name}, new rows"] = staged_losses(fitted, X[1000:], labels[1000:])
    shown = StagedLossDisplay(curves=curves, measure="log-loss").plot(middle, name="which step?")
    for line, look in zip(shown.lines_, (("C0", ":"), ("C0", "-"), ("C1", ":"), ("C1", "-")), strict=True):
        line.set(color=look[0], linestyle=look[1])
    middle.set_yscale("linear")
    middle.legend(fontsize=8, frameon=False)
    shares = model.feature_importances_
    right.barh(np.arange(len(shares)), shares, color=["C0"] * 5 + ["0.75"] * (len(shares) - 5))
    right.set(yticks=np.arange(len(shares)), yticklabels=[f"x{j + 1}" for j in range(len(shares))])
    right.set(title="importances: five columns matter", xlabel="share of the decrease of squared error")
    right.invert_yaxis()
    right.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
