"""The log-likelihood of two coins, step by step, from several starts: `python docs/pictures/em.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom

from surefit.plot import HistoryDisplay
from surefit.variational import EM


class Coins:
    """Heads in ten throws of one of two coins, which one is hidden."""

    def start(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.random(2)

    def expect(self, X: np.ndarray, heads: np.ndarray) -> np.ndarray:
        p = binom.pmf(X[:, None], 10, heads)
        return p / p.sum(axis=1, keepdims=True)

    def maximize(self, X: np.ndarray, posterior: np.ndarray) -> np.ndarray:
        return X @ posterior / (10 * posterior.sum(axis=0))

    def log_likelihood(self, X: np.ndarray, heads: np.ndarray) -> float:
        return float(np.log(binom.pmf(X[:, None], 10, heads).mean(axis=1)).sum())


def main() -> None:
    figure, axes = plt.subplots(figsize=(5.4, 3.2), layout="constrained")
    for seed in range(4):
        found = EM(Coins(), random_state=seed).fit(np.array([5, 9, 8, 4, 7]))
        HistoryDisplay.from_estimator(found, ax=axes, line_kwargs={"color": f"C{seed}", "label": f"start {seed}"})
    axes.legend(fontsize=8)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
