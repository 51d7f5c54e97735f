"""Correct digits of a polynomial fit, by degree: `python docs/pictures/linear_regression.py`."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sklearn.linear_model

from surefit.linear_model import LinearRegression

DEGREES = range(1, 9)
x = np.arange(41.0)


def digits(coef: np.ndarray) -> float:
    return float(np.clip(-np.log10(max(np.abs(coef - 1).max(), 1e-16)), 0, 16))


def normal_equations(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    A = X - X.mean(axis=0)
    return np.linalg.solve(A.T @ A, A.T @ (y - y.mean()))


def main() -> None:
    found: dict[str, list[float]] = {"surefit": [], "scikit-learn, tol=1e-6": [], "normal equations": []}
    for degree in DEGREES:
        X = x[:, None] ** np.arange(1, degree + 1)
        y = 1 + X.sum(axis=1)  # whole numbers below 2^53: the right coefficients are exactly 1
        found["surefit"].append(digits(LinearRegression().fit(X, y).coef_))
        found["scikit-learn, tol=1e-6"].append(digits(sklearn.linear_model.LinearRegression().fit(X, y).coef_))
        found["normal equations"].append(digits(normal_equations(X, y)))
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    styles = {"surefit": "o-", "scikit-learn, tol=1e-6": "s--", "normal equations": "^:"}
    for name, values in found.items():
        axes.plot(DEGREES, values, styles[name], label=name)
    axes.set(xlabel="degree of the polynomial", ylabel="correct digits of the worst coefficient", ylim=(-0.5, 17))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
