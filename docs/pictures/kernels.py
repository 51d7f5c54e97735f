"""Kernels as functions of one number, and the Gram matrix of an expression: `python docs/pictures/kernels.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from surefit.kernels import Gaussian, InverseMultiquadric, Laplacian, Linear, Polynomial, Spectrum

WORDS = [
    "banana",
    "bandana",
    "cabana",
    "ananas",
    "statistics",
    "statistic",
    "static",
    "ecstatic",
    "mathematics",
    "math",
]


def main() -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    x = np.linspace(-3, 3, 301)[:, None]
    kernels = [
        Gaussian(1.0),
        Laplacian(1.0),
        InverseMultiquadric(1.0),
        Polynomial(2, 0.3, 0.3),
        Gaussian(2.0) * Linear(),
    ]
    for kernel in kernels:
        left.plot(x, kernel(x, np.array([[1.0]])), label=str(kernel))
    left.axvline(1.0, color="black", lw=0.6, ls=":")
    left.set(xlabel="x", ylabel="k(x, 1)", ylim=(-0.6, 2.2))
    left.legend(fontsize=7)
    left.grid(alpha=0.3)
    k = Gaussian(0.5).on([0, 1]) * Gaussian(2.0).on([2, 3]) + 0.01 * Linear()
    middle.imshow(k(load_iris().data), cmap="viridis")
    middle.set_title(f"iris:\n{k}", fontsize=7)
    right.imshow(Spectrum(2).normalized()(WORDS), cmap="viridis")
    right.set_xticks(range(len(WORDS)), WORDS, rotation=90, fontsize=7)
    right.set_yticks(range(len(WORDS)), WORDS, fontsize=7)
    right.set_title("words: pieces of two letters, normalized", fontsize=7)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
