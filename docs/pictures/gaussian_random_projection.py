"""What a random projection does to distances: `python docs/pictures/gaussian_random_projection.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from surefit.plot import DistortionDisplay
from surefit.random_projection import GaussianRandomProjection


def main() -> None:
    X = load_digits().data
    figure, both = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharex=True)
    for axes, k in zip(both, (64, 1024), strict=True):
        model = GaussianRandomProjection(k, eps=0.3, random_state=0).fit(X)
        DistortionDisplay.from_estimator(model, X, ax=axes, name=f"digits on {k} directions")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
