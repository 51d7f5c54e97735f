"""The tube of support vector regression: `python docs/pictures/svr.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.svm import SVR


def main() -> None:
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 6, 60))
    y = np.sin(x) + 0.15 * rng.normal(size=60)
    y[::12] += 1.2
    grid = np.linspace(-0.2, 6.2, 300)
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
    for axes, epsilon in zip(panels, (0.1, 0.3), strict=True):
        model = SVR(epsilon=epsilon, C=10.0, gamma=0.5).fit(x[:, None], y)
        curve = model.predict(grid[:, None])
        axes.fill_between(grid, curve - epsilon, curve + epsilon, color="C0", alpha=0.15, linewidth=0)
        axes.plot(grid, curve, color="C0", linewidth=1.5)
        axes.plot(x, y, "o", color="0.35", markersize=3)
        axes.plot(x[model.support_], y[model.support_], "o", color="0.1", markersize=7, fillstyle="none")
        axes.set_title(f"ε = {epsilon}: {len(model.support_)} of 60 rows are support vectors", fontsize=9)
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
