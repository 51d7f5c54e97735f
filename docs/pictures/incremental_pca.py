"""The digits on two components that were found batch by batch: `python docs/pictures/incremental_pca.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from surefit.decomposition import IncrementalPCA
from surefit.plot import EmbeddingDisplay, ScreeDisplay


def main() -> None:
    X, y = load_digits(return_X_y=True)
    model = IncrementalPCA(n_components=12, batch_size=200).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    EmbeddingDisplay.from_estimator(model, X, y, ax=left)
    ScreeDisplay.from_estimator(model, ax=right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
