"""Where the updates end, and how many it took: `python docs/pictures/batch_perceptron.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from surefit.linear_model import BatchPerceptron, LinearProgramClassifier


def main() -> None:
    rng = np.random.default_rng(5)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")

    def sample(gap: float) -> tuple[np.ndarray, np.ndarray]:
        """Two classes in a square, at a distance of `gap` from a line at least."""
        X = rng.uniform(-1, 1, size=(120, 2))
        angle = rng.uniform(0, 2 * np.pi)
        direction = np.array([np.cos(angle), np.sin(angle)])
        side = X @ direction + 0.2
        return X + np.sign(side)[:, None] * gap * direction, (side > 0).astype(int)

    X, y = sample(0.12)
    for label, colour in ((0, "tab:blue"), (1, "tab:orange")):
        left.plot(*X[y == label].T, "o", color=colour, markersize=4)
    x = np.array([-1.4, 1.4])
    for model, style in ((BatchPerceptron(), "-"), (LinearProgramClassifier(), ":")):
        (w, b) = model.fit(X, y).coef_[0], model.intercept_[0]
        name = type(model).__name__
        left.plot(x, (-b - w[0] * x) / w[1], style, color="0.2", label=f"{name}, margin {model.margin_:.3f}")
    left.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.8))
    left.legend(fontsize=7, loc="upper left")

    widest, updates, bounds = [], [], []
    for gap in np.geomspace(0.3, 0.0005, 150):
        X, y = sample(gap)
        model = BatchPerceptron().fit(X, y)
        widest.append(LinearProgramClassifier().fit(X, y).margin_)
        updates.append(model.n_updates_)
        bounds.append(model.bound_)
    right.loglog(widest, bounds, ".", color="0.5", markersize=4, label="(R·B)²")
    right.loglog(widest, updates, ".", color="tab:green", markersize=5, label="updates")
    right.set(xlabel="widest margin of the data", ylabel="updates")
    right.invert_xaxis()
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
