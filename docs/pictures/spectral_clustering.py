"""Two moons, and the eigenvalues of three groups: `python docs/pictures/spectral_clustering.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs, make_moons

from surefit.cluster import SpectralClustering
from surefit.plot import EigengapDisplay


def main() -> None:
    X, _ = make_moons(400, noise=0.05, random_state=0)
    model = SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=12, random_state=0).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for c, marker in enumerate("os^vD"[: model.n_clusters_]):
        left.scatter(*X[model.labels_ == c].T, s=14, marker=marker, alpha=0.7)
    left.set(aspect="equal", title=f"normalized cut {model.normalized_cut_:.3f}")
    blobs, _ = make_blobs(300, centers=[[0, 0], [8, 0], [4, 7]], random_state=0)
    three = SpectralClustering("eigengap", gamma=0.1, random_state=0).fit(blobs)
    EigengapDisplay.from_estimator(three, ax=right, name="three round groups")
    left.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
