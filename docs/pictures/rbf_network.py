"""A network on two moons, and a curve learnt row by row: `python docs/pictures/rbf_network.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.rbf import RBFNetworkClassifier, RBFNetworkRegressor


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    X, y = make_moons(400, noise=0.2, random_state=0)
    model = RBFNetworkClassifier(12, random_state=0).fit(X, y)
    columns, lines = np.linspace(-1.7, 2.7, 150), np.linspace(-1.3, 1.8, 120)
    grid = np.stack(np.meshgrid(columns, lines), axis=-1).reshape(-1, 2)
    share = model.predict_proba(grid)[:, 1].reshape(120, 150)
    left.contourf(columns, lines, share, np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.6)
    left.contour(columns, lines, share, [0.5], colors="black", linewidths=1)
    left.scatter(*X.T, c=y, s=6, cmap="RdBu_r", edgecolors="none")
    left.plot(*model.centers_.T, "k+", ms=9, mew=2, label="centers")
    left.legend(fontsize=8)
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(300, 1))
    t = np.sin(2 * x[:, 0]) + 0.15 * rng.normal(size=300)
    fine = np.linspace(-3, 3, 200)[:, None]
    net = RBFNetworkRegressor(12, width=0.8, random_state=0).partial_fit(x[:20], t[:20])
    right.plot(fine[:, 0], net.predict(fine), color="C0", alpha=0.4, label="after 20 rows")
    for i in range(20, 300):
        net.partial_fit(x[i : i + 1], t[i : i + 1])
        if i == 49:
            right.plot(fine[:, 0], net.predict(fine), color="C0", alpha=0.7, label="after 50")
    right.plot(fine[:, 0], net.predict(fine), color="C0", lw=2, label="after 300")
    right.plot(fine[:, 0], np.sin(2 * fine[:, 0]), "k:", label="truth")
    right.plot(*np.column_stack([x[:, 0], t]).T, ".", color="gray", ms=3)
    right.set(ylim=(-2, 2))
    right.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
