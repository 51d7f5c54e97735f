"""Eight clusterings of the same rows, as `compare` finds them: `python docs/pictures/clusterings.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from surefit.model_selection import compare
from surefit.plot import ClustersDisplay


def rows() -> np.ndarray:
    """Two moons and a round cloud."""
    moons, _ = make_moons(240, noise=0.06, random_state=0)
    return np.vstack([moons, np.random.default_rng(0).normal([0.5, 2.6], 0.22, size=(100, 2))])


def main() -> None:
    X = rows()
    found = compare(None, X)
    figure, axes = plt.subplots(2, 4, figsize=(11.5, 5.6), layout="constrained")
    for one, ax in zip(found.outcomes, axes.ravel(), strict=True):
        said = f"silhouette {one.extra['silhouette']:.2f}, stability {one.interval.mean:.2f}"
        name = f"{one.name}: {one.extra['clusters']:.0f}{'  (best)' if one is found.best else ''}\n{said}"
        ClustersDisplay(points=X, labels=one.predictions).plot(ax, name=name)
        ax.title.set_fontsize(9)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
