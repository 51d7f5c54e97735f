"""A surface through scattered points, and radial functions on a line: `python docs/pictures/rbf_interpolator.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.rbf import RBFInterpolator


def main() -> None:
    rng = np.random.default_rng(1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    X = rng.uniform(-2, 2, size=(60, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1]
    line = np.linspace(-2, 2, 100)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    surface = RBFInterpolator("thin_plate_spline").fit(X, y).predict(grid).reshape(100, 100)
    shade = left.contourf(line, line, surface, 20, cmap="viridis", vmin=-2, vmax=2)
    left.scatter(*X.T, c=y, s=18, cmap="viridis", vmin=-2, vmax=2, edgecolors="white", linewidths=0.6)
    left.set(title="thin plate through 60 points")
    figure.colorbar(shade, ax=left, shrink=0.8)
    x, t = np.array([0.0, 1.0, 1.6, 3.0, 4.5, 5.0]), np.array([0.0, 1.0, 0.3, 0.5, -1.0, 0.0])
    fine = np.linspace(-0.5, 5.5, 300)[:, None]
    for kernel in ("gaussian", "multiquadric", "linear", "cubic"):
        right.plot(fine[:, 0], RBFInterpolator(kernel).fit(x[:, None], t).predict(fine), lw=1.2, label=kernel)
    right.plot(x, t, "o", color="black", ms=4)
    right.set(title="through the same points")
    right.legend(fontsize=8)
    right.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
