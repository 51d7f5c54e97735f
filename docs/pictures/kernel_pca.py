"""Two circles and their first component; noisy digits and pre-images: `python docs/pictures/kernel_pca.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_circles

from surefit.decomposition import KernelPCA


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    X, y = make_circles(400, factor=0.3, noise=0.05, random_state=0)
    model = KernelPCA(2, kernel="rbf", gamma=2.0).fit(X)
    line = np.linspace(-1.4, 1.4, 120)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    height = model.transform(grid)[:, 0].reshape(120, 120)
    shade = left.contourf(line, line, height, 20, cmap="RdBu_r", alpha=0.7)
    left.scatter(*X.T, c=y, s=8, cmap="gray", edgecolors="black", linewidths=0.3)
    left.set(title="first component", aspect="equal")
    figure.colorbar(shade, ax=left, shrink=0.8)
    digits = load_digits().data[:1000] / 16
    shown = np.arange(1000, 1010)
    clean = load_digits().data[shown] / 16
    noisy = clean + 0.25 * np.random.default_rng(0).normal(size=clean.shape)
    back = KernelPCA(40, kernel="rbf", gamma=0.02, alpha=5e-3, fit_inverse_transform=True).fit(digits)
    rebuilt = back.inverse_transform(back.transform(noisy))
    rows = [np.hstack([np.pad(one.reshape(8, 8), 1) for one in part]) for part in (clean, noisy, rebuilt)]
    right.imshow(np.vstack(rows), cmap="gray_r", vmin=0, vmax=1)
    right.set(title="clean, noisy, pre-images", xticks=[], yticks=[])
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
