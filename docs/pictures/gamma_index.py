"""Outliers by the mean distance to the nearest neighbors: `python docs/pictures/gamma_index.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.neighbors import GammaIndex


def main() -> None:
    rng = np.random.default_rng(2)
    angle = rng.uniform(0, 2 * np.pi, 250)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * 3 + 0.15 * rng.normal(size=(250, 2))
    X = np.vstack([ring, 0.3 * rng.normal(size=(100, 2)), rng.uniform(-4.5, 4.5, size=(15, 2))])
    model = GammaIndex(5, contamination=0.05).fit(X)
    line = np.linspace(-5, 5, 180)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    gamma = -model.score_samples(grid).reshape(180, 180)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    left.contourf(line, line, gamma, 20, cmap="Blues")
    left.contour(line, line, gamma, [model.threshold_], colors="black", linewidths=1)
    outlier = model.predict(X) == -1
    left.scatter(*X[~outlier].T, s=6, color="C0")
    left.scatter(*X[outlier].T, s=26, color="C3", edgecolors="white", linewidths=0.5)
    left.set(aspect="equal", title=f"γ of every place, its threshold, {outlier.sum()} outliers")
    order = np.argsort(model.gamma_)
    right.plot(np.arange(len(X)), model.gamma_[order], color="C0")
    right.plot(np.flatnonzero(outlier[order]), model.gamma_[order][outlier[order]], "o", ms=4, color="C3")
    right.axhline(model.threshold_, color="black", lw=1)
    right.set(title="γ of the rows, sorted", xlabel="rows", ylabel="γ")
    right.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
