"""The digits along two components, and the scree with its knee: `python docs/pictures/pca.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from surefit.decomposition import PCA


def main() -> None:
    X, y = load_digits(return_X_y=True)
    model = PCA().fit(X)
    curve = model.scree()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    Z = model.transform(X)
    for digit in range(10):
        left.scatter(*Z[y == digit, :2].T, s=6, alpha=0.5, color=f"C{digit}")
        left.annotate(str(digit), np.median(Z[y == digit, :2], axis=0), fontsize=12, weight="bold", ha="center")
    left.set(xlabel="first component", ylabel="second component")
    number = np.arange(1, 31)
    right.bar(number, 100 * curve.ratio[:30], alpha=0.4, label="each")
    right.plot(number, 100 * curve.cumulative[:30], marker=".", color="C1", label="running sum")
    right.axvline(curve.knee + 0.5, color="black", ls=":", label=f"knee: {curve.knee} components")
    right.set(xlabel="component", ylabel="share of the variance (%)")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
