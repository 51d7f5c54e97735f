"""A rolled sheet and its eigenmaps: `python docs/pictures/spectral_embedding.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_swiss_roll

from surefit.manifold import SpectralEmbedding


def main() -> None:
    X, along = make_swiss_roll(1500, random_state=0)
    model = SpectralEmbedding(2, n_neighbors=12).fit(X)
    figure = plt.figure(figsize=(8, 3.4), layout="constrained")
    left = figure.add_subplot(1, 2, 1, projection="3d")
    left.scatter(*X.T, c=along, s=5)
    left.view_init(10, -75)
    right = figure.add_subplot(1, 2, 2)
    right.scatter(*model.embedding_.T, c=along, s=5)
    right.set(xlabel=f"λ = {model.eigenvalues_[0]:.2g}", ylabel=f"λ = {model.eigenvalues_[1]:.2g}")
    right.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
