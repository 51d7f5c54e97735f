"""A widest margin, and a proof that none exists: `python docs/pictures/linear_program_classifier.py`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.linear_model import LinearProgramClassifier


def main() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    noise = rng.normal(size=(60, 2))
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    for axes, distance in zip(panels, (4.2, 1.6), strict=True):
        X = noise + distance * y[:, None] * np.array([0.8, 0.6])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = LinearProgramClassifier().fit(X, y)
        for label, colour in ((0, "tab:blue"), (1, "tab:orange")):
            axes.plot(*X[y == label].T, "o", color=colour, markersize=4)
        (w, b), x = (model.coef_[0], model.intercept_[0]), np.array([X[:, 0].min(), X[:, 0].max()])
        for level, style in ((0, "-"), (-1, ":"), (1, ":")):
            axes.plot(x, (level - b - w[0] * x) / w[1], style, color="0.3", linewidth=1)
        if model.separable_:
            axes.set_title(f"separable, margin {model.margin_:.2f}", fontsize=9)
        else:
            inside = model.farkas_ > 0
            axes.scatter(*X[inside].T, s=600 * model.farkas_[inside] + 20, facecolors="none", edgecolors="k")
            axes.set_title("not separable: circled points, weighted, share a mean", fontsize=9)
        axes.set(xlim=(X[:, 0].min() - 0.5, X[:, 0].max() + 0.5), ylim=(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5))
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
