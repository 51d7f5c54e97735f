"""DBSCAN on two moons: clusters, the k-distance curve and reachability: `python docs/pictures/dbscan.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.cluster import DBSCAN
from surefit.plot import ClustersDisplay, KDistanceDisplay, ReachabilityDisplay


def main() -> None:
    moons, _ = make_moons(400, noise=0.06, random_state=0)
    X = np.vstack([moons, np.random.default_rng(0).uniform([-1.6, -1.1], [2.6, 1.6], size=(40, 2))])
    model = DBSCAN(eps=0.16, min_samples=8).fit(X)
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11.5, 3.5), layout="constrained")
    ClustersDisplay.from_estimator(model, X, ax=left, name="clusters: ● core  ○ border  × noise")
    KDistanceDisplay.from_data(X, min_samples=8, ax=middle, name="8-distances and their knee")
    ReachabilityDisplay.from_estimator(model, X, ax=right, name="reachability")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
