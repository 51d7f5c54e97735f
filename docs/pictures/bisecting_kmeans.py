"""The irises cut in two and two again, and how clear the clusters are: `python docs/pictures/bisecting_kmeans.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from surefit.cluster import BisectingKMeans
from surefit.plot import KMeansDisplay, SilhouetteDisplay


def main() -> None:
    X = load_iris().data
    model = BisectingKMeans(n_clusters=3, random_state=0).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    KMeansDisplay.from_estimator(model, X, ax=left)
    SilhouetteDisplay.from_estimator(model, X, ax=right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
