"""Paths of descent on an error surface, and the error by pass: `python docs/pictures/lms_regressor.py`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from surefit.linear_model import LinearRegression, LMSRegressor

WAYS = {
    "constant rate": {"learning_rate": "constant"},
    "auto: rate and momentum": {},
    "row by row": {"method": "stochastic", "random_state": 0, "average": False, "learning_rate": "constant"},
}
COLOURS = dict(zip(WAYS, ("tab:orange", "tab:blue", "tab:green"), strict=True))


def path(X: np.ndarray, y: np.ndarray, way: dict, passes: int) -> np.ndarray:
    """Coefficients after 0, 1, … passes."""
    points = [np.zeros(2)]
    for count in range(1, passes + 1):
        points.append(
            LMSRegressor(fit_intercept=False, scale_columns=False, max_iter=count, tol=0, **way).fit(X, y).coef_
        )
    return np.array(points)


def surface(axes: plt.Axes) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ np.array([[1.0, 0.75], [0.0, 0.45]])
    y = X @ np.array([1.0, 0.6]) + 0.3 * rng.normal(size=60)
    a, b = np.meshgrid(np.linspace(-0.3, 1.7, 120), np.linspace(-0.5, 1.5, 120))
    error = ((y[:, None, None] - X[:, 0, None, None] * a - X[:, 1, None, None] * b) ** 2).mean(axis=0)
    axes.contour(a, b, error, levels=error.min() + np.geomspace(0.002, 3, 14), colors="0.8", linewidths=0.8)
    for name, way in WAYS.items():
        rate = {"eta0": 0.1} if name == "row by row" else {}
        points = path(X, y, way | rate, 2 if name.startswith("auto") else 12)
        axes.plot(*points.T, "o-", color=COLOURS[name], markersize=3, linewidth=1, label=name)
    axes.set(xlabel="w₁", ylabel="w₂", xlim=(-0.3, 1.7), ylim=(-0.5, 1.5), title="twelve passes on an error surface")
    axes.legend(fontsize=8, loc="lower right")


def errors(axes: plt.Axes) -> None:
    X, y = load_diabetes(return_X_y=True)
    least = np.mean((y - LinearRegression().fit(X, y).predict(X)) ** 2)
    for name, way in WAYS.items():
        rate = {"n_iter_no_change": 1000} if name == "row by row" else {}
        history = LMSRegressor(max_iter=60, **way, **rate).fit(X, y).history_
        axes.semilogy(np.arange(1, len(history) + 1), history / least - 1, color=COLOURS[name], label=name)
    history = LMSRegressor(max_iter=60, method="stochastic", random_state=0).fit(X, y).history_
    axes.semilogy(np.arange(1, len(history) + 1), history / least - 1, "tab:red", label="row by row, auto")
    axes.set(xlabel="passes", title="diabetes: error above the least, as a share", ylim=(1e-9, 2))
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    surface(left)
    errors(right)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
