"""Averaged subgradient descent: values, gap and the theorem's bound: `python docs/pictures/subgradient_svc.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from surefit.svm import LinearSVC, SubgradientSVC


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    exact = LinearSVC(loss="hinge", C=1 / (0.1 * len(y)), tol=1e-8).fit(X, y)
    least = 0.1 * float(min(exact.history_[0]))
    steps = np.unique(np.geomspace(1, 3000, 40).astype(int))
    models = [SubgradientSVC(lambda_=0.1, max_iter=int(T)).fit(X, y) for T in steps]
    figure, axes = plt.subplots(figsize=(6, 3.8), layout="constrained")
    axes.loglog(steps, [m.bound_ for m in models], color="tab:red", label="the theorem's bound")
    axes.loglog(steps, [m.rel_gap_ * m.objective_ for m in models], color="tab:green", label="gap, computed")
    axes.loglog(steps, [m.objective_ - least for m in models], color="k", label="f(mean) − min f")
    last = models[-1].history_ - least
    axes.loglog(np.arange(1, len(last) + 1), last, color="tab:blue", linewidth=0.5, alpha=0.6, label="f(θ_t) − min f")
    axes.set(xlabel="T", ylabel="above the minimum")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
