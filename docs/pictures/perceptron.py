"""A line that learns from mistakes, and mistakes left after each epoch: `python docs/pictures/perceptron.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.linear_model import Perceptron


def first_mistakes(axes: plt.Axes, X: np.ndarray, y: np.ndarray) -> None:
    """One row at a time: the line after each update, the last one dark."""
    model, lines = Perceptron(), []
    for i in np.tile(np.random.default_rng(1).permutation(len(y)), 5):
        before = getattr(model, "coef_", None)
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        if before is None or (model.coef_ != before).any():
            lines.append((*model.coef_[0], model.intercept_[0]))
    for label, colour in ((0, "tab:blue"), (1, "tab:orange")):
        axes.plot(*X[y == label].T, "o", color=colour, markersize=4)
    x = np.array([-10.0, 10.0])
    for number, (a, c, b) in enumerate(lines):
        last = number == len(lines) - 1
        shade = 0.9 - 0.3 * number / len(lines)
        axes.plot(x, (-b - a * x) / c, color="k" if last else str(shade), linewidth=2 if last else 0.8, zorder=1)
    axes.set(xlim=(X[:, 0].min() - 0.5, X[:, 0].max() + 0.5), ylim=(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5))
    axes.set_title(f"the line after each of {len(lines)} mistakes", fontsize=9)


def mistakes_left(axes: plt.Axes, noise: np.ndarray, y: np.ndarray) -> None:
    for distance, colour in ((4.6, "tab:green"), (3.0, "tab:purple"), (1.5, "tab:red")):
        X = noise + distance * y[:, None] * np.array([0.8, 0.6])
        epochs = range(1, 31)
        left = [Perceptron(max_iter=n, tol=None).fit(X, y).n_mistakes_ for n in epochs]
        axes.plot(epochs, left, "o-", color=colour, markersize=3, linewidth=1, label=f"means {distance} apart")
    axes.set(xlabel="epochs", ylabel="rows answered wrongly")
    axes.set_title("without a separating line it never settles", fontsize=9)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def main() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    noise = rng.normal(size=(60, 2))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    first_mistakes(left, noise + 4.6 * y[:, None] * np.array([0.8, 0.6]), y)
    mistakes_left(right, noise, y)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
