"""Coefficients that follow a change, and what is known of one: `python docs/pictures/recursive_least_squares.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.linear_model import RecursiveLeastSquares


def main() -> None:
    rng = np.random.default_rng(0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    X = rng.normal(size=(600, 1))
    y = np.where(np.arange(600) < 300, 1.0, -1.0) * X[:, 0] + 0.3 * rng.normal(size=600)
    for forgetting in (1.0, 0.98, 0.9):
        model, path = RecursiveLeastSquares(forgetting=forgetting), []
        for i in range(600):
            path.append(float(model.partial_fit(X[i : i + 1], y[i : i + 1]).coef_[0]))
        left.plot(path, label=f"λ = {forgetting}")
    left.step([0, 300, 600], [1, -1, -1], color="black", ls=":", where="post", label="truth")
    left.set(xlabel="rows", ylabel="coefficient")
    X = rng.normal(size=(200, 1))
    y = X[:, 0] + 0.5 * rng.normal(size=200)
    model, path, spread = RecursiveLeastSquares(alpha=0.1), [], []
    for i in range(200):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        path.append(float(model.coef_[0]))
        spread.append(0.5 * float(np.sqrt(model.covariance_[0, 0])))
    center, band = np.array(path), 2 * np.array(spread)
    right.fill_between(np.arange(200), center - band, center + band, alpha=0.3, label="± 2 √(σ² P)")
    right.plot(path, label="coefficient")
    right.axhline(1.0, color="black", ls=":", label="truth")
    right.set(xlabel="rows", ylim=(0, 2))
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
