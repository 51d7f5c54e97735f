"""The coefficients along the penalty, and the leave-one-out error that chooses it: `python docs/pictures/ridge.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from surefit.linear_model import Ridge, RidgeCV


def main() -> None:
    data = load_diabetes()
    X, y = data.data, data.target
    alphas = np.logspace(-4, 2, 61)
    model = RidgeCV(alphas, store_cv_results=True).fit(X, y)
    errors = np.sqrt(model.cv_results_.mean(axis=0))
    paths = np.array([Ridge(alpha).fit(X, y).coef_ for alpha in alphas])
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.semilogx(alphas, paths)
    left.set(xlabel="penalty", ylabel="coefficient")
    for name, value in sorted(zip(data.feature_names, paths[0], strict=True), key=lambda pair: -abs(pair[1]))[:4]:
        left.annotate(name, (alphas[0], value), fontsize=8, va="bottom")
    right.semilogx(alphas, errors)
    right.set(xlabel="penalty", ylabel="root mean squared leave-one-out error")
    for axes in (left, right):
        axes.axvline(model.alpha_, color="0.4", linestyle="--", linewidth=1)
        axes.grid(alpha=0.3)
    right.annotate(f"chosen: {model.alpha_:.3g}", (model.alpha_, errors.max()), fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
