"""Margins and support vectors for three machines: `python docs/pictures/svc.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.plot import MarginDisplay
from surefit.svm import SVC


def moons(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    angle, y = rng.uniform(0, np.pi, n), np.arange(n) % 2
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = [1.0, 0.4] - X[y == 1]
    return X + 0.17 * rng.normal(size=X.shape), y


def main() -> None:
    X, y = moons(120)
    machines = {
        "linear, C = 1": SVC(kernel="linear"),
        "Gaussian, C = 1": SVC(gamma=1.0),
        "Gaussian, C = 100": SVC(gamma=1.0, C=100.0),
    }
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
    for axes, (title, model) in zip(panels, machines.items(), strict=True):
        MarginDisplay.from_estimator(model.fit(X, y), X, y, ax=axes, name=title)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
