"""Largest deviations below their bounds, and labelings counted: `python docs/pictures/deviation_bounds.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from surefit.theory import (
    HalfLines,
    HalfSpaces,
    expected_deviation_bound,
    sauer_bound,
    uniform_deviation_bound,
)

REPEATS = 2000


def largest_deviations(n: int, rng: np.random.Generator) -> np.ndarray:
    """sup over a of |R_n(a) − R(a)| of half-lines x ≤ a, for uniform points that are all 'no': R(a) = a."""
    X = np.sort(rng.random((REPEATS, n)), axis=1)
    steps = np.arange(n)
    return np.maximum((steps + 1) / n - X, X - steps / n).max(axis=1)


def draw_deviations(ax: Axes) -> None:
    sizes = np.unique(np.geomspace(20, 20_000, 13).astype(int))
    rng = np.random.default_rng(0)
    found = [largest_deviations(n, rng) for n in sizes]
    low, middle, high = np.array([np.quantile(d, (0.025, 0.5, 0.95)) for d in found]).T
    ax.fill_between(sizes, low, high, alpha=0.25, linewidth=0, label=f"{REPEATS} samples, up to 95 %")
    ax.plot(sizes, middle, label="their median")
    ax.plot(sizes, [uniform_deviation_bound(HalfLines(), int(n)) for n in sizes], "k--", label="bound, 95 %")
    ax.plot(sizes, [expected_deviation_bound(HalfLines(), int(n)) for n in sizes], "k:", label="bound of the mean")
    ax.axhline(1, color="0.6", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="rows n", ylabel="largest |risk − empirical risk|", title="Half-lines")
    ax.legend(fontsize=8, frameon=False)


def draw_labelings(ax: Axes) -> None:
    sizes = np.arange(1, 31)
    ax.plot(sizes, 2.0**sizes, color="0.6", label="all labelings, 2ⁿ")
    for color, d in enumerate((1, 2, 5)):
        ax.plot(sizes, [HalfSpaces(d).shattering(int(n)) for n in sizes], f"C{color}", label=f"half-spaces, d = {d}")
        ax.plot(sizes, [sauer_bound(d + 1, int(n)) for n in sizes], f"C{color}:", linewidth=1)
    ax.set(
        yscale="log", ylim=(1, 1e7), xlabel="points n", ylabel="labelings", title="Exact, and by Sauer's lemma (dotted)"
    )
    ax.legend(fontsize=8, frameon=False)


def main() -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    draw_deviations(axes[0])
    draw_labelings(axes[1])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
