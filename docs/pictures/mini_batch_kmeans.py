"""The inertia of each sample on the way: `python docs/pictures/mini_batch_kmeans.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from surefit.cluster import MiniBatchKMeans
from surefit.plot import HistoryDisplay


def main() -> None:
    X = load_digits().data
    figure, axes = plt.subplots(figsize=(5.4, 3.2), layout="constrained")
    for place, size in enumerate((100, 1000)):
        model = MiniBatchKMeans(n_clusters=10, batch_size=size, random_state=0).fit(X)
        HistoryDisplay.from_estimator(
            model, ax=axes, line_kwargs={"color": f"C{place}", "marker": "", "label": f"{size} rows a step"}
        )
    axes.set_ylabel("inertia of the sample, by its rows")
    axes.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
