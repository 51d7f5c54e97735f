"""Learning curves of a network on digits with wrong labels, with and without dropout: `python docs/pictures/mlp.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from surefit.neural_network import MLPClassifier

EPOCHS = 150


def planted() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """600 digits to learn from, a fifth of them with a random label, and the others, with their own, to test on."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    X, y = (X[order] / 16).astype(np.float32), y[order]
    told = np.where(rng.random(600) < 0.2, rng.integers(10, size=600), y[:600])
    return X[:600], told, X[600:], y[600:]


def curves(dropout: float) -> np.ndarray:
    """After each epoch: loss on the training rows and on the test rows, share of wrong answers on both."""
    X, told, X_test, y_test = planted()
    model = MLPClassifier((128,), dropout=dropout, learning_rate_init=0.005, random_state=0)
    found = []
    for _ in range(EPOCHS):
        model.partial_fit(X, told, classes=np.arange(10))
        chances = model.predict_proba(X), model.predict_proba(X_test)
        losses = [-np.log(p[np.arange(len(p)), y]).mean() for p, y in zip(chances, (told, y_test), strict=True)]
        wrong = [(p.argmax(axis=1) != y).mean() for p, y in zip(chances, (told, y_test), strict=True)]
        found.append(losses + wrong)
    return np.array(found)


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    for color, dropout in (("C3", 0.0), ("C0", 0.5)):
        train, test, wrong_train, wrong_test = curves(dropout).T
        epochs = np.arange(1, EPOCHS + 1)
        for axes, a, b in ((left, train, test), (right, wrong_train, wrong_test)):
            axes.plot(epochs, a, color=color, ls="--", lw=1, label=f"dropout {dropout:g}, training")
            axes.plot(epochs, b, color=color, label=f"dropout {dropout:g}, test")
    left.set(xlabel="epoch", ylabel="mean loss", ylim=(0, None))
    right.set(xlabel="epoch", ylabel="share of wrong answers", ylim=(0, 0.5))
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
