"""The wines in Fisher's projection: `python docs/pictures/linear_discriminant_analysis.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from surefit.decomposition import PCA
from surefit.discriminant_analysis import LinearDiscriminantAnalysis

COLOURS = ("tab:blue", "tab:orange", "tab:green")


def main() -> None:
    X, y = load_wine(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X, y)
    pictures = {
        "Fisher's projection": model.transform(X),
        "principal components of scaled columns": PCA(2).fit_transform(X / X.std(axis=0)),
    }
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    for plot, (title, Z) in zip(axes, pictures.items(), strict=True):
        for k, colour in enumerate(COLOURS):
            plot.scatter(*Z[y == k].T, s=12, color=colour, label=f"cultivar {k}", alpha=0.8, linewidths=0)
        plot.set_title(title, fontsize=10)
        plot.grid(alpha=0.3)
    ratio = model.fisher_eigenvalues_
    axes[0].set(xlabel=f"first direction, ratio {ratio[0]:.2f}", ylabel=f"second direction, ratio {ratio[1]:.2f}")
    axes[1].set(xlabel="first component", ylabel="second component")
    angles = np.linspace(0, 2 * np.pi, 100)
    circle = 2 * np.stack([np.cos(angles), np.sin(angles)])
    for centre, colour in zip(model.transform(model.means_), COLOURS, strict=True):
        axes[0].plot(*(centre[:, None] + circle), color=colour, linewidth=1)
    axes[0].set_aspect("equal", "datalim")
    axes[0].legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
