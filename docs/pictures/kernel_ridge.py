"""The leave-one-out curves that choose penalty and width, and the fit: `python docs/pictures/kernel_ridge.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.kernel_ridge import KernelRidgeCV
from surefit.plot import PenaltyCurveDisplay


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(150, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=150)
    model = KernelRidgeCV(np.logspace(-3, 2, 51), kernel="rbf", gammas=[0.3, 1, 3, 10]).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    PenaltyCurveDisplay.from_estimator(model, ax=left)
    grid = np.linspace(-3, 3, 300)[:, None]
    right.plot(X[:, 0], y, ".", color="0.6", label="rows")
    right.plot(grid[:, 0], np.sin(2 * grid[:, 0]), "--", color="0.3", linewidth=1, label="sin 2x")
    right.plot(grid[:, 0], model.predict(grid), color="C1", label=f"α = {model.alpha_:.2g}, γ = {model.gamma_:g}")
    right.set(xlabel="x", ylabel="y")
    right.legend(fontsize=8, frameon=False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
