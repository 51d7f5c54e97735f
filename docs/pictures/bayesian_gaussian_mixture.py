"""Weights that vanish, and a bound that never falls: `python docs/pictures/bayesian_gaussian_mixture.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from surefit.mixture import BayesianGaussianMixture


def main() -> None:
    X = load_iris().data
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for shift, prior in zip((-0.25, 0.0, 0.25), (1e-3, 1.0, 1e3), strict=True):
        model = BayesianGaussianMixture(
            n_components=8, weight_concentration_prior=prior, tol=1e-4, max_iter=3000, random_state=0
        ).fit(X)
        left.bar(np.arange(1, 9) + shift, np.sort(model.weights_)[::-1], width=0.25, label=f"{prior:g}")
        trace = np.array(model.history_)
        right.plot(np.arange(1, trace.size), trace[-1] - trace[:-1], label=f"{prior:g}")
    left.set(xlabel="component", ylabel="weight (iris)")
    left.legend(title="weight_concentration_prior", fontsize=8, title_fontsize=8)
    right.set(xlabel="iteration", ylabel="bound still to gain", yscale="log", xscale="log")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
